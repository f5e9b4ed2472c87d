#include "control/stats/causes.h"

#include <algorithm>
#include <array>

#include "dataplane/trade/refusal.h"

namespace tickpath::stats {
namespace {

using enum CauseKind;

// One line per counter, by the last part of its name. The rooms that count are the authority on names; a
// counter that is not listed is printed by its name, never left out. Refusals bring their phrases along
// (trade/refusal.h).
constexpr auto causes = std::to_array<Cause>({
    // feed: router
    {"own_frame", drop, "our own frame, handed back by the kernel"},
    {"truncated", drop, "the frame or message ends too early"},
    {"not_ipv4", drop, "not IPv4, or more than two VLAN tags"},
    {"bad_header", drop, "a header that contradicts itself"},
    {"not_udp", drop, "not UDP"},
    {"fragment", drop, "an IP fragment"},
    {"unknown_group", drop, "a group and port that no line has"},
    // port
    {"rx_multi_segment", drop, "a frame larger than a buffer"},
    // worker health and lines have sections of their own
    {"loops", section, ""},
    {"longest_loop_ns", section, ""},
    {"loops_over_10us", section, ""},
    {"minor_faults", section, ""},
    {"involuntary_switches", section, ""},
    {"ring_full_waits", section, ""},
    {"packets", section, ""},
    {"wins", section, ""},
    {"twins", section, ""},
    {"late", section, ""},
    {"losses", section, ""},
    // the page itself
    {"overflow", fault, "counters beyond the page's capacity, summed"},
});

constexpr std::string_view refusal_prefix = "refused_";

std::string_view refusal_phrase(std::string_view refused) {
    const auto known = std::ranges::find(trade::refusal_names, refused.substr(refusal_prefix.size()));
    if (known == trade::refusal_names.end()) return {};
    return trade::refusal_phrases[static_cast<std::size_t>(known - trade::refusal_names.begin())];
}

std::string_view last_part(std::string_view full_name) {
    const std::size_t last_dot = full_name.rfind('.');
    return last_dot == std::string_view::npos ? full_name : full_name.substr(last_dot + 1);
}

}  // namespace

std::string_view name(CauseKind kind) noexcept {
    switch (kind) {
        case flow:
            return "flow";
        case section:
            return "section";
        case drop:
            return "drop";
        case refusal:
            return "refusal";
        case fault:
            return "fault";
    }
    return "flow";
}

Cause cause_of(std::string_view full_name) noexcept {
    const std::string_view part = last_part(full_name);
    if (part.starts_with(refusal_prefix))
        return {.counter = part, .kind = refusal, .phrase = refusal_phrase(part)};
    const auto* known = std::ranges::find(causes, part, &Cause::counter);
    return known != causes.end() ? *known : Cause{.counter = part, .kind = flow, .phrase = {}};
}

}  // namespace tickpath::stats
