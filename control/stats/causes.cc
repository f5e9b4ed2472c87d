#include "control/stats/causes.h"

#include <algorithm>
#include <array>

namespace tickpath::stats {
namespace {

using enum CauseKind;

// One line per counter, by the last part of its name. The rooms that count are the authority on names; a
// counter that is not listed is printed by its name, never left out.
constexpr auto causes = std::to_array<Cause>({
    {"overflow", fault, "counters beyond the page's capacity, summed"},
});

std::string_view last_part(std::string_view full_name) {
    const std::size_t last_dot = full_name.rfind('.');
    return last_dot == std::string_view::npos ? full_name : full_name.substr(last_dot + 1);
}

}  // namespace

std::string_view name(CauseKind kind) noexcept {
    switch (kind) {
        case flow:
            return "flow";
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
    const auto* known = std::ranges::find(causes, part, &Cause::counter);
    return known != causes.end() ? *known : Cause{.counter = part, .kind = flow, .phrase = {}};
}

}  // namespace tickpath::stats
