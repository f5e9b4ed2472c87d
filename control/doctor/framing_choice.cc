#include "control/doctor/framing_choice.h"

#include <algorithm>
#include <utility>

namespace tickpath::doctor {
namespace {

constexpr double share_tie = 0.01;  // closer than this, bytes do not tell framings apart

double share_of(const Cut& cut, const Trial& trial) {
    std::uint64_t bytes = cut.bytes_lost;
    for (const CutDatagram& datagram : cut.datagrams)
        bytes += datagram.body.size();
    return bytes == 0 ? 0 : static_cast<double>(trial.bytes_whole) / static_cast<double>(bytes);
}

FramingTry try_framing(const Recording& recording, const std::shared_ptr<const fast::Templates>& templates,
                       Framing framing) {
    FramingTry result;
    result.framing = std::move(framing);
    result.cut = cut(recording, result.framing, templates);
    const auto consider = [&](Rule rule) {
        Trial trial = try_rule(templates, result.cut, result.framing, recording.groups.size(), rule);
        std::vector<std::uint32_t> candidates = reset_candidates(trial);
        const double share = share_of(result.cut, trial);
        if (share > result.share || result.trial.datagrams == 0) {
            result.share = share;
            result.trial = std::move(trial);
        }
        return candidates;
    };
    consider({fast::ResetRule::message, 0});
    consider({fast::ResetRule::datagram, 0});
    for (const std::uint32_t id : consider({fast::ResetRule::never, 0}))
        consider({fast::ResetRule::template_id, id});
    return result;
}

std::string why_not(const FramingTry& one) {
    if (one.cut.datagrams.empty()) return "no datagram can be cut this way";
    if (one.share >= share_min && one.cut.has_doubtful_numbers())
        return "its numbers rise in " + std::to_string(one.cut.numbers_rising) + " of " +
               std::to_string(one.cut.numbers_compared) + " steps only";
    std::string reason = one.trial.error_counts();
    if (one.cut.bytes_lost != 0)
        reason += (reason.empty() ? "" : ", ") + std::to_string(one.cut.bytes_lost) + " bytes in no datagram";
    return reason;
}

// What stands before datagrams and does not rise is no number; unless nothing else decodes at all.
bool is_better(const FramingTry& a, const FramingTry& b) {
    const bool a_doubtful = a.cut.has_doubtful_numbers();
    const bool b_doubtful = b.cut.has_doubtful_numbers();
    const bool good_one_decodes = (a_doubtful ? b : a).share >= share_min;
    if (a_doubtful != b_doubtful && good_one_decodes) return b_doubtful;
    return a.share > b.share;
}

}  // namespace

FramingChoice choose_framing(const Recording& recording,
                             const std::shared_ptr<const fast::Templates>& templates,
                             const std::vector<framing::FeedDescription>& feeds) {
    FramingChoice choice;
    for (Framing& framing : known_framings(feeds))
        choice.tries.push_back(try_framing(recording, templates, std::move(framing)));
    const auto best = std::max_element(choice.tries.begin(), choice.tries.end(),
                                       [](const auto& a, const auto& b) { return is_better(b, a); });
    choice.best = static_cast<std::size_t>(best - choice.tries.begin());
    choice.is_clear = true;
    if (best->share < share_min) best->reason = why_not(*best);
    for (FramingTry& other : choice.tries) {
        if (&other == &*best) continue;
        // Those that cut alike differ in what they forgive, not in values.
        const bool ties = other.share > best->share - share_tie && !other.framing.cuts_like(best->framing) &&
                          other.cut.has_doubtful_numbers() == best->cut.has_doubtful_numbers();
        choice.is_clear = choice.is_clear && !ties;
        other.reason = ties || other.share >= best->share ? "decodes as much" : why_not(other);
    }
    return choice;
}

}  // namespace tickpath::doctor
