// The normalised market-data event: the only thing that feed and trade share. By value, in one ring slot.
#pragma once

#include <cstdint>

#include "dataplane/model/instrument.h"
#include "dataplane/model/timestamp.h"

namespace tickpath::model {

enum class TickKind : std::uint8_t {
    quote,   ///< one entry of one side of a book: a level (level != 0) or an order (entry_id != 0)
    trade,   ///< an execution reported by the venue; never changes a book
    clear,   ///< the instrument's book is empty now (FIX MDEntryType J), or is about to be rebuilt from a
             ///< snapshot
    status,  ///< see TickAction: books become invalid or valid
    // What follows never changes a book.
    open_interest,  ///< `quantity` contracts are open
    index,          ///< `price` is the index's value
    session,        ///< the venue's session changed: `quantity` is the venue's code; no instrument
};

enum class Side : std::uint8_t { none, bid, ask };  ///< of a trade: the aggressor's side, none when unknown

enum class TickAction : std::uint8_t {
    add,          ///< quote: a new level (those at and below move down by one) or a new order
    change,       ///< quote: the level or order has this price and quantity now
    remove,       ///< quote: the level (those below move up by one) or order is gone
    set_valid,    ///< status: the instrument's book is complete and up to date
    set_invalid,  ///< status: the instrument's book may be wrong; `instrument == no_instrument` means all
                  ///< books of `channel`
};

/// Bits of Tick::flags.
namespace tick_flag {
inline constexpr std::uint16_t last_of_event = 1u << 0;   ///< the last tick of one message
inline constexpr std::uint16_t last_of_packet = 1u << 1;  ///< the last tick of one datagram
inline constexpr std::uint16_t snapshot = 1u << 2;  ///< comes from a snapshot: updates a book, never triggers
inline constexpr std::uint16_t stale = 1u << 3;     ///< the book is invalid: written to files, not applied
inline constexpr std::uint16_t unused =
    1u << 4;  ///< a snapshot tick no book needed: written to files, not applied
inline constexpr std::uint16_t replayed =
    1u << 5;  ///< seen before as `stale`, now applied after a snapshot: not written again
inline constexpr std::uint16_t no_price = 1u
                                          << 6;  ///< the venue sent no price; `price` is 0 and means nothing
inline constexpr std::uint16_t no_quantity = 1u << 7;  ///< likewise for `quantity`
inline constexpr std::uint16_t inexact =
    1u << 8;  ///< price or quantity not representable at the scale: value 0, book invalid
inline constexpr std::uint16_t own_event = 1u << 9;  ///< warm-path dummy: must change no state
inline constexpr std::uint16_t early = 1u << 10;     ///< handed on before the rest of its message was decoded
}  // namespace tick_flag

/// At most 120 bytes, so that a ring slot with its sequence word is two cache lines.
struct Tick {
    std::uint64_t rx_cycles = 0;       ///< cycle counter when the burst was received (t1)
    std::uint64_t decoded_cycles = 0;  ///< cycle counter when the packet's decoding ended (t2)
    std::uint64_t rx_time = 0;         ///< receive stamp of the frame, in `rx_domain` (t0)
    std::uint64_t exchange_time =
        0;  ///< the venue's own time of the entry, in the feed's format; 0 when absent
    std::uint64_t sending_time =
        0;                       ///< the venue's own time of the message, in the feed's format; 0 when absent
    std::uint64_t entry_id = 0;  ///< order or trade number of the venue; 0 when absent
    std::int64_t price = 0;      ///< at the instrument's price_places
    std::int64_t quantity = 0;   ///< at the instrument's quantity_places
    std::uint64_t frame_number = 0;  ///< Frame::frame_number, to find the tick in a capture
    InstrumentId instrument = no_instrument;
    std::uint32_t packet_sequence = 0;      ///< the channel's packet number
    std::uint32_t instrument_sequence = 0;  ///< the venue's per-instrument number (RptSeq); 0 when absent
    std::uint16_t channel = 0;              ///< index of the channel in the plan
    std::uint16_t flags = 0;                ///< tick_flag bits
    std::uint16_t entry_index = 0;          ///< position in the message's entries, from 0
    std::uint8_t message_index = 0;         ///< position of the message in the datagram, from 0
    std::uint8_t line = 0;  ///< 0 = A, 1 = B, 2 = snapshot A, 3 = snapshot B (role * 2 + copy)
    TickKind kind = TickKind::quote;
    Side side = Side::none;
    TickAction action = TickAction::add;
    std::uint8_t level = 0;  ///< price level from 1; 0 = the feed sends orders, not levels
    TimeDomain rx_domain = TimeDomain::none;

    [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return (flags & flag) != 0; }
};
static_assert(sizeof(Tick) <= 120);

}  // namespace tickpath::model
