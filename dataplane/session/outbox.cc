#include "dataplane/session/outbox.h"

#include <array>
#include <cstring>

#include "decoders/fix/tags.h"

namespace tickpath::session {
namespace tag = fix::tag;

namespace {

struct Reversal {
    std::uint32_t written;
    std::uint32_t received;
};
constexpr std::array<Reversal, 6> reversals = {
    {{tag::on_behalf_of_comp_id, tag::deliver_to_comp_id},
     {tag::on_behalf_of_sub_id, tag::deliver_to_sub_id},
     {tag::deliver_to_comp_id, tag::on_behalf_of_comp_id},
     {tag::deliver_to_sub_id, tag::on_behalf_of_sub_id},
     {tag::on_behalf_of_location_id, tag::deliver_to_location_id},
     {tag::deliver_to_location_id, tag::on_behalf_of_location_id}}};

}  // namespace

Outbox::Outbox(const SessionSettings& settings, core::SessionNumbers& numbers)
    : settings_(settings),
      numbers_(numbers),
      timestamps_(settings.time_precision),
      buffer_(settings.output_bytes) {}

fix::Writer& Outbox::begin(std::string_view msg_type, Now now, const fix::Message* route_of) noexcept {
    is_resend_ = false;
    write_header(msg_type, numbers_.next_outbound(), now, route_of);
    return writer_;
}

fix::Writer& Outbox::begin_resend(std::string_view msg_type, std::uint64_t number, Now now) noexcept {
    is_resend_ = true;
    write_header(msg_type, number, now, nullptr);
    return writer_;
}

bool Outbox::commit() noexcept {
    const std::size_t bytes = writer_.finish();
    if (bytes == 0) return false;
    if (!is_resend_) numbers_.set_next_outbound(numbers_.next_outbound() + 1);
    end_ += bytes;
    return true;
}

void Outbox::taken(std::size_t bytes) noexcept {
    start_ += bytes;
    if (start_ == end_) start_ = end_ = 0;
}

/// 8 9 35 34 49 52 56, then 43, the route and 122; or, but for the first three, ascending (§1.3).
void Outbox::write_header(std::string_view msg_type, std::uint64_t number, Now now,
                          const fix::Message* route_of) noexcept {
    if (start_ != 0) {  // a link that is slow left a rest; seldom
        std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
    }
    writer_.begin(std::span(buffer_).subspan(end_), settings_.begin_string, msg_type);
    writer_.number(tag::msg_seq_num, number);
    if (is_resend_ && settings_.ascending_fields) writer_.flag(tag::poss_dup_flag, true);
    writer_.text(tag::sender_comp_id, settings_.sender);
    writer_.timestamp(tag::sending_time, timestamps_, now.utc_ns);
    writer_.text(tag::target_comp_id, settings_.target);
    if (is_resend_ && !settings_.ascending_fields) writer_.flag(tag::poss_dup_flag, true);
    if (route_of != nullptr) write_route(*route_of);
    if (is_resend_) writer_.timestamp(tag::orig_sending_time, timestamps_, now.utc_ns);
}

void Outbox::write_route(const fix::Message& of) noexcept {
    for (const Reversal reversal : reversals)
        if (const auto value = of.text(reversal.received); value && !value->empty())
            writer_.text(reversal.written, *value);
}

}  // namespace tickpath::session
