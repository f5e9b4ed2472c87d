#include "dataplane/trade/order_id.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tickpath::trade {
namespace {

std::string text_of(const OrderId& id) {
    const model::ClOrdId text = encode(id);
    return {text.data(), text.size()};
}

TEST(OrderId, NamesLinePacketMessageEntryAndCounter) {
    EXPECT_EQ(
        text_of({.line = 1, .packet_sequence = 482727, .message_index = 2, .entry_index = 9, .counter = 33}),
        "01"
        "00075DA7"
        "02"
        "09"
        "000011");
}

TEST(OrderId, HoldsTheLargestOfEverything) {
    const OrderId largest{0xFF, 0xFFFF'FFFF, 0xFF, 0xFF, order_counter_max};
    EXPECT_EQ(text_of(largest), "FFFFFFFFFFFFFFVVVVVV");
    EXPECT_EQ(decode_order_id("FFFFFFFFFFFFFFVVVVVV"), largest);
}

TEST(OrderId, ComesBackFromItsText) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t bits = random();
        const OrderId id{.line = static_cast<std::uint8_t>(bits),
                         .packet_sequence = static_cast<std::uint32_t>(bits >> 8),
                         .message_index = static_cast<std::uint8_t>(bits >> 40),
                         .entry_index = static_cast<std::uint8_t>(bits >> 48),
                         .counter = static_cast<std::uint32_t>(random()) & order_counter_max};
        ASSERT_EQ(decode_order_id(text_of(id)), id);
    }
}

TEST(OrderId, RefusesTextThatItDidNotWrite) {
    const std::string good = text_of({1, 2, 3, 4, 5});
    ASSERT_TRUE(decode_order_id(good));
    EXPECT_FALSE(decode_order_id(""));
    EXPECT_FALSE(decode_order_id(good.substr(1)));
    EXPECT_FALSE(decode_order_id(good + "0"));
    EXPECT_FALSE(decode_order_id("0100075da70209000011")) << "small letters";
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = i < 14 ? 'G' : 'W';  // the first letter beyond the digits of its part
        EXPECT_FALSE(decode_order_id(bad)) << bad;
        bad[i] = ' ';
        EXPECT_FALSE(decode_order_id(bad)) << bad;
    }
}

}  // namespace
}  // namespace tickpath::trade
