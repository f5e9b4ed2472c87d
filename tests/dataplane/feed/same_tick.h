// Whether two ticks say the same, however soon each was handed on (decide="entry").
#pragma once

#include <cstdint>
#include <tuple>

#include "dataplane/model/tick.h"

namespace tickpath::test {

/// Everything but the flag `early` and the cycle counters.
[[nodiscard]] inline auto said_by(const model::Tick& tick) {
    const auto flags = static_cast<std::uint16_t>(tick.flags & ~model::tick_flag::early);
    return std::tuple(tick.rx_time, tick.exchange_time, tick.sending_time, tick.entry_id, tick.price,
                      tick.quantity, tick.frame_number, tick.instrument, tick.packet_sequence,
                      tick.instrument_sequence, tick.channel, flags, tick.entry_index, tick.message_index,
                      tick.line, tick.kind, tick.side, tick.action, tick.level, tick.rx_domain);
}

}  // namespace tickpath::test
