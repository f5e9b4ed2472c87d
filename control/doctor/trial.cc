#include "control/doctor/trial.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace tickpath::doctor {
namespace {

constexpr double price_band = 1'000;             // no market moves that far within a recording
constexpr std::size_t scratch_bytes = 1u << 22;  // a file without framing is one datagram

bool is_number_field(const fast::Field& field) {
    return field.id == "34" || field.name == "MsgSeqNum";
}

bool is_price_field(const fast::Field& field) {
    return field.id == "270" || field.id == "44" || field.id == "31" || field.name.ends_with("Px");
}

fast::DecoderOptions options_for(Rule rule, std::size_t datagram_bytes_max) {
    fast::DecoderOptions options;
    options.reset = rule.rule;
    options.reset_template_id = rule.template_id;
    options.limits.datagram_bytes_max =
        std::max(options.limits.datagram_bytes_max, static_cast<std::uint32_t>(datagram_bytes_max));
    options.limits.scratch_bytes_max = scratch_bytes;
    return options;
}

class RuleTrial {
public:
    RuleTrial(const Framing& framing, std::size_t groups, Trial& trial)
        : framing_(framing), trial_(trial), last_number_(groups) {}

    void add(fast::Decoder& decoder, const CutDatagram& datagram) {
        ++trial_.datagrams;
        std::uint64_t values = 1;
        std::size_t end = 0;
        unsigned messages = 0;
        decoder.begin(datagram.body, 0);
        while (decoder.next()) {
            const fast::Message& message = decoder.message();
            if (!message.tmpl().fields().empty() && ++messages == 2 && framing_.is_one_message) break;
            end = message.end();
            values = look_at(message, datagram.group, values);
        }
        trial_.datagrams_of_many += messages > 1 ? 1 : 0;
        trial_.values.push_back(decoder.error() == Errc::ok ? values : 0);
        if (decoder.error() != Errc::ok) return fail(decoder, datagram, end);
        if (end == datagram.body.size() || framing_.ignores_trailing) {
            ++trial_.whole;
            trial_.bytes_whole += datagram.body.size();
        } else {
            note(Errc::trailing, datagram, end);
        }
    }

private:
    std::uint64_t look_at(const fast::Message& message, std::uint32_t group, std::uint64_t values) {
        ++trial_.messages;
        for (std::size_t i = 0; i < fast::report_count; ++i)
            trial_.reports[i] += message.reported(static_cast<fast::Report>(i)) ? 1 : 0;
        if (message.tmpl().fields().empty()) ++trial_.bare_templates[message.template_id()];
        leaves_.clear();
        append_leaves(message.tmpl().fields(), message.root(), leaves_);
        for (const Leaf& leaf : leaves_) {
            if (!leaf.present || !leaf.is_number) continue;
            if (is_number_field(*leaf.field)) count_number(leaf.number, last_number_[group]);
            if (is_price_field(*leaf.field) && leaf.number != 0)
                trial_.prices.push_back(
                    std::abs(static_cast<double>(leaf.number) * std::pow(10, leaf.exponent)));
        }
        return hash_of(leaves_, values + message.template_id());
    }

    void count_number(std::int64_t number, std::optional<std::int64_t>& last) {
        if (last) {
            const auto step = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(*last);
            ++trial_.numbers_compared;
            trial_.number_jumps += step > 1 ? 1 : 0;
        }
        last = number;
    }

    void fail(fast::Decoder& decoder, const CutDatagram& datagram, std::size_t end) {
        const fast::DecodeError place = decoder.error_place();
        if (place.error == Errc::d5 && place.field == "template identifier") ++trial_.without_identifier;
        if (place.error == Errc::d9) ++trial_.unknown_templates[place.template_id];
        note(place.error, datagram, place.offset);
        if (trial_.datagrams == 1) trial_.bytes_whole = end;
        decoder.reset();
    }

    void note(Errc error, const CutDatagram& datagram, std::size_t offset) {
        ++trial_.errors[error];
        if (!trial_.first_error.empty()) return;
        trial_.first_error = datagram.place_text() + ", byte " + std::to_string(offset) + ": " +
                             std::string(code(error)) + ", " + std::string(describe(error));
    }

    const Framing& framing_;
    Trial& trial_;
    std::vector<std::optional<std::int64_t>> last_number_;
    std::vector<Leaf> leaves_;
};

}  // namespace

std::string Rule::name() const {
    switch (rule) {
        case fast::ResetRule::message:
            return "message";
        case fast::ResetRule::datagram:
            return "datagram";
        case fast::ResetRule::never:
            return "never";
        case fast::ResetRule::template_id:
            return "template:" + std::to_string(template_id);
    }
    return "never";
}

std::uint64_t Trial::prices_out_of_band() const {
    if (prices.empty()) return 0;
    std::vector<double> sorted = prices;
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double median = *middle;
    return static_cast<std::uint64_t>(std::count_if(prices.begin(), prices.end(), [&](double price) {
        return price > median * price_band || price * price_band < median;
    }));
}

std::string Trial::error_counts() const {
    std::vector<std::pair<std::uint64_t, Errc>> counts;
    for (const auto& [error, count] : errors)
        counts.emplace_back(count, error);
    std::sort(counts.rbegin(), counts.rend());
    std::string text;
    for (const auto& [count, error] : counts)
        text += (text.empty() ? "" : ", ") + std::string(code(error)) + " in " + std::to_string(count);
    return text;
}

GroupDecoder::GroupDecoder(const std::shared_ptr<const fast::Templates>& templates, Rule rule,
                           std::size_t datagram_bytes_max)
    : decoder_(templates, options_for(rule, datagram_bytes_max)) {}

fast::Decoder& GroupDecoder::of(std::uint32_t group) {
    if (group != group_) decoder_.reset();
    group_ = group;
    return decoder_;
}

std::size_t longest(const Cut& cut) {
    std::size_t bytes = 0;
    for (const CutDatagram& datagram : cut.datagrams)
        bytes = std::max(bytes, datagram.body.size());
    return bytes;
}

Trial try_rule(const std::shared_ptr<const fast::Templates>& templates, const Cut& cut,
               const Framing& framing, std::size_t groups, Rule rule) {
    Trial trial;
    trial.rule = rule;
    trial.values.reserve(cut.datagrams.size());
    GroupDecoder decoder(templates, rule, longest(cut));
    RuleTrial run(framing, groups, trial);
    for (const CutDatagram& datagram : cut.datagrams)
        run.add(decoder.of(datagram.group), datagram);
    return trial;
}

std::vector<std::uint32_t> reset_candidates(const Trial& never) {
    std::vector<std::uint32_t> ids;
    for (const auto& [id, count] : never.bare_templates)
        ids.push_back(id);
    for (const auto& [id, count] : never.unknown_templates)
        if (count * 2 >= never.failed()) ids.push_back(id);
    return ids;
}

}  // namespace tickpath::doctor
