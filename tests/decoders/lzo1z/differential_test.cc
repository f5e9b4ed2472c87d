// The fast decoder against its plain twin and, where it is installed, liblzo2: same bytes, same refusals,
// nothing touched outside the spans.
#include <gtest/gtest.h>

#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"
#include "tests/support/guarded_octets.h"
#include "tests/support/liblzo2.h"
#include "tests/support/lzo1z_inputs.h"
#include "tests/support/plain_lzo1z_decoder.h"
#include "tests/support/test_level.h"

namespace tickpath {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::size_t input_bytes_max = 70'000;

Octets compressed(const Octets& input, lzo1z::Level level) {
    static lzo1z::Workspace workspace;
    Octets block(lzo1z::max_compressed_size(input.size()));
    const auto result = lzo1z::compress(std::as_bytes(std::span(input)),
                                        std::as_writable_bytes(std::span(block)), workspace, level);
    EXPECT_EQ(result.error, Errc::ok);
    block.resize(result.written);
    return block;
}

class Lzo1zDifferential : public testing::Test {
protected:
    /// Compares on memory that ends where the spans end.
    void compare(const Octets& block, std::size_t capacity) {
        const test::PlainBlock plain = test::plain_lzo1z(block, capacity);
        const std::span<std::uint8_t> in = in_.copy(block);
        const std::span<std::uint8_t> out = out_.last(capacity);
        const std::uint8_t before_out = 0xA5;
        out.data()[-1] = before_out;
        const lzo1z::DecompressResult result =
            lzo1z::decompress(std::as_bytes(in), std::as_writable_bytes(out));
        ASSERT_EQ(out.data()[-1], before_out);
        ASSERT_EQ(result.error == Errc::ok ? "" : code(result.error), plain.error) << "capacity " << capacity;
        ASSERT_LE(result.written, capacity);
        ASSERT_LE(result.consumed, block.size());
        if (plain.error.empty() || plain.error == "trailing_input") {
            ASSERT_EQ(result.written, plain.bytes.size());
        }
        ASSERT_LE(result.written, plain.bytes.size());
        ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(result.written),
                               plain.bytes.begin()));
    }

    test::GuardedOctets in_{2 * input_bytes_max};
    test::GuardedOctets out_{4 * input_bytes_max};
    const std::optional<test::Liblzo2> liblzo2_ = test::Liblzo2::open();
};

TEST_F(Lzo1zDifferential, RoundTripsAgreeWithTwinAndLibrary) {
    test::Lzo1zInputs inputs(1);
    const std::uint64_t rounds = test::at_level(1'000, 6'000, 100'000);
    for (std::uint64_t i = 0; i < rounds && !HasFatalFailure(); ++i) {
        const Octets input = inputs.next(input_bytes_max);
        const Octets block = compressed(input, i % 2 == 0 ? lzo1z::Level::fast : lzo1z::Level::small);
        compare(block, input.size());
        compare(block, input.size() + inputs.below(300));
        if (!liblzo2_) continue;
        Octets theirs(input.size() + 16);
        ASSERT_TRUE(liblzo2_->decompress(block, theirs)) << "round " << i;
        ASSERT_EQ(theirs, input);
        if (input.size() > 4'000 && i % 8 != 0) continue;  // their compressor is slow
        const Octets their_block = liblzo2_->compress(input);
        compare(their_block, input.size());
        ASSERT_EQ(test::plain_lzo1z(their_block, input.size()).bytes, input);
    }
}

TEST_F(Lzo1zDifferential, DamagedBlocksAgreeWithTwinAndLibrary) {
    test::Lzo1zInputs inputs(2);
    const std::uint64_t rounds = test::at_level(10'000, 100'000, 1'000'000);
    Octets block;
    std::size_t capacity = 0;
    for (std::uint64_t i = 0; i < rounds && !HasFatalFailure(); ++i) {
        if (i % 16 == 0) {
            const Octets input = inputs.next(i % 512 == 0 ? 20'000 : 600);
            block = compressed(input, lzo1z::Level::small);
            capacity = input.size() + inputs.below(200);
        }
        Octets damaged = block;
        inputs.damage(damaged);
        compare(damaged, capacity);
        if (!liblzo2_) continue;
        Octets theirs(capacity);
        ASSERT_EQ(liblzo2_->decompress(damaged, theirs), test::plain_lzo1z(damaged, capacity).error.empty())
            << "round " << i;
    }
}

// Whatever the bytes: the sister formats, text, pictures.
TEST_F(Lzo1zDifferential, NoiseAgreesWithTheTwin) {
    test::Lzo1zInputs inputs(3);
    const std::uint64_t rounds = test::at_level(5'000, 30'000, 300'000);
    for (std::uint64_t i = 0; i < rounds && !HasFatalFailure(); ++i)
        compare(inputs.next(400), inputs.below(2'000));
}

TEST_F(Lzo1zDifferential, SteppedDecompressionEqualsOneCall) {
    test::Lzo1zInputs inputs(4);
    const std::uint64_t rounds = test::at_level(500, 3'000, 30'000);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const Octets input = inputs.next(5'000);
        const Octets block = compressed(input, lzo1z::Level::small);
        Octets out(input.size() + inputs.below(120));
        lzo1z::Decompression steps(std::as_bytes(std::span(block)), std::as_writable_bytes(std::span(out)));
        lzo1z::DecompressResult result;
        while (!steps.finished()) {
            const std::size_t wanted = result.written + 1 + inputs.below(200);
            result = steps.advance(wanted);
            ASSERT_TRUE(steps.finished() || result.written >= wanted);
        }
        ASSERT_EQ(result.error, Errc::ok);
        out.resize(result.written);
        ASSERT_EQ(out, input) << "round " << i;
    }
}

}  // namespace
}  // namespace tickpath
