#include "control/doctor/reset_evidence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decoders/fast/definition.h"
#include "decoders/fast/template_reader.h"

namespace tickpath::doctor {
namespace {

using fast::Operator;

// What a delta field gave at its first uses behind a reset, under both rules.
struct DeltaSeries {
    std::vector<double> a;
    std::vector<double> b;
};

constexpr std::size_t series_min = 8;
constexpr double first_value_min = 1'000;  // small values and small differences look alike

// Fields of one name have one number: in some dictionaries they share an entry.
class NameNumbers {
public:
    std::size_t of(const fast::Field& field) {
        const auto [known, is_new] = by_field_.try_emplace(&field, 0);
        if (is_new) known->second = by_name_.try_emplace(field.name, by_name_.size()).first->second;
        return known->second;
    }

private:
    std::unordered_map<const fast::Field*, std::size_t> by_field_;
    std::map<std::string, std::size_t> by_name_;
};

// One group's stream under both rules.
class Side {
public:
    void forget_seen() { ++seen_round_; }
    void forget_values() {
        by_field_.clear();
        by_name_.clear();
    }
    /// True once behind each reset.
    bool is_first_use(std::size_t name) {
        if (name >= seen_.size()) seen_.resize(name + 1, 0);
        return std::exchange(seen_[name], seen_round_) != seen_round_;
    }

    /// What rule B remembers, where its entry is beyond doubt: entries are shared by name in some
    /// dictionaries and by template in others.
    [[nodiscard]] const Leaf* remembered(const fast::Field& field, std::size_t name) const {
        const auto own = by_field_.find(&field);
        const auto named = by_name_.find(name);
        if (own == by_field_.end() || named == by_name_.end()) return nullptr;
        return own->second.same_value(named->second) ? &own->second : nullptr;
    }
    void remember(const Leaf& leaf, std::size_t name) {
        by_field_[leaf.field] = leaf;
        by_name_[name] = leaf;
    }

    void forget(const fast::Field& field, std::size_t name) {
        by_field_.erase(&field);
        by_name_.erase(name);
    }

private:
    std::vector<std::uint64_t> seen_;  // by name: the round it was last seen in
    std::uint64_t seen_round_ = 1;
    std::unordered_map<const fast::Field*, Leaf> by_field_;
    std::unordered_map<std::size_t, Leaf> by_name_;
};

class Comparison {
public:
    Comparison(const std::set<std::string>& with_initial, Rule resetting, Rule remembering,
               std::size_t groups)
        : with_initial_(with_initial), resetting_(resetting), remembering_(remembering), sides_(groups) {}

    void add(fast::Decoder& a, fast::Decoder& b, const CutDatagram& datagram) {
        Side& side = sides_[datagram.group];
        a.begin(datagram.body, 0);
        b.begin(datagram.body, 0);
        if (resetting_.rule == fast::ResetRule::datagram) side.forget_seen();
        if (remembering_.rule == fast::ResetRule::datagram) side.forget_values();
        const std::uint64_t before = evidence_.values_differing;
        for (;;) {
            const bool has_a = a.next();
            const bool has_b = b.next();
            if (!has_a || !has_b) break;
            if (!look_at(side, a.message(), b.message(), datagram)) break;
        }
        evidence_.datagrams_differing += evidence_.values_differing != before ? 1 : 0;
        if (a.error() == Errc::ok && b.error() == Errc::ok) return;
        a.reset();
        b.reset();
        side.forget_seen();
        side.forget_values();
    }

    [[nodiscard]] ResetEvidence result() {
        for (const auto& [field, series] : deltas_)
            judge(series);
        return std::move(evidence_);
    }

private:
    // False when the two are no longer about the same message.
    bool look_at(Side& side, const fast::Message& a, const fast::Message& b, const CutDatagram& datagram) {
        if (a.template_id() != b.template_id() || a.end() != b.end()) return false;
        reset_sides(side, a);
        a_.clear();
        b_.clear();
        append_leaves(a.tmpl().fields(), a.root(), a_);
        append_leaves(b.tmpl().fields(), b.root(), b_);
        for (std::size_t i = 0; i < std::min(a_.size(), b_.size()) && a_[i].field == b_[i].field; ++i)
            look_at(side, a_[i], b_[i], datagram);
        return true;
    }

    void reset_sides(Side& side, const fast::Message& message) {
        const auto resets = [&](Rule rule) {
            return rule.rule == fast::ResetRule::message || message.tmpl().resets() ||
                   (rule.rule == fast::ResetRule::template_id && message.template_id() == rule.template_id);
        };
        if (resets(resetting_)) side.forget_seen();
        if (resets(remembering_)) side.forget_values();
    }

    void look_at(Side& side, const Leaf& a, const Leaf& b, const CutDatagram& datagram) {
        const fast::Field& field = *a.field;
        if (!a.same_value(b)) note_difference(a, b, datagram);
        const std::size_t name = names_.of(field);
        const bool is_first = side.is_first_use(name);
        if (is_first && !with_initial_.contains(field.name)) {
            if (field.op == Operator::copy || field.op == Operator::increment) count_repeat(side, name, a, b);
            const bool is_delta = field.op == Operator::delta ||
                                  (field.individual_operators && field.mantissa_op == Operator::delta);
            if (is_delta && a.is_number && a.present && b.present) collect(field, a, b);
        }
        note_memory(side, name, b);
    }

    // NULL empties an entry, but a delta's; default and constant have none.
    static void note_memory(Side& side, std::size_t name, const Leaf& b) {
        const Operator op = b.field->op;
        if (op == Operator::none || op == Operator::constant || op == Operator::default_) return;
        if (b.present) {
            side.remember(b, name);
        } else if (op != Operator::delta) {
            side.forget(*b.field, name);
        }
    }

    void note_difference(const Leaf& a, const Leaf& b, const CutDatagram& datagram) {
        ++evidence_.values_differing;
        // A value beside nothing says less than two values do.
        if (!evidence_.example.empty() && (is_example_good_ || !a.present || !b.present)) return;
        is_example_good_ = a.present && b.present;
        evidence_.example = datagram.place_text() + ": " + a.field->name + " is " + to_text(a) + " under " +
                            resetting_.name() + ", " + to_text(b) + " under " + remembering_.name();
    }

    void count_repeat(const Side& side, std::size_t name, const Leaf& a, const Leaf& b) {
        const Leaf* const before = side.remembered(*a.field, name);
        if (before == nullptr || !b.present) return;
        const bool counts = a.field->op == Operator::increment;
        const bool is_known = counts ? b.number == before->number + 1 : b.same_value(*before);
        if (!is_known) return;
        ++(a.same_value(b) ? evidence_.sent_again : evidence_.left_out);
    }

    void collect(const fast::Field& field, const Leaf& a, const Leaf& b) {
        DeltaSeries& series = deltas_[&field];
        series.a.push_back(std::abs(static_cast<double>(a.number)));
        series.b.push_back(std::abs(static_cast<double>(b.number)));
    }

    void judge(const DeltaSeries& series) {
        if (series.a.size() < series_min || series.a.front() < first_value_min) return;
        std::vector<double> sorted(series.a.begin() + 1, series.a.end());
        std::nth_element(sorted.begin(), sorted.begin() + std::ssize(sorted) / 2, sorted.end());
        const double typical = sorted[sorted.size() / 2] / series.a.front();
        const double most_a = *std::max_element(series.a.begin(), series.a.end());
        const double most_b = *std::max_element(series.b.begin(), series.b.end());
        if (typical >= 0.1 && most_b >= 4 * most_a) ++evidence_.fields_running_away;
        if (typical <= 0.02 && most_b <= 4 * series.a.front()) ++evidence_.fields_in_small_steps;
    }

    const std::set<std::string>& with_initial_;
    Rule resetting_;
    Rule remembering_;
    std::vector<Side> sides_;
    NameNumbers names_;
    std::map<const fast::Field*, DeltaSeries> deltas_;
    std::vector<Leaf> a_;
    std::vector<Leaf> b_;
    bool is_example_good_ = false;
    ResetEvidence evidence_;
};

void collect_initial(const std::vector<fast::FieldDefinition>& fields, std::set<std::string>& names) {
    for (const fast::FieldDefinition& field : fields) {
        if (field.op.initial || field.exponent.initial || field.mantissa.initial)
            names.insert(field.name.local);
        collect_initial(field.fields, names);
    }
}

}  // namespace

std::set<std::string> fields_with_initial_value(const std::string& xml) {
    Diagnostics findings;
    const fast::TemplateSource source = {xml, ""};
    std::set<std::string> names;
    for (const fast::TemplateDefinition& definition :
         fast::read_definitions(std::span(&source, 1), findings, {}))
        collect_initial(definition.fields, names);
    return names;
}

std::int64_t ResetEvidence::weight() const noexcept {
    constexpr std::uint64_t few = 5;            // so many repeats may be a sender's whim
    constexpr std::uint64_t field_weight = 20;  // a series of at least eight values, all of one kind
    std::int64_t weight = 0;
    if (sent_again >= few && sent_again * 10 >= left_out) weight += static_cast<std::int64_t>(sent_again);
    if (left_out >= 4 * few && sent_again * 50 <= left_out) weight -= static_cast<std::int64_t>(left_out);
    weight += static_cast<std::int64_t>(field_weight * fields_running_away);
    weight -= static_cast<std::int64_t>(field_weight * fields_in_small_steps);
    return weight;
}

ResetEvidence compare_rules(const std::shared_ptr<const fast::Templates>& templates,
                            const std::set<std::string>& with_initial, const Cut& cut, std::size_t groups,
                            Rule resetting, Rule remembering) {
    GroupDecoder decoder_a(templates, resetting, longest(cut));
    GroupDecoder decoder_b(templates, remembering, longest(cut));
    Comparison comparison(with_initial, resetting, remembering, groups);
    for (const CutDatagram& datagram : cut.datagrams)
        comparison.add(decoder_a.of(datagram.group), decoder_b.of(datagram.group), datagram);
    return comparison.result();
}

}  // namespace tickpath::doctor
