// Reads configuration files (XML). Says everything that is wrong at once, each with file and line. Cold.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/config/config.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::config {

/// A configuration is written by hand; a larger file is something else.
inline constexpr std::size_t file_bytes_max = 1u << 20;

/// Loads the configuration of `tickpath run`. Returns nullopt when there is nothing to judge: no file, no
/// XML, another root element. With other errors in `diagnostics` it returns what could be read, defaults in
/// place of the rest, so that check() can say what else is wrong; it must not be run.
///
/// Form only: well-formed XML, known elements and attributes (an unknown one is an error that names the
/// nearest spelling), values of the right type and range, required ones present, names unique. Whether the
/// parts fit together and the machine has what they name is for check().
[[nodiscard]] std::optional<RunConfig> load_run(const std::filesystem::path& file, Diagnostics& diagnostics);

/// Loads the configuration of `tickpath exchange`; as load_run.
[[nodiscard]] std::optional<ExchangeConfig> load_exchange(const std::filesystem::path& file,
                                                          Diagnostics& diagnostics);

/// The same from a text, as if it stood in `file`.
[[nodiscard]] std::optional<RunConfig> parse_run(std::string_view xml, const std::filesystem::path& file,
                                                 Diagnostics& diagnostics);
[[nodiscard]] std::optional<ExchangeConfig> parse_exchange(std::string_view xml,
                                                           const std::filesystem::path& file,
                                                           Diagnostics& diagnostics);

}  // namespace tickpath::config
