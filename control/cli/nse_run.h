// Takes an NSE capture, or a file that holds one datagram, apart into messages. Cold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "control/cli/nse_output.h"
#include "decoders/framing/description.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::cli {

struct NseTotals {
    std::uint64_t messages = 0;
    std::uint64_t compressed = 0;  ///< of them, and blocks that failed
    std::uint64_t errors = 0;
    std::uint64_t lookbehind_overruns = 0;
    std::uint64_t frames_passed_over = 0;
    std::map<std::pair<std::int16_t, std::int16_t>, std::uint64_t> without_layout;  ///< by code, length
    std::string input_error;  ///< the file itself could not be read to its end
};

/// Decodes everything and shows it to `output`. Groups are not looked at. A message is read by the layouts of
/// the market its own first byte names, or of the feed's where that says nothing.
[[nodiscard]] NseTotals run_nse_decode(const framing::FeedDescription& feed,
                                       const framing::nse::Layouts& layouts, const std::string& path,
                                       NseOutput& output);

}  // namespace tickpath::cli
