#include "bench/path/market.h"

#include <algorithm>
#include <string>

#include "decoders/base/bytes.h"
#include "tests/support/packet_builder.h"

namespace tickpath::bench {
namespace {

constexpr std::uint32_t template_id = 401;
constexpr std::uint32_t first_security_id = 35'001;
constexpr std::int64_t base_bid =
    Market::quiet_below;  // 5 % wide bands and a limit of 22000.00 hold around it
constexpr std::int64_t quiet_bid = base_bid - 1'000;
constexpr std::size_t slot_bytes = 2'176;  // as DPDK's default mbuf: 128 bytes of headroom and 2 KiB
constexpr std::size_t headroom_bytes = 128;

/// FAST primitives, as far as this template needs them (FAST 1.1 §10.6).
class FastWriter {
public:
    explicit FastWriter(test::Bytes& to) : to_(to) {}

    void byte(unsigned value) { to_.push_back(static_cast<std::byte>(value)); }
    void text(char only) { byte(static_cast<unsigned char>(only) | 0x80u); }
    void number(std::uint64_t value) {
        std::size_t septets = 1;
        while (septets < 9 && (value >> (7 * septets)) != 0)
            ++septets;
        put(value, septets);
    }
    void signed_number(std::int64_t value) {
        std::size_t septets = 1;
        while (septets < 9 && (value >> (7 * septets - 1)) != (value < 0 ? -1 : 0))
            ++septets;
        put(static_cast<std::uint64_t>(value), septets);
    }
    void nullable(std::uint64_t value) { number(value + 1); }
    void signed_nullable(std::int64_t value) { signed_number(value < 0 ? value : value + 1); }

private:
    void put(std::uint64_t value, std::size_t septets) {
        for (std::size_t i = septets; i-- > 0;)
            byte(static_cast<unsigned>((value >> (7 * i)) & 0x7Fu) | (i == 0 ? 0x80u : 0u));
    }
    test::Bytes& to_;
};

}  // namespace

Market::Market() {
    slots_.resize(batch_max * slot_bytes);
    frames_.reserve(batch_max);
    bid_.fill(base_bid);
}

std::vector<model::Instrument> Market::instruments() {
    std::vector<model::Instrument> known(known_count);
    for (std::uint32_t i = 0; i < known_count; ++i) {
        const std::string key = std::to_string(first_security_id + i);
        const std::string symbol = "FUT-" + std::to_string(i) + "-12.26";
        std::copy(key.begin(), key.end(), known[i].feed_key.begin());
        std::copy(symbol.begin(), symbol.end(), known[i].fix_symbol.begin());
        known[i].id = i;
        known[i].price_places = 2;
        known[i].is_known = true;
    }
    return known;
}

void Market::make_books() {
    fill_books(base_bid);
}

void Market::make_quiet_books() {
    fill_books(quiet_bid);
}

void Market::fill_books(std::int64_t least_bid) {
    start_batch();
    for (std::uint32_t i = 0; i < known_count + other_count; ++i)
        add_packet(whole_book(i, 0, least_bid));
    expected_.clear();
}

void Market::make_subscribed(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n) {
        const auto instrument = static_cast<std::uint32_t>(random_() % known_count);
        const Entries packet = whole_book(instrument, 1, base_bid);
        add_packet(packet);
        expected_.push_back({.packet_sequence = packet_sequence_,
                             .entry_index = entries - 1,
                             .instrument = instrument,
                             .price = packet[0].price,
                             .quantity = std::min(packet[0].quantity, order_quantity_max)});
    }
}

void Market::make_quiet(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n)
        add_packet(whole_book(static_cast<std::uint32_t>(random_() % known_count), 1, quiet_bid));
}

void Market::make_noisy(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n)
        add_noisy(static_cast<std::uint8_t>(random_() % entries));
}

void Market::make_leading(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n)
        add_noisy(0);
}

void Market::add_noisy(std::uint8_t place) {
    const auto instrument = static_cast<std::uint32_t>(random_() % known_count);
    Entries packet;
    for (Entry& entry : packet)
        entry = {.type = random_() % 2 == 0 ? '0' : '1',
                 .instrument = known_count + static_cast<std::uint32_t>(random_() % other_count),
                 .price = base_bid + static_cast<std::int64_t>(random_() % 100),
                 .quantity = quantity(),
                 .level = 1 + static_cast<std::uint32_t>(random_() % 5)};
    packet[place] = {.type = '0',
                     .instrument = instrument,
                     .price = next_bid(instrument, base_bid),
                     .quantity = quantity()};
    add_packet(packet);
    expected_.push_back({.packet_sequence = packet_sequence_,
                         .entry_index = place,
                         .instrument = instrument,
                         .price = packet[place].price,
                         .quantity = std::min(packet[place].quantity, order_quantity_max)});
}

// Bid and ask in turn, levels from the best.
Market::Entries Market::whole_book(std::uint32_t instrument, std::uint32_t action, std::int64_t least_bid) {
    const std::int64_t bid = next_bid(instrument, least_bid);
    Entries packet;
    for (std::uint32_t i = 0; i < entries; ++i) {
        const bool is_bid = i % 2 == 0;
        const auto depth = static_cast<std::int64_t>(i / 2);
        packet[i] = {.action = action,
                     .type = is_bid ? '0' : '1',
                     .instrument = instrument,
                     .price = is_bid ? bid - 5 * depth : bid + 1'000 + 5 * depth,
                     .quantity = quantity(),
                     .level = i / 2 + 1};
    }
    return packet;
}

/// Never the price before: each is a change that hit-quote acts on.
std::int64_t Market::next_bid(std::uint32_t instrument, std::int64_t least) {
    std::int64_t bid = bid_[instrument];
    while (bid == bid_[instrument])
        bid = least + 5 * static_cast<std::int64_t>(random_() % 100);
    return bid_[instrument] = bid;
}

void Market::start_batch() {
    frames_.clear();
    expected_.clear();
}

void Market::add_packet(const Entries& packet) {
    test::Bytes payload(4);
    store_little(payload.data(), ++packet_sequence_);
    FastWriter fast(payload);
    fast.byte(0xF0);  // presence map: template id, MsgSeqNum, SendingTime
    fast.number(template_id);
    fast.number(packet_sequence_);
    fast.number(20'261'130'091'500'000u + packet_sequence_);
    fast.number(entries);
    for (const Entry& entry : packet) {
        fast.byte(0xFC);  // all five fields with a bit
        fast.number(entry.action);
        fast.text(entry.type);
        fast.number(first_security_id + entry.instrument);
        fast.number(++instrument_sequence_[entry.instrument]);
        fast.signed_nullable(-2);
        fast.signed_number(entry.price);
        fast.signed_nullable(entry.quantity);
        fast.nullable(entry.level);
    }
    const test::Bytes frame =
        test::build_frame({.address = 0xEFC0'1E01, .port = 30'001, .payload = std::move(payload)});
    std::byte* const slot = slots_.data() + frames_.size() * slot_bytes + headroom_bytes;
    std::copy(frame.begin(), frame.end(), slot);
    frames_.push_back(
        {.data = slot,
         .size_bytes = static_cast<std::uint32_t>(frame.size()),
         .tailroom_bytes = static_cast<std::uint32_t>(slot_bytes - headroom_bytes - frame.size()),
         .frame_number = packet_sequence_ - 1});
}

}  // namespace tickpath::bench
