// What each counter counts, in words for the report: drops, refusals, faults and the rest. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tickpath::stats {

enum class CauseKind : std::uint8_t {
    flow,     ///< part of the normal way; zero is the surprise
    section,  ///< printed in a section of its own: worker health, lines
    drop,     ///< a frame, packet, message, entry or tick that went no further
    refusal,  ///< an order that a strategy wanted and may-trade or risk did not let out
    fault,    ///< something outside is wrong or broke: feed, session, counterparty, a full table
};

/// What a counter stands for. The full name of a counter is "owner.name"; one cause may have many owners.
struct Cause {
    std::string counter;  ///< the part of the full name that decided: "not_udp", "session.gaps"
    CauseKind kind = CauseKind::flow;
    std::string phrase;     ///< "not UDP"
    bool is_known = false;  ///< false: the list does not have it, and its name stands for the phrase
};

/// The entry that matches the longest end of `full_name`, in whole parts between dots.
[[nodiscard]] Cause cause_of(std::string_view full_name);

}  // namespace tickpath::stats
