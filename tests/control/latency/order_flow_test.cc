#include "control/latency/order_flow.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/test_level.h"

namespace tickpath::latency {
namespace {

constexpr std::uint32_t first_sequence = 0xFFFF'FF00u;  // wraps after 256 bytes

std::string fix_message(std::string_view type, std::string_view fields) {
    const std::string body = "35=" + std::string(type) +
                             "\x01"
                             "34=1\x01"
                             "49=ME\x01" +
                             std::string(fields);
    std::string text =
        "8=FIX.4.4\x01"
        "9=" +
        std::to_string(body.size()) + "\x01" + body;
    unsigned sum = 0;
    for (const char c : text)
        sum += static_cast<unsigned char>(c);
    const std::string digits = std::to_string(1'000 + sum % 256).substr(1);
    return text + "10=" + digits + "\x01";
}

std::string new_order(int number) {
    return fix_message("D", "11=ORDER" + std::to_string(number) +
                                "\x01"
                                "55=SYM\x01"
                                "44=10.50\x01");
}

/// Segments of one stream; each is captured at a time of its own, one after the other.
class Stream {
public:
    void syn(std::uint32_t sequence) {
        feed({.source_port = 1, .port = 2, .sequence = sequence, .is_syn = true, .payload = {}});
    }
    void segment(std::size_t offset, std::string_view bytes) {
        feed({.source_port = 1,
              .port = 2,
              .sequence = first_sequence + static_cast<std::uint32_t>(offset),
              .is_syn = false,
              .payload = std::as_bytes(std::span(bytes))});
    }
    void finish() { flow_.finish(orders, counts); }

    std::vector<Order> orders;
    FlowCounts counts;
    std::uint64_t now_ns = 0;

private:
    void feed(const net::TcpSegment& segment) {
        ++now_ns;
        flow_.on_segment(segment, {.capture = 0, .frame = now_ns, .time_ns = now_ns}, orders, counts);
    }

    OrderFlow flow_;
};

std::vector<std::string> ids(const std::vector<Order>& orders) {
    std::vector<std::string> all;
    for (const Order& order : orders)
        all.push_back(order.cl_ord_id);
    return all;
}

TEST(OrderFlow, ReadsWhatAnOrderSays) {
    Stream stream;
    stream.segment(0, new_order(1));
    ASSERT_EQ(stream.orders.size(), 1u);
    const Order& order = stream.orders[0];
    EXPECT_EQ(order.cl_ord_id, "ORDER1");
    EXPECT_EQ(order.sender, "ME");
    EXPECT_EQ(order.symbol, "SYM");
    EXPECT_EQ(order.price, (Decimal{1050, -2}));
    EXPECT_EQ(order.place.time_ns, 1u);
    EXPECT_FALSE(order.key);
}

TEST(OrderFlow, TakesNewOrdersOnly) {
    Stream stream;
    const std::string both =
        fix_message("0", "") + fix_message("8", "11=X\x01") + new_order(1) + fix_message("F", "11=Y\x01");
    stream.segment(0, both);
    EXPECT_EQ(ids(stream.orders), std::vector<std::string>{"ORDER1"});
}

TEST(OrderFlow, TheFirstTransmissionIsTheTime) {
    Stream stream;
    const std::string one = new_order(1), two = new_order(2);
    stream.segment(0, one);
    stream.segment(0, one);        // sent again
    stream.segment(0, one + two);  // and again, with what follows
    ASSERT_EQ(ids(stream.orders), (std::vector<std::string>{"ORDER1", "ORDER2"}));
    EXPECT_EQ(stream.orders[0].place.time_ns, 1u);
    EXPECT_EQ(stream.orders[1].place.time_ns, 3u);
    EXPECT_EQ(stream.counts.retransmitted, 2u);
}

TEST(OrderFlow, AnOrderInTwoSegmentsStartsInTheFirst) {
    Stream stream;
    const std::string one = new_order(1);
    stream.segment(0, std::string_view(one).substr(0, 5));
    EXPECT_TRUE(stream.orders.empty());
    stream.segment(5, std::string_view(one).substr(5));
    ASSERT_EQ(stream.orders.size(), 1u);
    EXPECT_EQ(stream.orders[0].place.time_ns, 1u);
}

TEST(OrderFlow, PutsSegmentsInOrder) {
    Stream stream;
    const std::string one = new_order(1), two = new_order(2), three = new_order(3);
    stream.syn(first_sequence - 1);
    stream.segment(one.size() + two.size(), three);
    stream.segment(one.size(), two);
    EXPECT_TRUE(stream.orders.empty());
    stream.segment(0, one);
    ASSERT_EQ(ids(stream.orders), (std::vector<std::string>{"ORDER1", "ORDER2", "ORDER3"}));
    EXPECT_EQ(stream.orders[0].place.time_ns, 4u);
    EXPECT_EQ(stream.orders[1].place.time_ns, 3u);
    EXPECT_EQ(stream.orders[2].place.time_ns, 2u);
    EXPECT_EQ(stream.counts.reordered, 2u);
}

TEST(OrderFlow, BytesThatWaitedKeepTheirTimeWhenTheyAreSentAgain) {
    Stream stream;
    const std::string one = new_order(1), two = new_order(2), three = new_order(3);
    stream.syn(first_sequence - 1);
    stream.segment(one.size(), two);
    stream.segment(0, one + two + three);
    ASSERT_EQ(stream.orders.size(), 3u);
    EXPECT_EQ(stream.orders[0].place.time_ns, 3u);
    EXPECT_EQ(stream.orders[1].place.time_ns, 2u);
    EXPECT_EQ(stream.orders[2].place.time_ns, 3u);
}

TEST(OrderFlow, GoesOnBehindAHoleThatNothingFills) {
    Stream stream;
    const std::string one = new_order(1), two = new_order(2), three = new_order(3);
    const std::string all = one + two + three;
    stream.syn(first_sequence - 1);
    stream.segment(0, std::string_view(all).substr(0, one.size() + 10));
    stream.segment(one.size() + 30, std::string_view(all).substr(one.size() + 30));
    EXPECT_EQ(ids(stream.orders), std::vector<std::string>{"ORDER1"});
    stream.finish();
    EXPECT_EQ(ids(stream.orders), (std::vector<std::string>{"ORDER1", "ORDER3"})) << "2 is torn apart";
    EXPECT_EQ(stream.counts.holes, 1u);
}

TEST(OrderFlow, DoesNotWaitForEverBehindAHole) {
    Stream stream;
    const std::string one = new_order(1);
    stream.syn(first_sequence - 1);
    std::size_t offset = 100;
    int number = 0;
    while (stream.orders.empty() && number < 2'000) {
        const std::string next = new_order(++number);
        stream.segment(offset, next);
        offset += next.size();
    }
    EXPECT_EQ(stream.counts.holes, 1u);
    EXPECT_EQ(stream.orders.size(), static_cast<std::size_t>(number));
    EXPECT_LT(offset, 100'000u);
}

TEST(OrderFlow, BeginsInTheMiddleOfAStream) {
    Stream stream;
    const std::string rest = new_order(1).substr(20) + new_order(2);
    stream.segment(0, rest);
    EXPECT_EQ(ids(stream.orders), std::vector<std::string>{"ORDER2"});
}

TEST(OrderFlow, ANewConnectionOnTheSamePortsStartsAfresh) {
    Stream stream;
    stream.syn(first_sequence - 1);
    stream.segment(0, new_order(1));
    stream.syn(first_sequence - 1);  // late: still the same connection
    stream.segment(new_order(1).size(), new_order(2));
    stream.syn(first_sequence + 0x4000'0000u - 1);
    stream.segment(0x4000'0000u, new_order(3));
    EXPECT_EQ(ids(stream.orders), (std::vector<std::string>{"ORDER1", "ORDER2", "ORDER3"}));
    EXPECT_EQ(stream.counts.holes + stream.counts.retransmitted + stream.counts.reordered, 0u);
}

TEST(OrderFlow, LeavesOutOrdersThatWereSentBefore) {
    Stream stream;
    stream.segment(0, fix_message("D",
                                  "43=Y\x01"
                                  "11=A\x01") +
                          fix_message("D",
                                      "97=Y\x01"
                                      "11=B\x01") +
                          fix_message("D",
                                      "43=N\x01"
                                      "11=C\x01"));
    EXPECT_EQ(ids(stream.orders), std::vector<std::string>{"C"});
    EXPECT_EQ(stream.counts.resent, 2u);
}

TEST(OrderFlow, CountsGarbledMessages) {
    Stream stream;
    std::string broken = new_order(2);
    broken[broken.size() - 2] = broken[broken.size() - 2] == '9' ? '8' : '9';
    stream.segment(0, new_order(1) + broken + new_order(3));
    EXPECT_EQ(ids(stream.orders), (std::vector<std::string>{"ORDER1", "ORDER3"}));
    EXPECT_EQ(stream.counts.garbled, 1u);
}

TEST(OrderFlow, GivesUpStreamsThatCarrySomethingElse) {
    Stream stream;
    const std::string noise(1'000, 'x');
    std::size_t offset = 0;
    for (; offset < 200'000; offset += noise.size())
        stream.segment(offset, noise);
    stream.segment(offset, "\x01" + new_order(1));
    EXPECT_TRUE(stream.orders.empty());
    EXPECT_EQ(stream.counts.garbled, 0u) << "not FIX, so not garbled FIX";
}

// Any cut of a stream, in any sequence and with repetitions, gives the same orders, each at the first time
// its first byte was seen.
TEST(OrderFlow, AnyCutAndSequenceGivesTheSameOrders) {
    std::string all;
    std::vector<std::size_t> starts;
    for (int i = 0; i < 12; ++i) {
        starts.push_back(all.size());
        all += i % 3 == 2 ? fix_message("0", "") : new_order(i);
    }
    const std::uint64_t rounds = test::at_level(300, 3'000, 30'000);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::mt19937 random(static_cast<unsigned>(round));
        std::vector<std::pair<std::size_t, std::size_t>> cuts;  // offset and size
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t size = std::min<std::size_t>(all.size() - at, 1 + random() % 120);
            cuts.emplace_back(at, size);
            at += size;
        }
        for (int extra = 0; extra < 5; ++extra) {
            const std::size_t at = random() % all.size();
            cuts.emplace_back(at, std::min<std::size_t>(all.size() - at, 1 + random() % 200));
        }
        std::ranges::shuffle(cuts, random);
        Stream stream;
        stream.syn(first_sequence - 1);
        std::vector<std::uint64_t> seen(all.size());
        for (const auto& [offset, size] : cuts) {
            stream.segment(offset, std::string_view(all).substr(offset, size));
            for (std::size_t at = offset; at < offset + size; ++at)
                if (seen[at] == 0) seen[at] = stream.now_ns;
        }
        ASSERT_EQ(stream.orders.size(), 8u) << "round " << round;
        for (std::size_t order = 0; order < 8; ++order)
            ASSERT_EQ(stream.orders[order].place.time_ns, seen[starts[order / 2 * 3 + order % 2]])
                << "round " << round;
    }
}

}  // namespace
}  // namespace tickpath::latency
