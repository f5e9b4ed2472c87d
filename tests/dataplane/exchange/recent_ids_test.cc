#include "dataplane/exchange/recent_ids.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::exchange {
namespace {

TEST(RecentIds, FindsAnIdThatComesTwice) {
    RecentIds ids(1'024);
    EXPECT_TRUE(ids.add("A"));
    EXPECT_TRUE(ids.add("B"));
    EXPECT_FALSE(ids.add("A"));
    EXPECT_FALSE(ids.add("B"));
    EXPECT_TRUE(ids.add(""));
    EXPECT_FALSE(ids.add(""));
}

TEST(RecentIds, RemembersManyWithoutMistakingThem) {
    RecentIds ids(64 * 1'024);
    for (int i = 0; i < 20'000; ++i)
        ASSERT_TRUE(ids.add("order " + std::to_string(i))) << i;
    int forgotten = 0;
    for (int i = 19'999; i >= 0;
         --i)  // newest first: adding a forgotten one again pushes out an old one only
        forgotten += ids.add("order " + std::to_string(i)) ? 1 : 0;
    EXPECT_LT(forgotten, 50) << "a third full: a bucket of eight seldom overflows";
}

TEST(RecentIds, StaysBounded) {
    RecentIds ids(64);
    for (int i = 0; i < 100'000; ++i)
        ASSERT_TRUE(ids.add(std::to_string(i)));
    EXPECT_FALSE(ids.add("99999")) << "the newest is still known";
}

}  // namespace
}  // namespace tickpath::exchange
