#include "control/cli/decode_pass.h"

#include <utility>

namespace tickpath::cli {

void DecodeTotals::add(const DecodeTotals& part) {
    messages += part.messages;
    errors += part.errors;
    frames_passed_over += part.frames_passed_over;
    for (std::size_t i = 0; i < reports.size(); ++i)
        reports[i] += part.reports[i];
    if (input_error.empty()) input_error = part.input_error;
}

std::optional<std::size_t> DecodePass::on_datagram(Bytes body, std::size_t tailroom_bytes,
                                                   const DatagramPlace& place, bool stops_after_one) {
    decoder_ = decoders_.find(place);
    if (decoder_ == nullptr) {
        on_framing_error(place, Errc::limit, 0, {});
        return std::nullopt;
    }
    decoder_->begin(body, tailroom_bytes);
    std::size_t consumed = 0;
    while (decoder_->next()) {
        const fast::Message& message = decoder_->message();
        consumed = message.end();
        show(place, message);
        if (after_message_) after_message_();
        if (stops_after_one && !is_reset(message)) return consumed;
    }
    if (decoder_->error() == Errc::ok) return consumed;
    const fast::DecodeError error = decoder_->error_place();
    std::string name(error.template_label);
    if (name.empty() && error.error == Errc::d9) name = std::to_string(error.template_id);
    fail(place, {error, name});
    return std::nullopt;
}

void DecodePass::on_framing_error(const DatagramPlace& place, Errc error, std::size_t offset,
                                  const std::string& template_text) {
    fast::DecodeError what;
    what.error = error;
    what.offset = static_cast<std::uint32_t>(offset);
    decoders_.on_loss(place);
    fail(place, {what, template_text});
}

void DecodePass::on_loss(const DatagramPlace& place) {
    decoders_.on_loss(place);
}

DecodeTotals DecodePass::take_totals() {
    return std::exchange(totals_, {});
}

void DecodePass::show(const DatagramPlace& place, const fast::Message& message) {
    ++totals_.messages;
    for (std::size_t i = 0; i < fast::report_count; ++i)
        totals_.reports[i] += message.reported(static_cast<fast::Report>(i)) ? 1 : 0;
    if (shows_ == Shows::occurrences) {
        output_.on_occurrence(message);
    } else {
        output_.on_message(place, message);
    }
}

void DecodePass::fail(const DatagramPlace& place, const DecodeFailure& failure) {
    ++totals_.errors;
    if (shows_ == Shows::messages) output_.on_error(place, failure);
}

bool DecodePass::is_reset(const fast::Message& message) const {
    const bool by_rule = settings_.decoder.reset == fast::ResetRule::template_id &&
                         message.template_id() == settings_.decoder.reset_template_id;
    return by_rule || message.tmpl().resets();
}

}  // namespace tickpath::cli
