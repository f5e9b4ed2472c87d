// What an NSE channel counts of its datagrams and messages.
#pragma once

#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/feed/compiled_nse.h"

namespace tickpath::feed {

/// Counters of one channel's datagrams and messages; blocks and records have theirs.
struct NseCounters {
    NseCounters(core::CounterPage& page, std::string_view owner, const CompiledNse& feed);

    core::Counter datagrams;
    core::Counter messages_raw;    ///< of all messages; the others were compressed
    core::Counter of_no_interest;  ///< given up before they were read whole
    core::Counter datagrams_cut;   ///< ended by an inconsistency: the rest was dropped
    core::Counter lengths_bad;     ///< MessageLength, CompressionLen or iNoPackets disagrees with the bytes
    core::Counter segments_other;  ///< messages of another market than the feed's: not read
    core::Counter prefix_mismatches;  ///< messages whose prefix names another market than their datagram
    core::Counter without_layout;
    core::Counter lagging;            ///< messages of the past: their source hangs behind the other messages
    core::Counter ahead;              ///< messages of a time to come, which too few others agree on
    core::Counter times_set_back;     ///< times the sender's clock was taken to be another, earlier one
    core::Counter times_set_forward;  ///< likewise later
    core::Counter counts_bad;         ///< messages that say they have more records than they have room for
    core::Counter without_token;      ///< records of token 0, which is no instrument
    core::Counter without_ticks;      ///< known messages that ticks do not tell of
    core::Counter soft_gaps;
    core::Counter soft_gap_messages;  ///< numbers that the gaps left out; a guess
    core::Counter heartbeats;
    core::Counter silences;  ///< times nothing came for line_silence_ms
    /// Messages, as in the feed's layouts: with those of no interest and twins, which are counted apart as
    /// well; without those whose block or length is bad.
    std::vector<core::Counter> by_layout;
};

}  // namespace tickpath::feed
