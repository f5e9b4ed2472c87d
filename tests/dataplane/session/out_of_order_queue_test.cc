#include "dataplane/session/out_of_order_queue.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::session {
namespace {

std::string message_of(const OutOfOrderQueue& queue, std::uint64_t number) {
    const OutOfOrderQueue::Entry* entry = queue.find(number);
    if (entry == nullptr) return "none";
    const auto bytes = queue.message(*entry);
    return {bytes.data(), bytes.size()};
}

TEST(OutOfOrderQueue, KeepsTheFirstMessageOfANumber) {
    OutOfOrderQueue queue(100, 10);
    EXPECT_TRUE(queue.add(7, "seven"));
    EXPECT_TRUE(queue.add(7, "other"));
    EXPECT_EQ(message_of(queue, 7), "seven");
    EXPECT_EQ(queue.size(), 1u);
}

TEST(OutOfOrderQueue, IsBoundedInBytesAndMessages) {
    OutOfOrderQueue queue(10, 3);
    EXPECT_TRUE(queue.add(1, "12345"));
    EXPECT_FALSE(queue.add(2, "123456"));
    EXPECT_TRUE(queue.add(2, "12345"));
    EXPECT_TRUE(queue.add_served(3));
    EXPECT_FALSE(queue.add_served(4));
}

TEST(OutOfOrderQueue, GivesItsRoomBackWhenEmpty) {
    OutOfOrderQueue queue(10, 3);
    EXPECT_TRUE(queue.add(1, "1234567890"));
    queue.drop_below(2);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.add(2, "abcdefghij"));
    EXPECT_EQ(message_of(queue, 2), "abcdefghij");
    EXPECT_EQ(message_of(queue, 1), "none");
}

TEST(OutOfOrderQueue, DropsOnlyWhatIsBelow) {
    OutOfOrderQueue queue(100, 10);
    for (const int number : {5, 3, 9})
        EXPECT_TRUE(queue.add(static_cast<std::uint64_t>(number), std::to_string(number)));
    queue.drop_below(5);
    EXPECT_EQ(message_of(queue, 3), "none");
    EXPECT_EQ(message_of(queue, 5), "5");
    EXPECT_EQ(message_of(queue, 9), "9");
}

}  // namespace
}  // namespace tickpath::session
