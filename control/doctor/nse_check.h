// The check `nse`: is this recording an NSE broadcast, of which market, and do its blocks decompress. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "control/doctor/check.h"
#include "control/doctor/recording.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::doctor {

struct NseAnswer {
    CheckReport report;
    std::vector<std::uint32_t> groups;  ///< of the recording that carry it, by index
};

/// Looks at each group by itself, for a recording may hold several feeds. Nothing when no group's datagrams
/// are packed as NSE's are: less than nine tenths of them can be walked by their lengths. `found`: with the
/// preset that `tickpath decode` takes. `bad_data`: packed like it, but a tenth or more of the blocks do not
/// decompress to messages; when most of them look back before their beginning, the variants that do are
/// named.
[[nodiscard]] std::optional<NseAnswer> check_nse(const Recording& recording,
                                                 const framing::nse::Layouts& layouts);

}  // namespace tickpath::doctor
