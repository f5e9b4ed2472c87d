#include "decoders/fast/cursor.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace tickpath::fast {
namespace {

// Bytes with sentinels behind them, as the decoder prepares its input.
class CursorInput {
public:
    explicit CursorInput(std::string_view hex, bool strict = false) {
        for (const std::byte byte : test::from_hex(hex))
            bytes_.push_back(static_cast<std::uint8_t>(byte));
        const std::size_t size = bytes_.size();
        bytes_.resize(size + 64, sentinel_byte);
        input.begin = bytes_.data();
        input.end = bytes_.data() + size;
        input.strict = strict;
        input.string_bytes_max = 16;
        input.entity_bytes_max = 64;
        input.map_bytes_max = 64;
    }

    [[nodiscard]] Cursor cursor() { return {input.begin, input}; }
    [[nodiscard]] std::string text(std::uint64_t slot) const {
        std::string out;
        for (std::uint32_t i = 0; i < text_length(slot); ++i)
            out += static_cast<char>(input.begin[text_offset(slot) + i] & 0x7F);
        return out;
    }

    Input input;

private:
    std::vector<std::uint8_t> bytes_;
};

struct Read {
    std::uint64_t value = 0;
    Got got = Got::failed;
    std::ptrdiff_t consumed = 0;
    Errc error = Errc::ok;
    bool is_overlong = false;

    friend bool operator==(const Read&, const Read&) = default;
};

void PrintTo(const Read& read, std::ostream* out) {
    *out << "value " << read.value << " got " << static_cast<int>(read.got) << " consumed " << read.consumed
         << " error " << code(read.error) << (read.is_overlong ? " overlong" : "");
}

template <class T>
Read read(std::string_view hex, bool strict = false) {
    CursorInput input(hex, strict);
    Cursor cursor = input.cursor();
    Read result;
    result.got = cursor.read<T>(result.value) ? Got::value : Got::failed;
    result.consumed = cursor.at() - input.input.begin;
    result.error = input.input.error;
    result.is_overlong = (input.input.reports & 1u << static_cast<unsigned>(Report::r6)) != 0;
    if (result.got == Got::failed) result.value = 0;
    return result;
}

template <class T>
Read read_nullable(std::string_view hex) {
    CursorInput input(hex);
    Cursor cursor = input.cursor();
    Read result;
    result.got = cursor.read_nullable<T>(result.value);
    result.consumed = cursor.at() - input.input.begin;
    result.error = input.input.error;
    result.is_overlong = (input.input.reports & 1u << static_cast<unsigned>(Report::r6)) != 0;
    if (result.got != Got::value) result.value = 0;
    return result;
}

Read value_of(std::uint64_t value, std::ptrdiff_t consumed, bool is_overlong = false) {
    return {value, Got::value, consumed, Errc::ok, is_overlong};
}
Read signed_value(std::int64_t value, std::ptrdiff_t consumed, bool is_overlong = false) {
    return value_of(static_cast<std::uint64_t>(value), consumed, is_overlong);
}
Read failure(Errc error) {
    return {0, Got::failed, 0, error, false};
}

// Specification 1.1, §10.6.1 and appendix 3.1.
TEST(FastCursor, ReadsUnsignedIntegersOfEveryLength) {
    EXPECT_EQ(read<std::uint32_t>("80"), value_of(0, 1));
    EXPECT_EQ(read<std::uint32_t>("ff"), value_of(127, 1));
    EXPECT_EQ(read<std::uint32_t>("01 80"), value_of(128, 2));
    EXPECT_EQ(read<std::uint32_t>("39 45 a3"), value_of(942755, 3));
    EXPECT_EQ(read<std::uint32_t>("01 00 00 80"), value_of(1 << 21, 4));
    EXPECT_EQ(read<std::uint32_t>("0f 7f 7f 7f ff"), value_of(4294967295, 5));
    EXPECT_EQ(read<std::uint64_t>("0f 7f 7f 7f ff"), value_of(4294967295, 5));
    EXPECT_EQ(read<std::uint64_t>("7f 7f 7f 7f 7f 7f 7f 7f ff"), value_of((1ull << 63) - 1, 9));
    EXPECT_EQ(read<std::uint64_t>("01 7f 7f 7f 7f 7f 7f 7f 7f ff"),
              value_of(std::numeric_limits<std::uint64_t>::max(), 10));
}

TEST(FastCursor, ReadsSignedIntegersWithTheSignInTheFirstByte) {
    EXPECT_EQ(read<std::int32_t>("bf"), signed_value(63, 1));
    EXPECT_EQ(read<std::int32_t>("c0"), signed_value(-64, 1));
    EXPECT_EQ(read<std::int32_t>("00 c0"), signed_value(64, 2));
    EXPECT_EQ(read<std::int32_t>("7f bf"), signed_value(-65, 2));
    EXPECT_EQ(read<std::int32_t>("00 40 81"), signed_value(8193, 3));
    EXPECT_EQ(read<std::int32_t>("7f 3f ff"), signed_value(-8193, 3));
    EXPECT_EQ(read<std::int32_t>("46 3a dd"), signed_value(-942755, 3));
    EXPECT_EQ(read<std::int32_t>("07 7f 7f 7f ff"), signed_value(2147483647, 5));
    EXPECT_EQ(read<std::int32_t>("78 00 00 00 80"), signed_value(-2147483648LL, 5));
    EXPECT_EQ(read<std::int64_t>("00 7f 7f 7f 7f 7f 7f 7f 7f ff"),
              signed_value(std::numeric_limits<std::int64_t>::max(), 10));
    EXPECT_EQ(read<std::int64_t>("7f 00 00 00 00 00 00 00 00 80"),
              signed_value(std::numeric_limits<std::int64_t>::min(), 10));
}

TEST(FastCursor, TakesTheBiasOffNonNegativeValuesOnly) {
    EXPECT_EQ(read_nullable<std::uint32_t>("80"), (Read{0, Got::null, 1}));
    EXPECT_EQ(read_nullable<std::uint32_t>("81"), value_of(0, 1));
    EXPECT_EQ(read_nullable<std::uint32_t>("39 45 a4"), value_of(942755, 3));
    EXPECT_EQ(read_nullable<std::int32_t>("81"), signed_value(0, 1));
    EXPECT_EQ(read_nullable<std::int32_t>("ff"), signed_value(-1, 1));
    EXPECT_EQ(read_nullable<std::int32_t>("46 3a dd"), signed_value(-942755, 3));
}

// The largest value of a nullable type needs one bit more than the type.
TEST(FastCursor, ReadsNullableMaxima) {
    EXPECT_EQ(read_nullable<std::uint32_t>("10 00 00 00 80"), value_of(4294967295, 5));
    EXPECT_EQ(read_nullable<std::uint64_t>("02 00 00 00 00 00 00 00 00 80"),
              value_of(std::numeric_limits<std::uint64_t>::max(), 10));
    EXPECT_EQ(read_nullable<std::int32_t>("08 00 00 00 80"), signed_value(2147483647, 5));
    EXPECT_EQ(read_nullable<std::int64_t>("01 00 00 00 00 00 00 00 00 80"),
              signed_value(std::numeric_limits<std::int64_t>::max(), 10));
    EXPECT_EQ(read_nullable<std::uint32_t>("10 00 00 00 81").error, Errc::d2);
    EXPECT_EQ(read_nullable<std::uint64_t>("02 00 00 00 00 00 00 00 00 81").error, Errc::d2);
}

TEST(FastCursor, RefusesValuesOutsideTheType) {
    EXPECT_EQ(read<std::uint32_t>("10 00 00 00 80"), failure(Errc::d2));
    EXPECT_EQ(read<std::int32_t>("08 00 00 00 80"), failure(Errc::d2));
    EXPECT_EQ(read<std::int32_t>("77 7f 7f 7f ff"), failure(Errc::d2));
    EXPECT_EQ(read<std::uint64_t>("02 00 00 00 00 00 00 00 00 80"), failure(Errc::d2));
    EXPECT_EQ(read<std::int64_t>("01 00 00 00 00 00 00 00 00 80"), failure(Errc::d2));
    EXPECT_EQ(read<std::uint32_t>("01 00 00 00 00 00 00 00 00 00 80"), failure(Errc::d2));
}

TEST(FastCursor, ReportsOverlongIntegersAndReadsThem) {
    EXPECT_EQ(read<std::uint32_t>("00 85"), value_of(5, 2, true));
    EXPECT_EQ(read<std::uint32_t>("00 00 00 85"), value_of(5, 4, true));
    EXPECT_EQ(read<std::uint32_t>("00 0f 7f 7f 7f ff"), value_of(4294967295, 6, true));
    EXPECT_EQ(read<std::int32_t>("7f ff"), signed_value(-1, 2, true));
    EXPECT_EQ(read<std::int32_t>("00 bf"), signed_value(63, 2, true));
    EXPECT_EQ(read<std::int64_t>("7f 7f 7f 7f 7f ff"), signed_value(-1, 6, true));
    EXPECT_EQ(read<std::uint64_t>("00 00 00 00 00 00 00 00 00 00 00 85"), value_of(5, 12, true));
    EXPECT_EQ(read_nullable<std::uint32_t>("00 80"), (Read{0, Got::null, 2, Errc::ok, true}));
}

TEST(FastCursor, RefusesOverlongIntegersInStrictMode) {
    EXPECT_EQ(read<std::uint32_t>("00 85", true), failure(Errc::r6));
    EXPECT_EQ(read<std::int64_t>("7f 7f 7f 7f 7f ff", true), failure(Errc::r6));
    // More than ten groups are not even looked at.
    EXPECT_EQ(read<std::uint64_t>("00 00 00 00 00 00 00 00 00 00 85", true), failure(Errc::d2));
}

TEST(FastCursor, EndsEndlessIntegersAtTheLimit) {
    std::string endless;
    for (int i = 0; i < 80; ++i)
        endless += "00 ";
    EXPECT_EQ(read<std::uint32_t>(endless + "85"), failure(Errc::limit));
    EXPECT_EQ(read<std::int64_t>(endless + "85"), failure(Errc::limit));
}

TEST(FastCursor, FailsAtEveryTruncationPoint) {
    for (const std::string_view whole : {"39 45 a3", "0f 7f 7f 7f ff", "01 7f 7f 7f 7f 7f 7f 7f 7f ff"}) {
        for (std::size_t length = 0; 3 * length < whole.size(); ++length) {
            CursorInput input(whole.substr(0, 3 * length));
            Cursor cursor = input.cursor();
            std::uint64_t value = 0;
            // A read may succeed by taking sentinels; then the position gives it away.
            const bool ok = cursor.read<std::uint64_t>(value);
            EXPECT_TRUE(ok ? cursor.past_end() : input.input.error == Errc::truncated)
                << whole << " cut to " << length;
        }
    }
}

struct TextRead {
    std::string text;
    Got got;
    Errc error = Errc::ok;
    bool is_overlong = false;
    friend bool operator==(const TextRead&, const TextRead&) = default;
};
void PrintTo(const TextRead& read, std::ostream* out) {
    *out << '"' << read.text << "\" got " << static_cast<int>(read.got) << ' ' << code(read.error)
         << (read.is_overlong ? " overlong" : "");
}

template <bool nullable>
TextRead read_ascii(std::string_view hex, bool strict = false) {
    CursorInput input(hex, strict);
    Cursor cursor = input.cursor();
    std::uint64_t slot = 0;
    const Got got = cursor.read_ascii<nullable>(slot);
    return {got == Got::value ? input.text(slot) : "", got, input.input.error,
            (input.input.reports & 1u << static_cast<unsigned>(Report::r9)) != 0};
}

// The table of spec/fast.md §2.5.
TEST(FastCursor, TellsEmptyNullAndZeroCharactersApart) {
    const auto nul = [](std::size_t count) { return std::string(count, '\0'); };
    EXPECT_EQ(read_ascii<false>("80"), (TextRead{"", Got::value}));
    EXPECT_EQ(read_ascii<false>("00 80"), (TextRead{nul(1), Got::value}));
    EXPECT_EQ(read_ascii<false>("00 00 80"), (TextRead{nul(2), Got::value}));
    EXPECT_EQ(read_ascii<false>("00 c1"), (TextRead{"A", Got::value, Errc::ok, true}));
    EXPECT_EQ(read_ascii<true>("80"), (TextRead{"", Got::null}));
    EXPECT_EQ(read_ascii<true>("00 80"), (TextRead{"", Got::value}));
    EXPECT_EQ(read_ascii<true>("00 00 80"), (TextRead{nul(1), Got::value}));
    EXPECT_EQ(read_ascii<true>("00 c1"), (TextRead{"A", Got::value, Errc::ok, true}));
    EXPECT_EQ(read_ascii<true>("00 00 c1"), (TextRead{"A", Got::value, Errc::ok, true}));
    EXPECT_EQ(read_ascii<true>("00 c1", true), (TextRead{"", Got::failed, Errc::r9}));
}

TEST(FastCursor, ReadsStringsUpToTheLimit) {
    EXPECT_EQ(read_ascii<false>("41 42 c3"), (TextRead{"ABC", Got::value}));
    EXPECT_EQ(read_ascii<false>("41 41 41 41 41 41 41 c2"), (TextRead{"AAAAAAAB", Got::value}));
    EXPECT_EQ(read_ascii<false>("41 41 41 41 41 41 41 41 c2"), (TextRead{"AAAAAAAAB", Got::value}));
    EXPECT_EQ(read_ascii<false>("41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 c2"),
              (TextRead{"AAAAAAAAAAAAAAAB", Got::value}));
    EXPECT_EQ(read_ascii<false>("41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 c2").error, Errc::limit);
}

template <bool nullable>
TextRead read_bytes(std::string_view hex) {
    CursorInput input(hex);
    Cursor cursor = input.cursor();
    std::uint64_t slot = 0;
    const Got got = cursor.read_bytes<nullable>(slot);
    return {got == Got::value ? input.text(slot) : "", got, input.input.error};
}

TEST(FastCursor, ChecksByteVectorLengthsAgainstTheBytesLeft) {
    EXPECT_EQ(read_bytes<false>("83 41 42 43"), (TextRead{"ABC", Got::value}));
    EXPECT_EQ(read_bytes<false>("80"), (TextRead{"", Got::value}));
    EXPECT_EQ(read_bytes<true>("80"), (TextRead{"", Got::null}));
    EXPECT_EQ(read_bytes<true>("84 41 42 43"), (TextRead{"ABC", Got::value}));
    EXPECT_EQ(read_bytes<false>("84 41 42 43").error, Errc::truncated);
    EXPECT_EQ(read_bytes<false>("0f 7f 7f 7f ff 41").error, Errc::truncated);
    EXPECT_EQ(read_bytes<false>("10 00 00 00 80 41").error, Errc::d2);
    EXPECT_EQ(read_bytes<false>("").error,
              Errc::truncated);  // the length is a sentinel: bytes left are negative
    EXPECT_EQ(read_bytes<false>("91 4142434445464748494a4b4c4d4e4f5051").error, Errc::limit);
}

}  // namespace
}  // namespace tickpath::fast
