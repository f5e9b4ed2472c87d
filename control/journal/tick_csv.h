// Ticks as lines of CSV text: exact, and cheap enough for every tick of a day. Cold thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/model/instrument.h"
#include "dataplane/model/tick.h"

namespace tickpath::journal {

/// Where a tick's numbers get their names.
struct TickNames {
    std::vector<std::string> channels;  ///< by Tick::channel
    /// By InstrumentId, the whole bounded table: a learned instrument is filled in before the first tick that
    /// names it is published, so that a reader behind the ring sees it complete.
    std::span<const model::Instrument> instruments;
};

/// The header line. Meaning of the columns: control/journal/README.md.
inline constexpr std::string_view tick_csv_header =
    "channel,line,packet_seq,msg,entry,instrument,symbol,kind,side,action,level,entry_id,price,quantity,"
    "rpt_seq,exchange_time,sending_time,rx_time,rx_domain,frame,flags\n";

/// Longest line append_tick_csv writes, with names of the greatest length the structs hold and channel names
/// of at most 64 characters.
inline constexpr std::size_t tick_csv_line_bytes_max = 1024;

/// Appends one line. A number the tick does not carry (0 by Tick's definition, or no_price, no_quantity and
/// inexact) is an empty cell.
void append_tick_csv(std::string& out, const model::Tick& tick, const TickNames& names);

}  // namespace tickpath::journal
