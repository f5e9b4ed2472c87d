// Addresses of the made-up market on the wire: what sender, floor and capture filter of scripts/bench
// --tick-to-trade agree on.
#pragma once

#include <cstdint>

namespace tickpath::bench {

inline constexpr std::uint32_t market_group =
    0xEFC0'1E01;  ///< 239.192.30.1, line A of templates/feeds/bench.xml
inline constexpr std::uint16_t market_port = 30'001;
inline constexpr std::uint16_t update_source_port = 40'000;
inline constexpr std::uint16_t trigger_source_port = 40'001;  ///< of datagrams that lead to an order

}  // namespace tickpath::bench
