#include "decoders/lzo1z/decompress.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace tickpath {
namespace {

using lzo1z::DecompressResult;

struct Answer {
    DecompressResult result;
    std::string bytes;
};

Answer decompressed(const std::vector<std::byte>& block, std::size_t capacity) {
    std::vector<std::byte> out(capacity);
    const DecompressResult result = lzo1z::decompress(block, out);
    return {result, std::string(reinterpret_cast<const char*>(out.data()), result.written)};
}

/// Every capacity matters: with slack, exact, and what lies between.
void expect_bytes(std::string_view hex, std::string_view bytes) {
    const std::vector<std::byte> block = test::from_hex(hex);
    for (std::size_t capacity = bytes.size(); capacity < bytes.size() + 2 * lzo1z::output_slack_bytes;
         ++capacity) {
        const Answer answer = decompressed(block, capacity);
        ASSERT_EQ(answer.result.error, Errc::ok) << hex << " capacity " << capacity;
        ASSERT_EQ(answer.bytes, bytes) << hex << " capacity " << capacity;
        ASSERT_EQ(answer.result.consumed, block.size());
    }
    for (std::size_t capacity = 0; capacity < bytes.size(); ++capacity)
        ASSERT_EQ(decompressed(block, capacity).result.error, Errc::output_overrun)
            << hex << " capacity " << capacity;
}

Errc error_of(std::string_view hex, std::size_t capacity = 1'000) {
    return decompressed(test::from_hex(hex), capacity).result.error;
}

TEST(Lzo1zDecompress, WorkedExamplesOfTheFormat) {
    expect_bytes("11 00 00", "");
    expect_bytes("12 41 11 00 00", "A");
    expect_bytes("14 41 42 43 11 00 00", "ABC");
    expect_bytes("12 41 40 00 11 00 00", "AAAA");
    expect_bytes("14 41 42 43 00 04 11 00 00", "ABCBC");
    expect_bytes("15 61 62 63 64 40 0D 78 5C 11 00 00", "abcdabcxabc");
    expect_bytes("12 30 20 00 0B 00 00 11 00 00", std::string(300, '0'));
}

TEST(Lzo1zDecompress, RunWithExtensionAsFirstInstruction) {
    expect_bytes("00 01 6162636465666768696a6b6c6d6e6f70717273 11 00 00", "abcdefghijklmnopqrs");
}

// Trap 1: 18..20 open with state 1..3, 21 and up with state 4.
TEST(Lzo1zDecompress, FourOpeningLiteralsMakeTheNextOpcodeM1b) {
    EXPECT_EQ(error_of("15 41 42 43 44 00 04 11 00 00"), Errc::lookbehind_overrun);
    expect_bytes("14 41 42 43 00 08 11 00 00", "ABCAB");
}

// Trap 5: a run is a run, even of exactly four.
TEST(Lzo1zDecompress, RunOfFourForgetsTheTrailingLiteralsBeforeIt) {
    EXPECT_EQ(error_of("12 41 40 00 01 42 43 44 45 00 04 11 00 00"), Errc::lookbehind_overrun);
}

// Trap 8: K alone makes a distance.
TEST(Lzo1zDecompress, M4WithKSetIsAMatchAtDistance32768) {
    std::vector<std::byte> block = test::from_hex("00");
    for (std::size_t left = 32'768 - 18; left > 255; left -= 255)
        block.push_back(std::byte{0});
    block.push_back(static_cast<std::byte>((32'768 - 18 - 1) % 255 + 1));
    for (std::size_t i = 0; i < 32'768; ++i)
        block.push_back(static_cast<std::byte>('a' + i % 23));
    for (const std::byte byte : test::from_hex("19 00 00 11 00 00"))
        block.push_back(byte);
    const Answer answer = decompressed(block, 40'000);
    ASSERT_EQ(answer.result.error, Errc::ok);
    ASSERT_EQ(answer.bytes.size(), 32'771u);
    EXPECT_EQ(answer.bytes.substr(32'768), "abc");
}

// Section 4: length, extension and S of the marker mean nothing.
TEST(Lzo1zDecompress, EveryFormOfTheEndMarkerEnds) {
    for (const char* marker :
         {"11 00 00", "11 00 03", "17 00 00", "12 00 00", "10 01 00 00", "10 00 05 00 00"})
        expect_bytes(std::string("12 41 ") + marker, "A");
    EXPECT_EQ(error_of("10 01 00 00"), Errc::ok);
}

TEST(Lzo1zDecompress, RepeatBeforeAnyMatchIsLookBehind) {
    EXPECT_EQ(error_of("15 61 62 63 64 5C 11 00 00"), Errc::lookbehind_overrun);
}

TEST(Lzo1zDecompress, AllLengthsAndDistancesOfOverlapRepeat) {
    for (std::size_t distance = 1; distance <= 80; ++distance) {
        for (std::size_t length = 34; length <= 400; length += 13) {
            std::vector<std::byte> block{static_cast<std::byte>(17 + distance)};
            std::string expected;
            for (std::size_t i = 0; i < distance; ++i) {
                expected += static_cast<char>('0' + i);
                block.push_back(static_cast<std::byte>('0' + i));
            }
            for (std::size_t i = 0; i < length; ++i)
                expected += expected[expected.size() - distance];
            block.push_back(std::byte{0x20});
            for (std::size_t left = length - 33; left > 255; left -= 255)
                block.push_back(std::byte{0});
            block.push_back(static_cast<std::byte>((length - 33 - 1) % 255 + 1));
            block.push_back(static_cast<std::byte>((distance - 1) >> 6));
            block.push_back(static_cast<std::byte>((distance - 1) << 2));
            for (const std::byte byte : test::from_hex("11 00 00"))
                block.push_back(byte);
            for (const std::size_t capacity :
                 {expected.size(), expected.size() + 96, expected.size() + 2'000}) {
                const Answer answer = decompressed(block, capacity);
                ASSERT_EQ(answer.result.error, Errc::ok) << distance << ' ' << length;
                ASSERT_EQ(answer.bytes, expected) << distance << ' ' << length;
            }
        }
    }
}

TEST(Lzo1zDecompress, InputOverrunWhereverTheBlockIsCut) {
    const std::vector<std::byte> block = test::from_hex("15 61 62 63 64 40 0D 78 5C 20 0B 00 00 11 00 00");
    for (std::size_t size = 0; size < block.size(); ++size) {
        const DecompressResult result =
            decompressed({block.begin(), block.begin() + static_cast<int>(size)}, 500).result;
        EXPECT_EQ(result.error, Errc::input_overrun) << size;
        EXPECT_LE(result.consumed, size);
    }
}

TEST(Lzo1zDecompress, TrailingInputLeavesTheOutputWholeAndSaysWhereTheBlockEnded) {
    const Answer answer = decompressed(test::from_hex("12 41 11 00 00 00 00"), 100);
    EXPECT_EQ(answer.result.error, Errc::trailing_input);
    EXPECT_EQ(answer.bytes, "A");
    EXPECT_EQ(answer.result.consumed, 5u);
}

TEST(Lzo1zDecompress, ErrorKeepsWhatWasValidAndNamesTheInstruction) {
    const Answer answer =
        decompressed(test::from_hex("14 41 42 43 7C 00 11 00 00"), 100);  // repeat, none before
    EXPECT_EQ(answer.result.error, Errc::lookbehind_overrun);
    EXPECT_EQ(answer.bytes, "ABC");
    EXPECT_EQ(answer.result.consumed, 4u);
}

TEST(Lzo1zDecompress, LookBehindTextAsksForTheVariant) {
    EXPECT_NE(describe(Errc::lookbehind_overrun).find("wrong variant (LZO1X/1Y)?"), std::string_view::npos);
}

// CVE-2014-4607: zeros that never end must neither wrap a sum nor be believed.
TEST(Lzo1zDecompress, EndlessExtensionEndsAsInputOverrun) {
    for (const std::byte opcode : {std::byte{0x00}, std::byte{0x20}, std::byte{0x10}}) {
        std::vector<std::byte> block(20'000'000, std::byte{0});
        block[0] = std::byte{18};
        block[1] = std::byte{'A'};
        block[2] = std::byte{0x40};
        block[4] = opcode;
        EXPECT_EQ(decompressed(block, 1 << 16).result.error, Errc::input_overrun);
    }
}

TEST(Lzo1zDecompress, BombIsStoppedByTheCapacity) {
    std::vector<std::byte> block = test::from_hex("12 41 20");
    block.resize(1'000'000, std::byte{0});
    for (const std::byte byte : test::from_hex("01 00 00 11 00 00"))
        block.push_back(byte);
    const Answer answer = decompressed(block, 4'096);
    EXPECT_EQ(answer.result.error, Errc::output_overrun);
    EXPECT_EQ(answer.bytes, "A");
}

std::vector<std::byte> repeated(std::string_view head, std::string_view piece, std::size_t count,
                                std::string_view tail) {
    std::vector<std::byte> block = test::from_hex(head);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::byte byte : test::from_hex(piece))
            block.push_back(byte);
    for (const std::byte byte : test::from_hex(tail))
        block.push_back(byte);
    return block;
}

/// Instructions that were carried out, at least: each step ends between two of them. Fails when a step does
/// nothing.
std::size_t steps_of(const std::vector<std::byte>& block, std::span<std::byte> out) {
    lzo1z::Decompression steps(block, out);
    std::size_t count = 0;
    DecompressResult last;
    while (!steps.finished() && count <= block.size()) {
        const DecompressResult next = steps.advance(last.written + 1);
        EXPECT_GE(next.written, last.written);
        last = next;
        ++count;
    }
    return count;
}

// The bound that makes every hostile block end: an instruction takes at least one byte of the block, and no
// byte stands for more than 255 of output (spec lzo1z: a zero that lengthens a length).
TEST(Lzo1zDecompress, WorkIsBoundByTheBlockNotByWhatItAsksFor) {
    struct Bomb {
        const char* what;
        std::vector<std::byte> block;
        Errc error;
    };
    constexpr std::size_t count = 20'000;
    for (const Bomb& bomb :
         {Bomb{"zeros behind a match", repeated("12 41 20", "00", count, "01 00 00 11 00 00"), Errc::ok},
          Bomb{"zeros behind a far match", repeated("12 41 10", "00", count, "01 00 04 11 00 00"),
               Errc::lookbehind_overrun},
          Bomb{"zeros behind literals", repeated("12 41 20 01 00 00 00", "00", count, "01"),
               Errc::input_overrun},
          Bomb{"zeros without an end", repeated("12 41 20", "00", count, ""), Errc::input_overrun},
          Bomb{"long matches", repeated("12 41", "20 FF 00 00", count, "11 00 00"), Errc::ok},
          Bomb{"short matches", repeated("12 41", "E0 00", count, "11 00 00"), Errc::ok},
          Bomb{"matches of nothing", repeated("12 41", "5C 00", count, "11 00 00"),
               Errc::lookbehind_overrun}}) {
        std::vector<std::byte> out(255 * bomb.block.size());
        const DecompressResult result = lzo1z::decompress(bomb.block, out);
        EXPECT_EQ(result.error, bomb.error) << bomb.what << ": " << code(result.error);
        EXPECT_LE(result.written, 255 * bomb.block.size()) << bomb.what;
        EXPECT_LE(steps_of(bomb.block, out), bomb.block.size()) << bomb.what;
        EXPECT_LE(steps_of(bomb.block, std::span(out).first(1'000)), 1'001u)
            << bomb.what << ": a step writes something or ends";
    }
}

// Bytes of LZO1X: the same message, its distances stored the other way round.
TEST(Lzo1zDecompress, BlockOfTheSisterFormatIsRefused) {
    EXPECT_EQ(error_of("15 61 62 63 64 6C 00 11 00 00"), Errc::lookbehind_overrun);
}

TEST(Lzo1zDecompression, StopsEarlyAndGoesOn) {
    const std::vector<std::byte> block =
        test::from_hex("1C 6162636465666768696a6b 40 0D 78 5C 20 0B 00 00 40 01 79 11 00 00");
    const Answer whole = decompressed(block, 500);
    ASSERT_EQ(whole.result.error, Errc::ok);
    for (std::size_t stop = 0; stop <= whole.bytes.size(); ++stop) {
        for (const std::size_t capacity : {whole.bytes.size(), whole.bytes.size() + 200}) {
            std::vector<std::byte> out(capacity);
            lzo1z::Decompression steps(block, out);
            const DecompressResult first = steps.advance(stop);
            ASSERT_EQ(first.error, Errc::ok);
            ASSERT_GE(first.written, stop);
            ASSERT_EQ(std::string(reinterpret_cast<const char*>(out.data()), first.written),
                      whole.bytes.substr(0, first.written));
            const DecompressResult last = steps.advance(block.size() * 255);
            ASSERT_TRUE(steps.finished());
            ASSERT_EQ(last.written, whole.bytes.size());
            ASSERT_EQ(std::string(reinterpret_cast<const char*>(out.data()), last.written), whole.bytes);
        }
    }
}

TEST(Lzo1zDecompression, GivingUpEarlyReadsNoMoreThanNeeded) {
    std::vector<std::byte> out(100);
    const std::vector<std::byte> cut = test::from_hex("15 61 62 63 64 40 0D 78");  // no end marker
    lzo1z::Decompression steps(cut, out);
    EXPECT_EQ(steps.advance(4).error, Errc::ok);
    EXPECT_FALSE(steps.finished());
    EXPECT_EQ(steps.advance(100).error, Errc::input_overrun);
    EXPECT_TRUE(steps.finished());
    EXPECT_EQ(steps.advance(100).error, Errc::input_overrun);
}

TEST(Lzo1zBatch, GoesOnBehindABadBlock) {
    const auto a = test::from_hex("14 41 42 43 11 00 00");
    const auto bad = test::from_hex("14 41 42 43 5C 11 00 00");
    const auto cut = test::from_hex("14 41");
    const auto z = test::from_hex("12 5A 11 00 00");
    const std::vector<std::span<const std::byte>> blocks{a, bad, cut, z};
    std::vector<std::byte> arena(200);
    std::vector<lzo1z::BatchEntry> entries(4);
    EXPECT_EQ(lzo1z::decompress_batch(blocks, arena, 64, entries), 2u);
    EXPECT_EQ(entries[1].result.error, Errc::lookbehind_overrun);
    EXPECT_EQ(entries[2].result.error, Errc::input_overrun);
    EXPECT_EQ(entries[3].offset, 3u);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(arena.data()), 4), "ABCZ");
}

TEST(Lzo1zBatch, OneMessageMayNotTakeTheArenaOfAll) {
    const auto bomb = test::from_hex("12 30 20 00 00 00 00 0B 00 00 11 00 00");
    const auto z = test::from_hex("12 5A 11 00 00");
    const std::vector<std::span<const std::byte>> blocks{bomb, z};
    std::vector<std::byte> arena(700);
    std::vector<lzo1z::BatchEntry> entries(2);
    EXPECT_EQ(lzo1z::decompress_batch(blocks, arena, 600, entries), 1u);
    EXPECT_EQ(entries[0].result.error, Errc::output_overrun);
    EXPECT_EQ(entries[1].result.error, Errc::ok);
    EXPECT_EQ(arena[entries[1].offset], std::byte{0x5A});
}

}  // namespace
}  // namespace tickpath
