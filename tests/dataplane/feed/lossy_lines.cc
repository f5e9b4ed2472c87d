#include "tests/dataplane/feed/lossy_lines.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "decoders/net/headers.h"
#include "tests/support/packet_builder.h"

namespace tickpath::test {
namespace {

constexpr std::uint64_t ms = 1'000'000;

using Random = std::mt19937_64;

/// A packet when the venue sends it.
struct Sent {
    const RecordedPacket* packet = nullptr;
    std::uint64_t time_ns = 0;
    std::uint32_t day = 0;
};

/// One day, or the first part of it and then the whole capture as another one.
std::vector<Sent> days_of(const std::vector<RecordedPacket>& packets, const Troubles& troubles) {
    std::vector<Sent> sent;
    const std::size_t first_day = troubles.restart == Restart::none
                                      ? packets.size()
                                      : packets.size() * troubles.first_day_per_mille / 1000;
    for (std::size_t i = 0; i < first_day; ++i)
        sent.push_back({&packets[i], packets[i].frame.time_ns, 0});
    if (troubles.restart == Restart::none) return sent;
    const std::uint64_t morning = sent.back().time_ns + troubles.night_ms * ms + ms;
    for (const RecordedPacket& packet : packets)
        sent.push_back({&packet, morning + (packet.frame.time_ns - packets.front().frame.time_ns), 1});
    return sent;
}

void put_stop_bit(Bytes& to, std::uint64_t value) {
    Bytes digits = {static_cast<std::byte>((value & 0x7Fu) | 0x80u)};
    while ((value >>= 7) != 0)
        digits.push_back(static_cast<std::byte>(value & 0x7Fu));
    to.insert(to.end(), digits.rbegin(), digits.rend());
}

/// Reset (120), then template 49: MsgSeqNum, SendingTime, NewSeqNo.
TestFrame sequence_reset(std::uint32_t group, std::uint16_t port, std::uint64_t number, std::uint64_t next) {
    Bytes payload = {std::byte{0xC0}, std::byte{0xF8}, std::byte{0xC0}, std::byte{0xB1}};
    put_stop_bit(payload, number);
    put_stop_bit(payload, 20130802000000000u);
    put_stop_bit(payload, next);
    return {build_frame({.address = group, .port = port, .payload = payload}), 0, 0};
}

/// The same packet sent a day later. Every template of the venue begins with MsgSeqNum and SendingTime, as
/// YYYYMMDDhhmmssmmm, behind reset, map and template id.
TestFrame a_day_later(const TestFrame& frame) {
    const net::UdpView udp = net::parse_udp(frame.bytes).udp;
    std::size_t at = 4;
    const auto take = [&] {
        std::uint64_t value = 0;
        for (bool is_last = false; !is_last; ++at) {
            value = value << 7 | (std::to_integer<std::uint64_t>(udp.payload[at]) & 0x7Fu);
            is_last = (std::to_integer<unsigned>(udp.payload[at]) & 0x80u) != 0;
        }
        return value;
    };
    (void)take();
    Bytes payload(udp.payload.begin(), udp.payload.begin() + static_cast<std::ptrdiff_t>(at));
    put_stop_bit(payload, take() + 1'000'000'000);
    payload.insert(payload.end(), udp.payload.begin() + static_cast<std::ptrdiff_t>(at), udp.payload.end());
    return {
        build_frame({.address = udp.group.address, .port = udp.group.port, .payload = std::move(payload)}),
        frame.time_ns, frame.number};
}

/// Numbers of the day that neither line delivers.
std::set<std::pair<std::uint32_t, std::uint64_t>> lost_on_both(const std::vector<Sent>& sent,
                                                               const Troubles& troubles, Random& random) {
    std::set<std::pair<std::uint32_t, std::uint64_t>> lost;
    for (std::uint32_t burst = 0; burst < troubles.bursts; ++burst) {
        const Sent& at = sent[random() % sent.size()];
        if (at.packet->line == LineOf::snapshot) continue;
        for (std::uint64_t left = 1 + random() % troubles.burst_packets_max; left != 0; --left)
            lost.insert({at.day, at.packet->number + left});
    }
    return lost;
}

class Lines {
public:
    Lines(const std::vector<Sent>& sent, const Troubles& troubles, std::uint64_t seed)
        : sent_(sent), troubles_(troubles), random_(seed), lost_(lost_on_both(sent, troubles, random_)) {
        const std::uint64_t begin = sent.front().time_ns;
        const std::uint64_t third = (sent.back().time_ns - begin) / 3;
        silent_from_ = begin + random_() % (2 * third + 1);
        silent_to_ = silent_from_ + third;
    }

    std::vector<ArrivingFrame> arriving() {
        std::uint32_t day = 0;
        for (const Sent& sent : sent_) {
            if (sent.day != day && troubles_.restart == Restart::announced) announce(sent.time_ns);
            day = sent.day;
            carry(sent);
        }
        std::ranges::stable_sort(arriving_, {}, [](const ArrivingFrame& from) { return from.frame.time_ns; });
        tell_what_the_venue_did();
        return std::move(arriving_);
    }

private:
    [[nodiscard]] bool happens(std::uint32_t per_mille) { return random_() % 1000 < per_mille; }

    [[nodiscard]] bool is_lost(const Sent& sent) {
        const LineOf line = sent.packet->line;
        if (line != LineOf::snapshot && lost_.contains({sent.day, sent.packet->number})) return true;
        if (troubles_.silent == line && sent.time_ns >= silent_from_ && sent.time_ns < silent_to_)
            return true;
        return happens(line == LineOf::a   ? troubles_.loss_a
                       : line == LineOf::b ? troubles_.loss_b
                                           : troubles_.loss_snapshot);
    }

    void carry(const Sent& sent) {
        if (is_lost(sent)) return;
        const std::uint32_t copies = happens(troubles_.doubled) ? 2 : 1;
        for (std::uint32_t copy = 0; copy < copies; ++copy) {
            ArrivingFrame frame{.frame = sent.day == 0 ? sent.packet->frame : a_day_later(sent.packet->frame),
                                .day = sent.day};
            frame.frame.time_ns = sent.time_ns + delay_ns(sent.packet->line);
            arriving_.push_back(std::move(frame));
        }
    }
    [[nodiscard]] std::uint64_t delay_ns(LineOf line) {
        std::uint64_t delay = troubles_.jitter_ms == 0 ? 0 : random_() % (troubles_.jitter_ms * ms);
        if (line == LineOf::b) delay += 20'000 + troubles_.lag_b_ms * ms;
        if (line == LineOf::snapshot) delay += troubles_.lag_snapshot_ms * ms;
        return delay;
    }

    /// Right before the first packet of the second day, with the number that follows the first day's last.
    void announce(std::uint64_t time_ns) {
        std::uint64_t last = 0, first = ~std::uint64_t{0};
        for (const Sent& sent : sent_) {
            if (sent.packet->line == LineOf::snapshot) continue;
            if (sent.day == 0) last = std::max(last, sent.packet->number);
            if (sent.day == 1) first = std::min(first, sent.packet->number);
        }
        for (const auto& [group, port] : {std::pair<std::uint32_t, std::uint16_t>{0xEFC0'4603, 40003},
                                          std::pair<std::uint32_t, std::uint16_t>{0xEFC0'AF03, 41003}}) {
            ArrivingFrame frame{.frame = sequence_reset(group, port, last + 1, first), .day = 1};
            frame.frame.time_ns = time_ns;
            arriving_.push_back(std::move(frame));
        }
    }

    void tell_what_the_venue_did() {
        std::size_t next = 0;
        std::uint32_t day = 0;
        std::uint64_t highest = 0;
        for (std::size_t i = 0; i < arriving_.size(); ++i) {
            ArrivingFrame& frame = arriving_[i];
            frame.frame.number = i;
            for (; next < sent_.size() && sent_[next].time_ns <= frame.frame.time_ns; ++next) {
                if (sent_[next].day != day) highest = 0;
                day = sent_[next].day;
                if (sent_[next].packet->line != LineOf::snapshot)
                    highest = std::max(highest, sent_[next].packet->number);
            }
            frame.day_now = day;
            frame.venue_sent = highest;
        }
    }

    const std::vector<Sent>& sent_;
    const Troubles& troubles_;
    Random random_;
    std::set<std::pair<std::uint32_t, std::uint64_t>> lost_;
    std::uint64_t silent_from_ = 0, silent_to_ = 0;
    std::vector<ArrivingFrame> arriving_;
};

}  // namespace

Troubles Troubles::of(std::uint64_t seed) {
    Random random(seed * 0x9E37'79B9'7F4A'7C15u);
    const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
        return *(values.begin() + random() % values.size());
    };
    Troubles troubles;
    troubles.loss_a = one_of({0, 1, 10, 50, 200});
    troubles.loss_b = one_of({0, 1, 10, 50, 200, 1000});
    troubles.loss_snapshot = one_of({0, 0, 10, 100});
    troubles.doubled = one_of({0, 10, 100});
    troubles.bursts = one_of({0, 1, 5, 20});
    troubles.burst_packets_max = one_of({1, 5, 40, 400});
    troubles.jitter_ms = one_of({0, 0, 1, 5, 50});
    troubles.lag_b_ms = one_of({0, 0, 1, 20, 500});
    troubles.lag_snapshot_ms = one_of({0, 0, 100, 1000, 5000});
    if (random() % 4 == 0) troubles.silent = static_cast<LineOf>(random() % 3);
    troubles.restart = static_cast<Restart>(one_of({0, 0, 1, 2}));
    // Numbers that go back by less than `restart_backward` and without a word are told from a line that
    // reorders by a long run alone (sequencer.h): not of this test.
    troubles.first_day_per_mille =
        troubles.restart == Restart::announced ? one_of({30, 200, 500, 1000}) : one_of({250, 500, 1000});
    // Nor is a night that nobody was awake for: both lines dead, and back at numbers that fit.
    if (troubles.restart != Restart::none && troubles.loss_b == 1000) troubles.silent.reset();
    // Nor packets that the next day's overtake on their own line: their numbers may fit the new ones, and the
    // sequencer has nothing else to tell them by.
    troubles.night_ms = std::max(one_of({0, 100, 30'000, 36'000'000}), troubles.jitter_ms);
    return troubles;
}

std::string Troubles::text() const {
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    return "loss A " + number(loss_a) + " B " + number(loss_b) + " snapshot " + number(loss_snapshot) +
           ", doubled " + number(doubled) + ", bursts " + number(bursts) + " of up to " +
           number(burst_packets_max) + ", jitter " + number(jitter_ms) + " ms, lag B " + number(lag_b_ms) +
           " snapshot " + number(lag_snapshot_ms) + " ms, silent " +
           (silent ? number(static_cast<std::uint64_t>(*silent)) : "none") + ", restart " +
           number(static_cast<std::uint64_t>(restart)) + " after " + number(first_day_per_mille) +
           " per mille, night " + number(night_ms) + " ms";
}

std::vector<ArrivingFrame> through_troubles(const std::vector<RecordedPacket>& packets,
                                            const Troubles& troubles, std::uint64_t seed) {
    const std::vector<Sent> sent = days_of(packets, troubles);
    return Lines(sent, troubles, seed).arriving();
}

}  // namespace tickpath::test
