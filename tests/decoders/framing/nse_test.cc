#include "decoders/framing/nse.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hex.h"
#include "tests/support/nse_datagram.h"

namespace tickpath::framing::nse {
namespace {

using test::Bytes;

/// "raw 48, lzo 3; bad_length at 61": what a datagram gives and how it ends.
std::string walk(const Bytes& payload) {
    std::string out;
    Datagram datagram(payload);
    PackedMessage message;
    while (datagram.next(message)) {
        if (!out.empty()) out += ", ";
        out += (message.is_compressed ? "lzo " : "raw ") + std::to_string(message.bytes.size());
        EXPECT_EQ(message.bytes.data(), payload.data() + message.offset);
        EXPECT_LE(message.offset + message.bytes.size(), payload.size());
    }
    if (datagram.error() == Errc::ok) return out;
    return out + "; " + std::string(code(datagram.error())) + " at " + std::to_string(datagram.offset());
}

Bytes block_of(std::size_t bytes) {
    return test::packed_block(Bytes(bytes, std::byte{0x2A}));
}
Bytes raw_of(std::size_t body_bytes) {
    return test::packed_raw(test::nse_message({.transcode = 6541}, Bytes(body_bytes)));
}

TEST(NseDatagram, GivesMessagesInOrder) {
    EXPECT_EQ(walk(test::nse_datagram(2, 1, {block_of(237)})), "lzo 237");
    EXPECT_EQ(walk(test::nse_datagram(2, 0, {})), "");
    EXPECT_EQ(walk(test::nse_datagram(2, 4, {raw_of(0), block_of(3), block_of(80), raw_of(258)})),
              "raw 48, lzo 3, lzo 80, raw 306");
}

TEST(NseDatagram, KnowsARawMessageByItsMessageLength) {
    // Not by MessageLength alone (ten bytes short), nor as all the rest of the datagram.
    EXPECT_EQ(walk(test::nse_datagram(4, 3, {raw_of(4), raw_of(0), block_of(5)})), "raw 52, raw 48, lzo 5");
}

TEST(NseDatagram, SaysWhichMarketItIsOf) {
    EXPECT_EQ(Datagram(test::nse_datagram(2, 0, {})).segment(), Segment::fo);
    EXPECT_EQ(Datagram(test::nse_datagram(4, 0, {})).segment(), Segment::cm);
    EXPECT_EQ(Datagram(test::nse_datagram(6, 0, {})).segment(), Segment::cd);
    EXPECT_EQ(Datagram(test::nse_datagram(9, 0, {})).segment(), Segment::unknown);
    EXPECT_EQ(Datagram({}).segment(), Segment::unknown);
}

TEST(NseDatagram, EndsInsideItsHeader) {
    for (std::size_t bytes = 0; bytes < 4; ++bytes)
        EXPECT_EQ(walk(Bytes(bytes, std::byte{2})), "; truncated at 0") << bytes;
}

TEST(NseDatagram, KeepsWhatStandsBeforeAWrongCount) {
    EXPECT_EQ(walk(test::nse_datagram(2, 3, {block_of(8), block_of(9)})), "lzo 8, lzo 9; bad_length at 25");
    EXPECT_EQ(walk(test::nse_datagram(2, 1, {block_of(8), block_of(9)})), "lzo 8; trailing at 14");
    EXPECT_EQ(walk(test::nse_datagram(2, 0, {block_of(8)})), "; trailing at 4");
    EXPECT_EQ(walk(test::nse_datagram(2, -1, {block_of(8)})), "; bad_length at 4");
    EXPECT_EQ(walk(test::nse_datagram(2, -32768, {})), "; bad_length at 4");
}

TEST(NseDatagram, StopsAtACompressionLenThatCannotBe) {
    Bytes payload = test::nse_datagram(2, 2, {block_of(8), block_of(9)});
    test::set_big(payload, 14, 10, 2);
    EXPECT_EQ(walk(payload), "lzo 8; bad_length at 14");
    test::set_big(payload, 14, 0x8000, 2);
    EXPECT_EQ(walk(payload), "lzo 8; bad_length at 14");
    test::set_big(payload, 14, 0xFFFF, 2);
    EXPECT_EQ(walk(payload), "lzo 8; bad_length at 14");
    payload.resize(15);
    EXPECT_EQ(walk(payload), "lzo 8; bad_length at 14") << "half a length";
}

TEST(NseDatagram, StopsAtAMessageLengthThatCannotBe) {
    const Bytes good = test::nse_datagram(2, 2, {raw_of(0), raw_of(20)});
    ASSERT_EQ(walk(good), "raw 48, raw 68");
    const std::size_t second = 4 + 50;
    for (const std::uint16_t length : {0, 39, 61, 32767, 0x8000, 0xFFFF}) {
        Bytes payload = good;
        test::set_big(payload, second + 2 + 8 + 38, length, 2);
        EXPECT_EQ(walk(payload), "raw 48; bad_length at 54") << length;
    }
    Bytes payload = good;
    test::set_big(payload, second + 2 + 8 + 38, 59, 2);
    EXPECT_EQ(walk(payload), "raw 48, raw 67; trailing at 123");
}

TEST(NseDatagram, ReadsNothingBehindItsEnd) {
    const Bytes whole = test::nse_datagram(2, 3, {raw_of(6), block_of(20), raw_of(0)});
    for (std::size_t bytes = 4; bytes < whole.size(); ++bytes) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
        EXPECT_NE(walk(cut).find("bad_length"), std::string::npos) << bytes;
    }
}

TEST(NseDatagram, GivesTheRestUpWhenToldTo) {
    const Bytes payload = test::nse_datagram(2, 2, {block_of(8), block_of(9)});
    Datagram datagram(payload);
    PackedMessage message;
    ASSERT_TRUE(datagram.next(message));
    datagram.abandon();
    EXPECT_FALSE(datagram.next(message));
    EXPECT_EQ(datagram.error(), Errc::ok);
}

TEST(NseHeader, ViewsTheFieldsOfBothRealSamples) {
    const Bytes first = test::nse_message({.sequence = 1'960'993, .machine = 50, .length = 470}, Bytes(430));
    const HeaderView header(first);
    EXPECT_EQ(header.segment(), Segment::fo);
    EXPECT_EQ(header.transcode(), 7208);
    EXPECT_EQ(header.log_time(), 1'284'898'263);
    EXPECT_EQ(header.sequence(), 1'960'993);
    EXPECT_EQ(header.time_stamp_2(), 0x0000'4C95'FDD7'36F1u);
    EXPECT_EQ(header.machine(), 50);
    EXPECT_EQ(header.message_length(), 470);

    const Bytes second = test::from_hex(
        "02595a2a2a31323300000000565adbce00001c2800000008fccd4a0000000000565adbce8d39052020202020202001d6000"
        "2");
    const HeaderView later(second);
    EXPECT_EQ(later.transcode(), 7208);
    EXPECT_EQ(later.sequence(), 589'005);
    EXPECT_EQ(later.machine(), 5);
    EXPECT_EQ(later.time_stamp_2() >> 16, static_cast<std::uint64_t>(later.log_time()));
}

TEST(NseHeader, IsAsLongAsItSays) {
    const Bytes right = test::nse_message({}, Bytes(430));
    EXPECT_EQ(check_length(right), Errc::ok);
    EXPECT_EQ(check_length(std::span(right).first(477)), Errc::bad_length);
    EXPECT_EQ(check_length(std::span(right).first(47)), Errc::bad_length);
    EXPECT_EQ(check_length({}), Errc::bad_length);
    for (const std::int16_t length : {std::int16_t{39}, std::int16_t{1}, std::int16_t{-1}, std::int16_t{471}})
        EXPECT_EQ(check_length(test::nse_message({.length = length}, Bytes(430))), Errc::bad_length)
            << length;
    EXPECT_EQ(check_length(test::nse_message({}, {})), Errc::ok) << "a header alone";
}

TEST(NseTime, IsThatOfAWallClockInIndia) {
    EXPECT_EQ(unix_ns_of_seconds(1'284'898'263), 1'600'411'263'000'000'000u);  // 2020-09-18 06:41:03 UTC
    EXPECT_EQ(unix_ns_of_seconds(1), 315'513'001'000'000'000u);                // 1979-12-31 18:30:01 UTC
    EXPECT_EQ(unix_ns_of_seconds(0), 0u) << "not said";
    EXPECT_EQ(unix_ns_of_seconds(-5), 0u);
}

TEST(NseTime, OfTimeStamp2HasAFraction) {
    // 0x36F1 / 65536 s = 0.214614868…
    EXPECT_EQ(unix_ns_of_time_stamp_2(0x0000'4C95'FDD7'36F1), 1'600'411'263'214'614'868u);
    EXPECT_EQ(unix_ns_of_time_stamp_2(0x0000'565A'DBCE'0000) % 1'000'000'000u, 0u);
    EXPECT_EQ(unix_ns_of_time_stamp_2(0), 0u);
    EXPECT_EQ(unix_ns_of_time_stamp_2(0xFFFF), 0u) << "a fraction of nothing";
    EXPECT_EQ(unix_ns_of_time_stamp_2(~std::uint64_t{0}), 0u) << "no time of this clock";
}

}  // namespace
}  // namespace tickpath::framing::nse
