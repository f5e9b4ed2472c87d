#include "bench/path/nse_market.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "control/capture/udp_frame.h"

namespace tickpath::bench {
namespace {

constexpr std::int64_t base_bid = 2'245'050;  // as Market's: the strategy's limit and the price band fit
constexpr std::size_t slot_bytes = 1'152;     // 128 bytes of headroom, and room for the longest frame
constexpr std::size_t headroom_bytes = 128;
constexpr net::MulticastGroup group{0xE901'0205, 34'331};  // 233.1.2.5: the preset's

}  // namespace

NseMarket::NseMarket(std::uint32_t token_count, std::uint64_t seed)
    : token_count_(token_count),
      traffic_({.first_token = first_token,
                .token_count = token_count,
                .datagrams_per_second = 50'000,
                .seed = seed,
                .has_other_messages = false,
                .base_bid = base_bid},
               diagnostics_),
      random_(seed) {
    if (diagnostics_.has_errors()) {
        std::fputs(diagnostics_.format().c_str(), stderr);
        std::exit(1);
    }
    const std::size_t slots = std::max<std::size_t>(batch_max, token_count / 2 + 1);
    slots_.resize(slots * slot_bytes);
    frames_.reserve(slots);
    blocks_.reserve(slots);
}

std::vector<model::Instrument> NseMarket::instruments() {
    std::vector<model::Instrument> known = Market::instruments();
    for (std::uint32_t i = 0; i < known.size(); ++i) {
        const std::string key = "fo|" + std::to_string(first_token + i);
        known[i].feed_key = {};
        std::copy(key.begin(), key.end(), known[i].feed_key.begin());
    }
    return known;
}

void NseMarket::make_books() {
    start_batch();
    for (std::uint32_t i = 0; i + 1 < token_count_; i += 2)
        add_packet(first_token + i, first_token + i + 1);
}

void NseMarket::make_subscribed(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n) {
        const auto instrument = static_cast<std::uint32_t>(random_() % known_count);
        const bool is_second = random_() % 2 != 0;
        const std::uint32_t token = first_token + instrument;
        const std::uint32_t other = other_token();
        add_packet(is_second ? other : token, is_second ? token : other);
        const capture::NseQuote bid = traffic_.best_bid(token);
        expected_.push_back({.packet_sequence = static_cast<std::uint32_t>(frame_number_),
                             .entry_index = static_cast<std::uint8_t>(is_second),
                             .instrument = instrument,
                             .price = bid.price,
                             .quantity = std::min(bid.quantity, Market::order_quantity_max)});
    }
}

void NseMarket::make_others(std::size_t count) {
    start_batch();
    for (std::size_t n = 0; n < count; ++n)
        add_packet(other_token(), other_token());
}

std::uint32_t NseMarket::other_token() {
    return first_token + known_count + static_cast<std::uint32_t>(random_() % (token_count_ - known_count));
}

void NseMarket::start_batch() {
    frames_.clear();
    blocks_.clear();
    expected_.clear();
}

void NseMarket::add_packet(std::uint32_t first, std::uint32_t second) {
    const std::array<std::uint32_t, 2> tokens = {first, second};
    const std::vector<std::byte> frame = capture::udp_frame(group, traffic_.books_of(tokens));
    const std::size_t block_bytes = traffic_.newest_block().size();
    std::byte* const slot = slots_.data() + frames_.size() * slot_bytes + headroom_bytes;
    std::copy(frame.begin(), frame.end(), slot);
    frames_.push_back(
        {.data = slot,
         .size_bytes = static_cast<std::uint32_t>(frame.size()),
         .tailroom_bytes = static_cast<std::uint32_t>(slot_bytes - headroom_bytes - frame.size()),
         .frame_number = frame_number_++});
    constexpr std::size_t block_at = 14 + 20 + 8 + 4 + 2;  // Ethernet, IPv4, UDP, datagram header, length
    blocks_.emplace_back(slot + block_at, block_bytes);
}

}  // namespace tickpath::bench
