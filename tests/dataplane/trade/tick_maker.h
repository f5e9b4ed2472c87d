// Short ways to write ticks in tests of the trade room.
#pragma once

#include <cstdint>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/tick.h"

namespace tickpath::trade::test {

using model::Side;
using model::Tick;
using model::TickAction;
using model::TickKind;
namespace flag = model::tick_flag;

/// A clock of one nanosecond a cycle: tests count time in nanoseconds.
inline constexpr core::CycleClock test_clock{1.0, 0, 1'800'000'000'000'000'000u};

/// A level quote of instrument 0, complete in itself.
inline Tick level(TickAction action, Side side, std::uint8_t at, std::int64_t price, std::int64_t quantity) {
    Tick tick;
    tick.instrument = 0;
    tick.flags = flag::last_of_event | flag::last_of_packet;
    tick.action = action;
    tick.side = side;
    tick.level = at;
    tick.price = price;
    tick.quantity = quantity;
    return tick;
}
inline Tick add(Side side, std::uint8_t at, std::int64_t price, std::int64_t quantity) {
    return level(TickAction::add, side, at, price, quantity);
}
inline Tick change(Side side, std::uint8_t at, std::int64_t price, std::int64_t quantity) {
    return level(TickAction::change, side, at, price, quantity);
}
inline Tick remove(Side side, std::uint8_t at) {
    return level(TickAction::remove, side, at, 0, 0);
}

/// An order quote of instrument 0.
inline Tick order(TickAction action, Side side, std::uint64_t entry_id, std::int64_t price,
                  std::int64_t quantity) {
    Tick tick = level(action, side, 0, price, quantity);
    tick.entry_id = entry_id;
    return tick;
}

inline Tick clear() {
    Tick tick = level(TickAction::add, Side::none, 0, 0, 0);
    tick.kind = TickKind::clear;
    return tick;
}
inline Tick trade(std::int64_t price, std::int64_t quantity) {
    Tick tick = level(TickAction::add, Side::none, 0, price, quantity);
    tick.kind = TickKind::trade;
    return tick;
}
inline Tick status(TickAction action, model::InstrumentId instrument = 0) {
    Tick tick;
    tick.instrument = instrument;
    tick.kind = TickKind::status;
    tick.action = action;
    return tick;
}
inline Tick set_valid(model::InstrumentId instrument = 0) {
    return status(TickAction::set_valid, instrument);
}

inline Tick with_flags(Tick tick, std::uint16_t flags) {
    tick.flags |= flags;
    return tick;
}
inline Tick without_flags(Tick tick, std::uint16_t flags) {
    tick.flags &= static_cast<std::uint16_t>(~flags);
    return tick;
}
inline Tick on_channel(Tick tick, std::uint16_t channel) {
    tick.channel = channel;
    return tick;
}
inline Tick of_instrument(Tick tick, model::InstrumentId instrument) {
    tick.instrument = instrument;
    return tick;
}

}  // namespace tickpath::trade::test
