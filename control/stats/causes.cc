#include "control/stats/causes.h"

#include <algorithm>
#include <array>

#include "dataplane/trade/books.h"
#include "dataplane/trade/refusal.h"
#include "decoders/base/error.h"

namespace tickpath::stats {
namespace {

using enum CauseKind;

struct Entry {
    std::string_view counter;
    CauseKind kind;
    std::string_view phrase;
};

// One line per counter. The rooms that count are the authority on names; a counter that is not listed is
// printed by its name, never left out. What comes in families brings its phrases along: see families below.
constexpr auto causes = std::to_array<Entry>({
    // port
    {"rx_frames", flow, "frames delivered by the port"},
    {"rx_bytes", flow, "their bytes"},
    {"rx_multi_segment", drop, "frames larger than a buffer"},
    {"rx_late_us_max", flow, "most microseconds a replayed frame came after its time"},
    {"link_lost", fault, "times the port's interface went down or away"},
    {"rx_replay_missing", fault, "frames of a capture that were announced and never came"},
    // feed: router
    {"routed", flow, "datagrams of our lines"},
    {"own_frame", drop, "our own frames, handed back by the kernel"},
    {"truncated", drop, "frames that end before a header or the IP length says"},
    {"not_ipv4", drop, "not IPv4, or more than two VLAN tags"},
    {"bad_header", drop, "headers that contradict themselves"},
    {"not_udp", drop, "not UDP"},
    {"fragment", drop, "IP fragments"},
    {"bad_checksum", drop, "UDP checksums that do not fit (check_checksum)"},
    {"unknown_group", drop, "a group and port that no line has"},
    // feed: sequencer; per line, the report has a section
    {"packets", section, ""},
    {"wins", section, ""},
    {"twins", section, ""},
    {"late", section, ""},
    {"losses", section, ""},
    {"silences", fault, "times a line fell silent while its twin spoke"},
    {"preamble_truncated", drop, "datagrams that end inside their preamble"},
    {"preambles_bad", drop,
     "datagrams whose preamble or packet header contradicts itself or the description"},
    {"other_senders", drop, "datagrams with the packet header of another sender"},
    {"unnumbered", drop, "datagrams without a packet number"},
    {"chunked_messages", flow, "messages put together from chunks"},
    {"chunks_waiting", flow, "chunks that were not their message's last"},
    {"chunks_duplicate", drop, "chunks that were there already"},
    {"chunks_late", drop, "chunks of messages that had been given up"},
    {"chunks_refused", drop, "chunks of messages of more than 64 chunks or 64 KiB"},
    {"chunked_incomplete", fault, "messages of which a chunk was missing, each line for itself"},
    {"holes", fault, "holes that no line filled"},
    {"missing_packets", fault, "packet numbers that no line delivered"},
    {"held", flow, "packets held back behind a hole"},
    {"held_dropped", drop, "held packets of before a restart"},
    {"unholdable", fault, "packets too large or too many to be held back: the hole was declared at once"},
    {"restarts", flow, "packet numbers that started again"},
    {"restarts_unannounced", fault, "packet numbers that started again without a message that says so"},
    // feed: decoding, one per message
    {"messages", flow, "messages decoded"},
    {"messages_unmapped", drop, "messages of templates that the description does not map"},
    {"messages_misplaced", drop, "messages on a stream of the other kind"},
    {"number_mismatch", fault, "messages whose number is not their packet's"},
    {"early_ticks", flow, "ticks handed on before the rest of their message was decoded"},
    {"early_ticks_failed", fault, "ticks handed on before the rest of their message failed to decode"},
    // feed: entries to ticks
    {"entries_other", drop, "entries of types or actions of no interest"},
    {"entries_without_instrument", drop, "entries whose instrument is neither known nor learned"},
    {"entries_old", drop, "entries that a snapshot had included"},
    {"entries_unusable", drop, "entries that fit no book"},
    {"keys_unusable", drop, "entries whose instrument key is missing or too long"},
    {"unknown_actions", drop, "entries with an action that the description does not know"},
    {"entry_ids_not_numbers", fault, "entry ids that are not numbers"},
    {"inexact", fault, "prices and quantities that the scale cannot hold exactly"},
    {"instruments_learned", flow, "instruments learned from the feed"},
    {"instruments_not_learned", drop, "instruments for which the table had no room"},
    // feed: NSE broadcast
    {"datagrams", flow, "NSE datagrams"},
    {"messages_raw", flow, "messages that were not compressed"},
    {"messages_of_no_interest", flow, "messages of tokens that nobody asked for, given up unread"},
    {"datagrams_cut", drop, "NSE datagrams whose rest was dropped at the first inconsistency"},
    {"lengths_bad", fault, "lengths or counts of messages that disagree with the bytes"},
    {"messages_of_other_segment", drop, "messages of another market than the feed's"},
    {"prefix_mismatches", fault, "messages that name another market than their datagram"},
    {"messages_without_layout", drop, "messages of a transcode and length that no layout describes"},
    {"messages_without_ticks", flow, "messages of which no tick tells"},
    {"soft_gaps", flow, "steps in numbers that may be missing messages (a guess: the next refresh repairs)"},
    {"soft_gap_messages", flow, "numbers left out by them"},
    {"heartbeats", flow, "circuit checks of a silent feed"},
    {"feed_silences", fault, "times nothing came, not even a circuit check"},
    {"blocks", flow, "LZO1Z blocks"},
    {"block_bytes", flow, "their bytes"},
    {"message_bytes", flow, "bytes of messages decompressed to their end"},
    {"blocks_given_up", flow, "blocks of no interest or already read, not decompressed to their end"},
    {"given_up_bytes", flow, "bytes that those had been decompressed to"},
    {"nse_books", flow, "book records read"},
    {"nse_books_of_other_type", drop, "book records of special terms and auctions"},
    {"nse_records_older", drop, "late NSE records, sent before what was known of their instrument"},
    {"nse_messages_lagging", drop, "NSE messages of the past: their source hangs behind the others"},
    {"nse_messages_ahead", drop, "NSE messages of a time to come that too few others agree on"},
    {"nse_times_set_back", fault, "times the NSE sender's clock was taken to be another, earlier one"},
    {"nse_times_set_forward", fault, "times the NSE sender's clock was taken to be another, later one"},
    {"nse_fills_of_other_market", drop, "fills of odd lots and auctions in NSE tickers"},
    {"nse_levels_at_open", flow, "levels without a price: orders at the opening price"},
    {"nse_levels_bad", fault,
     "levels below zero, out of order or behind an empty one: such a book is not valid"},
    {"nse_open_interests_bad", fault, "open interests below zero"},
    {"nse_counts_bad", fault, "NSE messages that say they have more records than there is room for"},
    {"nse_records_without_token", drop, "NSE records of token 0, which is no instrument"},
    {"nse_volume_steps_back", fault, "times an instrument's volume of the day became less"},
    {"nse_values_inexact", fault, "NSE values that the instrument's scale cannot hold exactly"},
    // feed: recovery
    {"books_invalidated", fault, "times a book became invalid"},
    {"books_healed", flow, "books whose own numbers proved that they missed nothing"},
    {"instrument_gaps", fault, "gaps in the numbers of one instrument"},
    {"stale_ticks", flow, "ticks of books that were invalid"},
    {"queue_overflows", fault, "times more ticks waited for a snapshot than queued_ticks_max"},
    {"snapshots_applied", flow, "snapshots that made a book valid"},
    {"snapshots_unused", flow, "snapshots that no book needed"},
    {"snapshots_too_old", drop, "snapshots older than the changes at hand"},
    {"snapshots_incomplete", drop, "snapshots of which a fragment is missing"},
    {"snapshots_broken", drop, "snapshots with an entry that fits no book"},
    {"snapshots_too_large", drop, "snapshots larger than snapshot_ticks_max"},
    // trade
    {"ticks", flow, "ticks handed on"},
    {"ticks_stale", drop, "ticks of invalid books, not applied"},
    {"ticks_unused", drop, "ticks of snapshots that no book needed, not applied"},
    {"ticks_other_channel", drop, "ticks of another channel than their book's"},
    {"ticks_unknown_instrument", drop, "ticks of an instrument without a book"},
    {"ticks_unknown_channel", drop, "ticks of a channel that is not in the plan"},
    {"events", flow, "events shown to the strategy"},
    {"events_cut", drop, "events whose last tick never came"},
    {"events_truncated", fault, "events that touched more instruments than one may"},
    {"orders", flow, "orders taken by the link"},
    {"shadow_orders", flow, "orders that shadow mode did not send"},
    {"reports", flow, "execution reports"},
    {"fills", flow, "of them with a fill"},
    {"orders_rejected", fault, "orders that the counterparty rejected"},
    {"orders_expired", flow, "orders cancelled or expired with quantity left"},
    {"orders_unknown", fault, "orders open when the link broke"},
    {"reports_duplicate", drop, "execution reports that were known, out of date or no news"},
    {"reports_unknown", drop, "execution reports of no order of ours"},
    {"reports_adopted", flow, "execution reports of an earlier run's orders"},
    {"reports_bad", drop,
     "execution reports that lack a field, do not fit the scale or contradict their order"},
    {"reports_overfilled", fault, "orders filled beyond their quantity"},
    // order session
    {"session.messages_in", flow, "messages received"},
    {"session.messages_out", flow, "messages sent"},
    {"session.garbled", drop, "garbled messages"},
    {"session.rejects_in", fault, "Rejects (35=3) received"},
    {"session.rejects_out", fault, "Rejects (35=3) sent"},
    {"session.duplicates", drop, "messages that were known (43=Y)"},
    {"session.gaps", fault, "ResendRequests sent"},
    {"session.queue_overflows", fault, "messages behind a gap that found no room"},
    {"session.resends_answered", flow, "ResendRequests answered"},
    {"session.logons", flow, "Logons"},
    {"session.logouts_in", flow, "Logouts received"},
    {"session.disconnects", fault, "times the link went down"},
    // workers; the report has a section
    {"loops", section, ""},
    {"longest_loop_ns", section, ""},
    {"longest_gap_ns", flow, "longest time from one poll to the next, of a worker that spins"},
    {"loops_over_10us", section, ""},
    {"minor_faults", section, ""},
    {"involuntary_switches", section, ""},
    {"switches_with_yields", section, ""},
    {"ring_full_waits", section, ""},
    {"journal_full_waits", flow, "times a receive worker waited for the tick file"},
    // the page itself
    {"counters.overflow", fault, "counters beyond the page's capacity, summed"},
});

/// Counters named by prefix and one member of a list that another room keeps.
std::string_view refusal_phrase(std::string_view member) {
    const auto known = std::ranges::find(trade::refusal_names, member);
    if (known == trade::refusal_names.end()) return {};
    return trade::refusal_phrases[static_cast<std::size_t>(known - trade::refusal_names.begin())];
}

std::string_view book_fault_phrase(std::string_view member) {
#define TICKPATH_BOOK_FAULT(name, phrase) \
    if (member == #name) return phrase;
    TICKPATH_BOOK_FAULTS(TICKPATH_BOOK_FAULT)
#undef TICKPATH_BOOK_FAULT
    return {};
}

std::string_view error_phrase(std::string_view member) {
    for (std::size_t i = 0; i < errc_count; ++i)
        if (code(static_cast<Errc>(i)) == member) return describe(static_cast<Errc>(i));
    return {};
}

/// "7208_470": a transcode and a length.
std::string_view layout_phrase(std::string_view member) {
    const bool is_layout =
        !member.empty() && member.find_first_not_of("0123456789_") == std::string_view::npos;
    return is_layout ? member : std::string_view();
}

struct Family {
    std::string_view prefix;
    CauseKind kind;
    std::string_view subject;  ///< put before the phrase
    std::string_view (*phrase)(std::string_view member);
};
constexpr auto families = std::to_array<Family>({
    {"refused_", refusal, "", refusal_phrase},
    {"book_", drop, "tick not applied: ", book_fault_phrase},
    {"failed_", drop, "message not decoded: ", error_phrase},
    {"reported_", fault, "message decoded in spite of: ", error_phrase},
    {"lzo1z_", drop, "block not decompressed: ", error_phrase},
    {"messages_", flow, "messages of transcode and length ", layout_phrase},
});

Cause cause_in_family(std::string_view last_part) {
    for (const Family& family : families) {
        if (!last_part.starts_with(family.prefix)) continue;
        const std::string_view phrase = family.phrase(last_part.substr(family.prefix.size()));
        if (phrase.empty()) continue;
        return {.counter = std::string(last_part),
                .kind = family.kind,
                .phrase = std::string(family.subject) + std::string(phrase),
                .is_known = true};
    }
    return {
        .counter = std::string(last_part), .kind = flow, .phrase = std::string(last_part), .is_known = false};
}

bool ends_in(std::string_view full_name, std::string_view part) {
    if (!full_name.ends_with(part)) return false;
    return full_name.size() == part.size() || full_name[full_name.size() - part.size() - 1] == '.';
}

}  // namespace

Cause cause_of(std::string_view full_name) {
    const Entry* best = nullptr;
    for (const Entry& entry : causes)
        if (ends_in(full_name, entry.counter) &&
            (best == nullptr || entry.counter.size() > best->counter.size()))
            best = &entry;
    if (best != nullptr)
        return {.counter = std::string(best->counter),
                .kind = best->kind,
                .phrase = std::string(best->phrase),
                .is_known = true};
    return cause_in_family(full_name.substr(full_name.rfind('.') + 1));
}

}  // namespace tickpath::stats
