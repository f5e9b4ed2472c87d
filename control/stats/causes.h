// What each counter counts, in words for the report: drops, refusals, errors and the rest. Cold.
#pragma once

#include <cstdint>
#include <string_view>

namespace tickpath::stats {

enum class CauseKind : std::uint8_t {
    flow,     ///< part of the normal way; zero is the surprise
    section,  ///< printed in a section of its own: worker health, lines
    drop,     ///< a frame, packet, message or entry that went no further
    refusal,  ///< an order that a strategy wanted and may-trade or risk did not let out
    fault,    ///< something outside is wrong or broke: session, link, counterparty
};

[[nodiscard]] std::string_view name(CauseKind kind) noexcept;

/// The entry for the counter of this full name ("r0.router.not_udp"): decided by the last part of the name.
struct Cause {
    std::string_view counter;  ///< last part of the full name
    CauseKind kind = CauseKind::flow;
    std::string_view phrase;  ///< "not UDP"; empty when the list does not know the counter
};
[[nodiscard]] Cause cause_of(std::string_view full_name) noexcept;

}  // namespace tickpath::stats
