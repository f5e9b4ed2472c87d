// The kernel's lists of CPUs: "0-2,5". Cold.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickpath::doctor {

/// CPUs in rising order, each once.
using CpuList = std::vector<unsigned>;

inline constexpr unsigned cpu_number_max = 8'191;  // CONFIG_NR_CPUS of the largest x86-64 kernels

/// Reads numbers and ranges between commas; an empty text is an empty list. nullopt for anything else, a
/// range that falls, or a number over cpu_number_max.
[[nodiscard]] std::optional<CpuList> parse_cpu_list(std::string_view text);

/// The shortest text: {0, 1, 2, 5} is "0-2,5".
[[nodiscard]] std::string to_text(const CpuList& cpus);

/// Those of `all` that are not in `without`.
[[nodiscard]] CpuList difference(const CpuList& all, const CpuList& without);

}  // namespace tickpath::doctor
