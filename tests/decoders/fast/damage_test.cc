// Damaged messages against the plain twin: cut at every byte, and with bits flipped. The same error or the
// same values, at the same place, from both of the decoder's inputs; and the same state behind it.
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fast_recordings.h"
#include "tests/support/fast_twins.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::FastTwins;
using Bytes = std::vector<std::byte>;

// Decodes the case up to `row`, which is replaced by `damaged`, then the row behind it: where the dictionary
// outlives the damage, that row shows what became of it.
bool agrees_around(FastTwins& twins, const test::FastVectorCase& one, std::size_t row,
                   std::span<const std::byte> damaged) {
    twins.reset();
    for (std::size_t i = 0; i < row; ++i)
        if (!twins.agree(one.messages[i])) return false;
    if (!twins.agree(damaged)) return false;
    return row + 1 == one.messages.size() || twins.agree(one.messages[row + 1]).has_value();
}

DecoderOptions options_of(ResetRule reset, bool strict) {
    return {.reset = reset, .strict = strict};
}

TEST(FastDamage, VectorsCutAtEveryByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t cuts = 0;
    for (const test::FastVectorCase& one : test::fast_vector_cases()) {
        for (const ResetRule reset : {ResetRule::never, ResetRule::datagram}) {
            FastTwins twins(one.xml, options_of(reset, false));
            for (std::size_t row = 0; row < one.messages.size(); ++row)
                for (std::size_t size = 0; size < one.messages[row].size(); ++size, ++cuts)
                    ASSERT_TRUE(agrees_around(twins, one, row, {one.messages[row].data(), size}))
                        << one.name << ", row " << row << " cut to " << size;
        }
    }
    EXPECT_GT(cuts, 1'500u);
}

TEST(FastDamage, VectorsWithEveryBitFlipped) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t flips = 0;
    for (const test::FastVectorCase& one : test::fast_vector_cases()) {
        for (const bool strict : {false, true}) {
            FastTwins twins(one.xml, options_of(ResetRule::never, strict));
            for (std::size_t row = 0; row < one.messages.size(); ++row) {
                for (std::size_t bit = 0; bit < 8 * one.messages[row].size(); ++bit, ++flips) {
                    Bytes damaged = one.messages[row];
                    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
                    ASSERT_TRUE(agrees_around(twins, one, row, damaged))
                        << one.name << ", row " << row << ", bit " << bit;
                }
            }
        }
    }
    EXPECT_GT(flips, 14'000u);
}

// A sample of each recording, spread over its beginning; every packet stands alone.
template <class OnPacket>
void for_packets(std::size_t count, OnPacket on_packet) {
    for (const test::FastRecording& recording : test::fast_recordings) {
        const std::string xml = recording.xml();
        const std::vector<Bytes> packets = test::datagrams_of(recording, xml, 20 * count);
        FastTwins twins(xml, recording.options);
        for (std::size_t i = 0; i < packets.size(); i += packets.size() / count) {
            SCOPED_TRACE(recording.file);
            on_packet(twins, packets[i]);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(FastDamage, RecordedPacketsCutAtEveryByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    for_packets(test::at_level(25, 100, 1'000), [](FastTwins& twins, const Bytes& packet) {
        for (std::size_t size = 0; size < packet.size(); ++size) {
            twins.reset();
            ASSERT_TRUE(twins.agree({packet.data(), size})) << "cut to " << size;
        }
    });
}

TEST(FastDamage, RecordedPacketsWithBitsFlipped) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::mt19937_64 random(17);
    for_packets(test::at_level(25, 100, 1'000), [&](FastTwins& twins, const Bytes& packet) {
        for (int round = 0; round < 40; ++round) {
            Bytes damaged = packet;
            for (std::uint64_t i = 0, flips = 1 + random() % 2; i < flips; ++i)
                damaged[random() % damaged.size()] ^= static_cast<std::byte>(1u << random() % 8);
            twins.reset();
            ASSERT_TRUE(twins.agree(damaged)) << "round " << round;
        }
    });
}

}  // namespace
}  // namespace tickpath::fast
