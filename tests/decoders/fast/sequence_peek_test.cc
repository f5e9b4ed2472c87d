#include "decoders/fast/sequence_peek.h"

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::fast {
namespace {

constexpr const char* feed = R"(
    <template name="Reset" id="120" reset="yes"/>
    <template name="Update" id="74" dictionary="74">
      <string name="Sender"><constant value="RTS"/></string>
      <uInt32 name="MsgSeqNum"><increment/></uInt32>
      <uInt64 name="Time"><delta/></uInt64>
      <sequence name="Entries"><uInt32 name="a"><copy/></uInt32></sequence>
    </template>
    <template name="Header" id="5"><uInt32 name="Version"/></template>
    <template name="Late" id="6">
      <sequence name="Entries"><uInt32 name="a"/></sequence>
      <uInt32 name="MsgSeqNum" presence="optional"/>
    </template>
    <template name="Fixed" id="7"><uInt32 name="MsgSeqNum"><constant value="9"/></uInt32></template>)";

std::optional<std::uint64_t> peek_at(SequencePeek& peek, std::string_view hex) {
    return peek.read(test::from_hex(hex), 0);
}

TEST(FastSequencePeek, ReadsTheFieldBehindAReset) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::never});
    EXPECT_TRUE(peek.usable());
    EXPECT_EQ(peek_at(peek, "c0 f8  e0 ca 39 45 a3  85 81 c0 85"), 942755u);
}

TEST(FastSequencePeek, DoesNotLookAtWhatFollowsTheField) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::never});
    EXPECT_EQ(peek_at(peek, "c0 f8  e0 ca 85"), 5u) << "the rest of the message is missing";
}

TEST(FastSequencePeek, PassesOverMessagesWithoutTheField) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::datagram});
    EXPECT_EQ(peek_at(peek, "c0 85 81  e0 ca 85"), 5u);
    EXPECT_EQ(peek_at(peek, "c0 85 81"), std::nullopt);
    EXPECT_EQ(peek_at(peek, "c0 86 82 81 82 87"), 6u) << "behind a sequence, nullable";
    EXPECT_EQ(peek_at(peek, "c0 86 80 80"), std::nullopt) << "there, but absent";
    EXPECT_EQ(peek_at(peek, "c0 87"), 9u) << "a constant";
}

TEST(FastSequencePeek, KnowsNothingOfEarlierDatagrams) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::never});
    EXPECT_EQ(peek_at(peek, "e0 ca 85 85 80"), 5u);
    EXPECT_EQ(peek_at(peek, "c0 ca 85 80"), std::nullopt)
        << "the increment's base was in the datagram before";
    EXPECT_EQ(peek_at(peek, "e0 ca 86 85 80"), 6u) << "and that was no reason to stop working";
}

TEST(FastSequencePeek, FailsQuietlyOnBadBytes) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::never});
    EXPECT_EQ(peek_at(peek, ""), std::nullopt);
    EXPECT_EQ(peek_at(peek, "e0"), std::nullopt);
    EXPECT_EQ(peek_at(peek, "e0 ca"), std::nullopt);
    EXPECT_EQ(peek_at(peek, "e0 ca 10 00 00 00 80"), std::nullopt);
    EXPECT_EQ(peek_at(peek, "c0 81 85"), std::nullopt);
}

TEST(FastSequencePeek, IsUselessWithoutAnIntegerOfThisName) {
    EXPECT_FALSE(SequencePeek(load_all(feed), "Sender", {}).usable());
    EXPECT_FALSE(SequencePeek(load_all(feed), "Missing", {}).usable());
    EXPECT_FALSE(SequencePeek(load_all(feed), "Entries/a", {}).usable())
        << "one per element is not one per packet";
}

TEST(FastSequencePeek, LeavesTheFrameAloneAndAllocatesNothing) {
    SequencePeek peek(load_all(feed), "MsgSeqNum", {.reset = ResetRule::never});
    std::vector<std::byte> buffer = test::from_hex("c0 f8  e0 ca 39 45 a3  85 81 c0 85");
    const std::size_t size = buffer.size();
    buffer.resize(size + 256);
    const std::vector<std::byte> before(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    const test::AllocationGuard guard;
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ(peek.read({buffer.data(), size}, 256), 942755u);
    ASSERT_TRUE(std::equal(before.begin(), before.end(), buffer.begin()));
}

}  // namespace
}  // namespace tickpath::fast
