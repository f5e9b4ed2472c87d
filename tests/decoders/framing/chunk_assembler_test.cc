#include "decoders/framing/chunk_assembler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/framing/framing_bytes.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::framing {
namespace {

using Bytes = std::vector<std::byte>;
using test::umdf_datagram;

constexpr Preamble umdf = {.form = PreambleForm::chunked,
                           .bytes = 10,
                           .sequence_bytes = 4,
                           .sequence_order = ByteOrder::big,
                           .chunk_offset = 4};

Bytes text(std::string_view characters) {
    Bytes bytes;
    for (const char c : characters)
        bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}
Bytes copy(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

/// An assembler that datagrams are thrown at as they come from the wire.
class Line {
public:
    explicit Line(const ChunkLimits& limits = {}) : assembler_(limits) {}
    ChunkStep put(std::uint32_t number, std::uint16_t index, std::uint16_t count, std::string_view chunk) {
        payload_ = umdf_datagram({number, count, index}, text(chunk));
        const Datagram datagram = split(payload_, umdf);
        EXPECT_EQ(datagram.error, Errc::ok);
        EXPECT_EQ(datagram.trailing_bytes, 0u);
        const ChunkStep step = assembler_.add(datagram);
        given_up += step.given_up;
        return step;
    }
    std::uint32_t finish() { return assembler_.finish(); }

    std::uint32_t given_up = 0;

private:
    ChunkAssembler assembler_;
    Bytes payload_;
};

TEST(ChunkDatagram, HasNumberPartAndLength) {
    const Bytes payload = umdf_datagram({0x01020304, 0x0203, 0x0102}, text("abc"));
    const Datagram datagram = split(payload, umdf);
    EXPECT_EQ(datagram.error, Errc::ok);
    EXPECT_EQ(datagram.sequence, 0x01020304u);
    EXPECT_EQ(datagram.chunk.count, 0x0203);
    EXPECT_EQ(datagram.chunk.index, 0x0102);
    EXPECT_EQ(copy(datagram.body), text("abc"));
}

TEST(ChunkDatagram, FailsAtEveryTruncation) {
    const Bytes payload = umdf_datagram({7, 2, 1}, text("abcd"));
    for (std::size_t length = 0; length < payload.size(); ++length) {
        const Datagram datagram = split(std::span(payload).first(length), umdf);
        EXPECT_EQ(datagram.error, Errc::truncated) << "length " << length;
        EXPECT_TRUE(datagram.body.empty()) << "length " << length;
    }
}

TEST(ChunkDatagram, RefusesNumbersThatContradictOneAnother) {
    const auto error = [](const test::UmdfHeader& header) {
        return split(umdf_datagram(header, text("abc")), umdf).error;
    };
    EXPECT_EQ(error({1, 0, 1}), Errc::bad_length) << "of none";
    EXPECT_EQ(error({1, 2, 0}), Errc::bad_length) << "the one before the first";
    EXPECT_EQ(error({1, 2, 3}), Errc::bad_length) << "the one behind the last";
    EXPECT_EQ(split(umdf_datagram({1, 1, 1}, {}), umdf).error, Errc::bad_length) << "without a byte";
    EXPECT_EQ(split(umdf_datagram({1, 1, 1}, text("abc"), 2), umdf).trailing_bytes, 1u);
}

TEST(ChunkAssembler, HandsOnAMessageOfOneDatagramWithoutACopy) {
    Line line;
    const ChunkStep step = line.put(5, 1, 1, "whole");
    EXPECT_EQ(step.outcome, ChunkOutcome::complete);
    EXPECT_EQ(copy(step.message), text("whole"));
    EXPECT_EQ(line.put(5, 1, 1, "whole").outcome, ChunkOutcome::complete) << "twins are the sequencer's";
}

TEST(ChunkAssembler, JoinsChunksInEveryOrder) {
    const std::vector<std::string_view> parts = {"a", "bcd", "ef", "ghijk"};
    std::vector<std::uint16_t> order = {1, 2, 3, 4};
    std::uint32_t number = 1;
    Line line;
    do {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const ChunkStep step = line.put(number, order[i], 4, parts[order[i] - 1u]);
            if (i + 1 < order.size()) {
                ASSERT_EQ(step.outcome, ChunkOutcome::waiting);
                ASSERT_TRUE(step.message.empty());
                continue;
            }
            ASSERT_EQ(step.outcome, ChunkOutcome::complete);
            ASSERT_EQ(copy(step.message), text("abcdefghijk"));
        }
        ++number;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(line.given_up, 0u);
    EXPECT_EQ(line.finish(), 0u);
}

TEST(ChunkAssembler, KeepsMessagesApartWhoseChunksMix) {
    Line line;
    EXPECT_EQ(line.put(1, 1, 2, "a").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(line.put(2, 2, 2, "D").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(copy(line.put(3, 1, 1, "alone").message), text("alone"));
    EXPECT_EQ(copy(line.put(2, 1, 2, "C").message), text("CD"));
    EXPECT_EQ(copy(line.put(1, 2, 2, "b").message), text("ab"));
    EXPECT_EQ(line.given_up, 0u);
}

TEST(ChunkAssembler, TellsDuplicates) {
    Line line;
    line.put(1, 1, 2, "a");
    EXPECT_EQ(line.put(1, 1, 2, "a").outcome, ChunkOutcome::duplicate);
    EXPECT_EQ(copy(line.put(1, 2, 2, "b").message), text("ab"));
    EXPECT_EQ(line.put(1, 1, 2, "a").outcome, ChunkOutcome::duplicate) << "of a message that is whole";
    EXPECT_EQ(line.put(1, 2, 2, "b").outcome, ChunkOutcome::duplicate);
    EXPECT_EQ(line.given_up, 0u);
}

TEST(ChunkAssembler, GivesUpAMessageWithoutAllItsChunks) {
    Line line({.messages_open = 4});
    line.put(1, 1, 2, "a");
    line.put(3, 2, 3, "b");
    for (std::uint32_t number = 4; number < 20; ++number)
        EXPECT_EQ(line.put(number, 1, 1, "x").outcome, ChunkOutcome::complete);
    EXPECT_EQ(line.given_up, 2u);
    EXPECT_EQ(line.put(1, 2, 2, "b").outcome, ChunkOutcome::late);
    line.put(20, 1, 2, "a");
    EXPECT_EQ(line.finish(), 1u) << "what is open at the end";
    EXPECT_EQ(line.finish(), 0u);
}

TEST(ChunkAssembler, GivesUpTheOldMessageWhoseSlotANewOneNeeds) {
    Line line({.messages_open = 4});
    line.put(1, 1, 2, "a");
    EXPECT_EQ(line.put(5, 1, 2, "c").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(line.given_up, 1u);
    EXPECT_EQ(copy(line.put(5, 2, 2, "d").message), text("cd"));
}

TEST(ChunkAssembler, RefusesWhatIsTooLarge) {
    Line line({.messages_open = 4, .message_bytes_max = 8});
    EXPECT_EQ(line.put(1, 1, 65, "a").outcome, ChunkOutcome::refused);
    EXPECT_EQ(line.put(2, 1, 3, "abcde").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(line.put(2, 2, 3, "fghi").outcome, ChunkOutcome::refused);
    EXPECT_EQ(line.put(2, 3, 3, "j").outcome, ChunkOutcome::refused) << "and all that follows of it";
    EXPECT_EQ(line.finish(), 0u);
    EXPECT_EQ(copy(line.put(3, 1, 1, "longer than that").message), text("longer than that")) << "not copied";
}

TEST(ChunkAssembler, NeverJoinsChunksOfTwoLoops) {
    Line line({.restart_backward = 1});  // as for snapshots
    line.put(1, 1, 2, "a1");
    line.put(1, 2, 2, "b1");
    line.put(2, 1, 2, "c1");  // its second chunk is lost
    EXPECT_EQ(line.put(1, 1, 2, "a2").outcome, ChunkOutcome::waiting) << "the next loop";
    EXPECT_EQ(line.given_up, 1u);
    EXPECT_EQ(copy(line.put(1, 2, 2, "b2").message), text("a2b2"));
    EXPECT_EQ(line.put(2, 2, 2, "d2").outcome, ChunkOutcome::waiting) << "its first chunk is lost this time";
    EXPECT_EQ(copy(line.put(2, 1, 2, "c2").message), text("c2d2"));
}

TEST(ChunkAssembler, TakesAChunkOfOtherBytesForAnotherMessage) {
    Line line;
    line.put(9, 1, 2, "old");
    EXPECT_EQ(line.put(9, 1, 2, "new").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(line.given_up, 1u);
    EXPECT_EQ(copy(line.put(9, 2, 2, "er").message), text("newer"));
    EXPECT_EQ(line.put(9, 1, 3, "x").outcome, ChunkOutcome::waiting) << "of another number of chunks";
}

TEST(ChunkAssembler, FollowsNumbersThatStartAgain) {
    Line line;
    line.put(500'000, 1, 2, "a");
    EXPECT_EQ(line.put(1, 1, 2, "b").outcome, ChunkOutcome::waiting);
    EXPECT_EQ(line.given_up, 1u);
    EXPECT_EQ(copy(line.put(1, 2, 2, "c").message), text("bc"));
    EXPECT_EQ(line.put(2, 1, 1, "d").outcome, ChunkOutcome::complete);
}

TEST(ChunkAssembler, DoesNotAllocate) {
    ChunkAssembler assembler({});
    const Bytes one = umdf_datagram({1, 2, 1}, text("abc"));
    const Bytes two = umdf_datagram({1, 2, 2}, text("def"));
    const test::AllocationGuard guard;
    for (const Bytes* payload : {&two, &one})
        static_cast<void>(assembler.add(split(*payload, umdf)));
    EXPECT_EQ(guard.count(), 0u);
}

// Against a plain twin that keeps everything: what arrives within reach is joined or reported, exactly.
TEST(ChunkAssembler, JoinsWhatAPlainTwinJoins) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        Line line;
        std::map<std::uint32_t, std::map<std::uint16_t, std::string>> parts;
        std::vector<std::pair<std::uint32_t, std::uint16_t>> wire;
        for (std::uint32_t number = 1; number <= 40; ++number) {
            const auto count = static_cast<std::uint16_t>(1 + random() % 5);
            for (std::uint16_t index = 1; index <= count; ++index) {
                parts[number][index] = std::string(1 + random() % 9, static_cast<char>('a' + random() % 26));
                if (random() % 10 != 0) wire.emplace_back(number, index);
                if (random() % 10 == 0) wire.emplace_back(number, index);
            }
        }
        for (std::size_t i = 0; i + 3 < wire.size(); i += 3)
            std::swap(wire[i], wire[i + random() % 3]);
        std::map<std::uint32_t, std::map<std::uint16_t, std::string>> seen;
        for (const auto& [number, index] : wire) {
            const auto count = static_cast<std::uint16_t>(parts[number].size());
            const bool was_whole = seen[number].size() == count;
            seen[number][index] = parts[number][index];
            const ChunkStep step = line.put(number, index, count, parts[number][index]);
            const bool is_whole = seen[number].size() == count && (count == 1 || !was_whole);
            ASSERT_EQ(step.outcome == ChunkOutcome::complete, is_whole) << "seed " << seed;
            if (!is_whole) continue;
            std::string whole;
            for (const auto& [at, part] : seen[number])
                whole += part;
            ASSERT_EQ(copy(step.message), text(whole)) << "seed " << seed;
        }
        std::uint32_t incomplete = 0;
        for (const auto& [number, chunks] : seen)
            incomplete += chunks.size() != parts[number].size() ? 1 : 0;
        ASSERT_EQ(line.given_up + line.finish(), incomplete) << "seed " << seed;
    }
}

}  // namespace
}  // namespace tickpath::framing
