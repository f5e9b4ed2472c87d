#include "control/latency/order_flow.h"

#include <algorithm>
#include <utility>

#include "decoders/fix/tags.h"

namespace tickpath::latency {
namespace {

constexpr std::uint32_t message_bytes_max = 64 * 1024;
constexpr std::uint32_t fields_max = 256;
// A capture that misses a segment shows none of it later: the bytes behind it are read when so many wait.
constexpr std::size_t held_bytes_max = 64 * 1024;
// A stream without a FIX message in so many bytes has none.
constexpr std::uint64_t foreign_bytes = 64 * 1024;
// A SYN so little before what was read is that of this connection, sent or captured late; others begin one.
constexpr std::uint32_t late_syn_bytes = 64 * 1024;
constexpr std::uint32_t security_id = 48;

std::string text_of(const fix::Message& message, std::uint32_t tag) {
    return std::string(message.text(tag).value_or(""));
}

Order order_of(const fix::Message& message, const Place& place) {
    return {.place = place,
            .sender = text_of(message, fix::tag::sender_comp_id),
            .cl_ord_id = text_of(message, fix::tag::cl_ord_id),
            .symbol = text_of(message, fix::tag::symbol),
            .security_id = text_of(message, security_id),
            .price = message.decimal(fix::tag::price),
            .key = std::nullopt};
}

}  // namespace

OrderFlow::OrderFlow() : reader_({.message_bytes_max = message_bytes_max, .fields_max = fields_max}) {}

void OrderFlow::on_segment(const net::TcpSegment& segment, const Place& place, std::vector<Order>& orders,
                           FlowCounts& counts) {
    if (segment.is_syn) {
        const std::uint32_t first = segment.sequence + 1;
        if (is_started_ && next_sequence_ - first < late_syn_bytes) return;
        finish(orders, counts);
        return restart(first);
    }
    if (segment.payload.empty() || is_foreign_) return;
    if (!is_started_) restart(segment.sequence);  // the capture began in the middle
    std::string_view bytes(reinterpret_cast<const char*>(segment.payload.data()), segment.payload.size());
    // Sequence numbers are modulo 2^32.
    const auto ahead = static_cast<std::int32_t>(segment.sequence - next_sequence_);
    if (ahead > 0) {
        ++counts.reordered;
        hold(end_ + static_cast<std::uint32_t>(ahead), bytes, place);
        if (held_bytes_ > held_bytes_max) skip_hole(counts);
    } else {
        const std::size_t known = std::size_t{0} - static_cast<std::size_t>(ahead);
        if (known != 0) ++counts.retransmitted;
        if (known >= bytes.size()) return;
        take(bytes.substr(known), place);
    }
    take_held();
    read_messages(orders, counts);
}

void OrderFlow::finish(std::vector<Order>& orders, FlowCounts& counts) {
    while (!held_.empty()) {
        skip_hole(counts);
        take_held();
        read_messages(orders, counts);
    }
}

void OrderFlow::restart(std::uint32_t sequence) {
    *this = OrderFlow();
    is_started_ = true;
    next_sequence_ = sequence;
}

/// Keeps of these bytes what is not held yet: those that are were seen first.
void OrderFlow::hold(std::uint64_t position, std::string_view bytes, const Place& place) {
    const auto pass = [&](std::uint64_t count) {
        count = std::min<std::uint64_t>(count, bytes.size());
        bytes.remove_prefix(static_cast<std::size_t>(count));
        position += count;
    };
    auto next = held_.upper_bound(position);
    if (next != held_.begin()) {
        const auto& [begin, held] = *std::prev(next);
        pass(begin + held.bytes.size() - std::min(begin + held.bytes.size(), position));
    }
    while (!bytes.empty()) {
        std::size_t fresh = bytes.size();
        if (next != held_.end()) fresh = std::min<std::size_t>(fresh, next->first - position);
        if (fresh != 0) held_.emplace_hint(next, position, Held{std::string(bytes.substr(0, fresh)), place});
        held_bytes_ += fresh;
        pass(fresh);
        if (next == held_.end()) return;
        pass(next->second.bytes.size());
        ++next;
    }
}

/// Bytes that follow `end_`. Those that are held already were seen first in the segment that is held.
void OrderFlow::take(std::string_view bytes, const Place& place) {
    while (!bytes.empty()) {
        std::size_t fresh = bytes.size();
        if (!held_.empty()) fresh = std::min<std::size_t>(fresh, held_.begin()->first - end_);
        append(bytes.substr(0, fresh), place);
        const std::uint64_t fresh_end = end_;
        take_held();
        bytes.remove_prefix(std::min<std::size_t>(bytes.size(), fresh + (end_ - fresh_end)));
    }
}

void OrderFlow::append(std::string_view bytes, const Place& place) {
    marks_.push_back({end_, place});
    unread_ += bytes;
    end_ += bytes.size();
    next_sequence_ += static_cast<std::uint32_t>(bytes.size());
}

void OrderFlow::take_held() {
    while (!held_.empty() && held_.begin()->first == end_) {
        const auto node = held_.extract(held_.begin());
        held_bytes_ -= node.mapped().bytes.size();
        append(node.mapped().bytes, node.mapped().place);
    }
}

/// Goes on behind the hole. The message that it tore apart is given up: its beginning is dropped here, its
/// end is garbled to the reader.
void OrderFlow::skip_hole(FlowCounts& counts) {
    ++counts.holes;
    next_sequence_ += static_cast<std::uint32_t>(held_.begin()->first - end_);
    end_ = begin_ = held_.begin()->first;
    unread_.clear();
    marks_.clear();
    reader_.reset();
}

void OrderFlow::read_messages(std::vector<Order>& orders, FlowCounts& counts) {
    std::size_t at = 0;
    while (at < unread_.size()) {
        const fix::ScanResult scan = reader_.read(std::span(unread_).subspan(at));
        if (scan.scan == fix::Scan::incomplete) break;
        if (scan.scan == fix::Scan::message) {
            has_message_ = true;
            const fix::Message& message = reader_.message();
            const bool is_order = message.msg_type() == "D";
            const bool is_resent =
                message.flag(fix::tag::poss_dup_flag) || message.flag(fix::tag::poss_resend);
            if (is_order && is_resent) ++counts.resent;
            if (is_order && !is_resent) orders.push_back(order_of(message, place_of(begin_ + at)));
        }
        if (scan.scan == fix::Scan::garbled && has_message_) ++counts.garbled;
        at += scan.scan == fix::Scan::overlong ? unread_.size() - at : scan.bytes;
    }
    consume(at);
    if (has_message_ || begin_ <= foreign_bytes) return;
    restart(next_sequence_);
    is_foreign_ = true;
}

void OrderFlow::consume(std::size_t bytes) {
    unread_.erase(0, bytes);
    begin_ += bytes;
    while (marks_.size() > 1 && marks_[1].position <= begin_)
        marks_.pop_front();
}

Place OrderFlow::place_of(std::uint64_t position) const {
    const auto behind = std::ranges::upper_bound(marks_, position, {}, &Mark::position);
    return std::prev(behind)->place;
}

}  // namespace tickpath::latency
