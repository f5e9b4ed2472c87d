#include "control/doctor/rule_choice.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tickpath::doctor {
namespace {

constexpr std::int64_t number_weight =
    20;  // a series that makes sense under one rule and none under the other

std::vector<RuleTry> try_rules(const Recording& recording,
                               const std::shared_ptr<const fast::Templates>& templates,
                               const FramingTry& framing) {
    const auto tried = [&](Rule rule) {
        RuleTry result;
        result.trial = try_rule(templates, framing.cut, framing.framing, recording.groups.size(), rule);
        return result;
    };
    RuleTry never = tried({fast::ResetRule::never, 0});
    std::vector<RuleTry> tries;
    tries.push_back(tried({fast::ResetRule::message, 0}));
    tries.push_back(tried({fast::ResetRule::datagram, 0}));
    for (const std::uint32_t id : reset_candidates(never.trial))
        tries.push_back(tried({fast::ResetRule::template_id, id}));
    tries.push_back(std::move(never));
    return tries;
}

std::string why_it_failed(const Trial& trial) {
    std::string reason = "fails in " + std::to_string(trial.failed()) + " of " +
                         std::to_string(trial.datagrams) + " datagrams: " + trial.error_counts();
    if (trial.without_identifier != 0)
        reason += " (" + std::to_string(trial.without_identifier) + " rely on a remembered template)";
    return reason;
}

bool gives_same_values(const Trial& a, const Trial& b) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (a.values[i] != b.values[i] && a.values[i] != 0 && b.values[i] != 0) return false;
    return true;
}

// A recording may begin amid a stream, and then a few messages have no past to rely on.
void mark_failed(std::vector<RuleTry>& tries) {
    std::uint64_t fewest = tries.front().trial.failed();
    for (const RuleTry& one : tries)
        fewest = std::min(fewest, one.trial.failed());
    for (RuleTry& one : tries) {
        one.failed = one.trial.failed() > fewest + one.trial.datagrams / 100;
        if (one.failed) one.reason = why_it_failed(one.trial);
    }
}

using Class = std::vector<std::size_t>;  // rules that give the same values

std::vector<Class> classes_of(const std::vector<RuleTry>& tries) {
    std::vector<Class> classes;
    for (std::size_t i = 0; i < tries.size(); ++i) {
        if (tries[i].failed) continue;
        const auto same = std::find_if(classes.begin(), classes.end(), [&](const Class& one) {
            return gives_same_values(tries[one.front()].trial, tries[i].trial);
        });
        if (same == classes.end()) {
            classes.push_back({i});
        } else {
            same->push_back(i);
        }
    }
    return classes;
}

bool is_sound(std::uint64_t wrong, std::uint64_t all) {
    return all != 0 && wrong * 20 <= all;
}
bool is_unsound(std::uint64_t wrong, std::uint64_t all) {
    return all != 0 && wrong * 2 > all;
}

// Sequence numbers that jump and prices that leave their band, as observations for A (above 0) or B.
std::int64_t weigh_numbers(const Trial& a, const Trial& b) {
    std::int64_t weight = 0;
    const auto weigh = [&](std::uint64_t wrong_a, std::uint64_t all_a, std::uint64_t wrong_b,
                           std::uint64_t all_b) {
        if (is_sound(wrong_a, all_a) && is_unsound(wrong_b, all_b)) weight += number_weight;
        if (is_sound(wrong_b, all_b) && is_unsound(wrong_a, all_a)) weight -= number_weight;
    };
    weigh(a.number_jumps, a.numbers_compared, b.number_jumps, b.numbers_compared);
    weigh(a.prices_out_of_band(), a.prices.size(), b.prices_out_of_band(), b.prices.size());
    return weight;
}

class Judge {
public:
    Judge(const Recording& recording, const std::shared_ptr<const fast::Templates>& templates,
          const std::string& templates_xml, const FramingTry& framing, const std::vector<RuleTry>& tries)
        : recording_(recording),
          templates_(templates),
          with_initial_(fields_with_initial_value(templates_xml)),
          framing_(framing),
          tries_(tries) {}

    struct Comparison {
        std::int64_t weight = 0;  // for rule A
        ResetEvidence evidence;   // of the direction that says more
        std::string example;
    };
    // Each may reset where the other does not, so each is asked about its own resets.
    [[nodiscard]] const Comparison& compare(std::size_t a, std::size_t b) {
        const auto [known, is_new] = made_.try_emplace({a, b});
        if (is_new) known->second = make(a, b);
        return known->second;
    }

private:
    [[nodiscard]] Comparison make(std::size_t a, std::size_t b) const {
        const Trial& first = tries_[a].trial;
        const Trial& second = tries_[b].trial;
        const ResetEvidence forward = compare(first.rule, second.rule);
        const ResetEvidence backward = compare(second.rule, first.rule);
        const bool forward_says_more = std::abs(forward.weight()) >= std::abs(backward.weight());
        return {forward.weight() - backward.weight() + weigh_numbers(first, second),
                forward_says_more ? forward : backward, forward.example};
    }
    [[nodiscard]] ResetEvidence compare(Rule resetting, Rule remembering) const {
        return compare_rules(templates_, with_initial_, framing_.cut, recording_.groups.size(), resetting,
                             remembering);
    }

    const Recording& recording_;
    const std::shared_ptr<const fast::Templates>& templates_;
    std::set<std::string> with_initial_;
    const FramingTry& framing_;
    const std::vector<RuleTry>& tries_;
    std::map<std::pair<std::size_t, std::size_t>, Comparison> made_;
};

// Any rule of the class is right for the recording; the one that says most about the feed is named.
std::size_t to_name(const std::vector<RuleTry>& tries, const Class& found, bool is_one_datagram) {
    const auto by_datagram = is_one_datagram ? fast::ResetRule::message : fast::ResetRule::datagram;
    for (const fast::ResetRule wanted : {fast::ResetRule::template_id, by_datagram, fast::ResetRule::message})
        for (const std::size_t i : found)
            if (tries[i].trial.rule.rule == wanted) return i;
    return found.front();
}

void explain(RuleTry& beaten, const Judge::Comparison& comparison) {
    beaten.evidence = comparison.evidence;
    beaten.reason = "other values in " + std::to_string(beaten.evidence.datagrams_differing) + " of " +
                    std::to_string(beaten.trial.datagrams) + " datagrams; " + comparison.example;
}

// Returns the class that no other beats, and sets the weight of its closest comparison. `names` has one rule
// for each class.
std::size_t judge_classes(RuleChoice& choice, const std::vector<Class>& classes,
                          const std::vector<std::size_t>& names, Judge& judge) {
    std::size_t best = 0;
    for (std::size_t next = 1; next < classes.size(); ++next)
        if (judge.compare(names[best], names[next]).weight < 0) best = next;
    choice.weight = std::numeric_limits<std::int64_t>::max();
    for (std::size_t other = 0; other < classes.size(); ++other) {
        if (other == best) continue;
        const Judge::Comparison& comparison = judge.compare(names[best], names[other]);
        choice.weight = std::min(choice.weight, comparison.weight);
        for (const std::size_t i : classes[other])
            explain(choice.tries[i], comparison);
    }
    return best;
}

}  // namespace

std::vector<Rule> RuleChoice::same_rules() const {
    std::vector<Rule> rules;
    for (const RuleTry& one : tries)
        if (one.gives_found_values) rules.push_back(one.trial.rule);
    return rules;
}

RuleChoice choose_rule(const Recording& recording, const std::shared_ptr<const fast::Templates>& templates,
                       const std::string& templates_xml, const FramingTry& framing) {
    RuleChoice choice;
    choice.tries = try_rules(recording, templates, framing);
    mark_failed(choice.tries);
    const std::vector<Class> classes = classes_of(choice.tries);
    Judge judge(recording, templates, templates_xml, framing, choice.tries);
    choice.is_alone = classes.size() == 1;
    std::vector<std::size_t> names;
    for (const Class& one : classes)
        names.push_back(to_name(choice.tries, one, framing.cut.datagrams.size() < 2));
    const std::size_t found = judge_classes(choice, classes, names, judge);
    choice.best = names[found];
    choice.tries[choice.best].is_found = true;
    for (const std::size_t i : classes[found])
        choice.tries[i].gives_found_values = true;
    return choice;
}

}  // namespace tickpath::doctor
