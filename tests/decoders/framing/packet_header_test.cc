#include "decoders/framing/packet_header.h"

#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/datagram.h"
#include "tests/decoders/framing/framing_bytes.h"

namespace tickpath::framing {
namespace {

using test::t7_packet_start;

constexpr Preamble rdi = {.form = PreambleForm::header, .header_template = 73};

TEST(PacketHeader, IsReadFromRealBytes) {
    const std::vector<std::byte> payload = t7_packet_start();
    const PacketHeader header = PacketHeaderReader(payload).read();
    EXPECT_EQ(header.error, Errc::ok);
    EXPECT_EQ(header.template_id, 73u);
    EXPECT_EQ(header.sender, 30u);
    EXPECT_EQ(header.number, 3022u);
    EXPECT_EQ(header.sending_time_ns, 1'489'748'090'429'270'222u);
    EXPECT_EQ(header.bytes, 17u);
}

TEST(PacketHeader, IsTakenOffADatagramSoThatTheResetIsFirst) {
    const std::vector<std::byte> payload = t7_packet_start();
    for (const Preamble& preamble : {rdi, Preamble{.form = PreambleForm::header, .sender = 30}}) {
        const Datagram datagram = split(payload, preamble);
        EXPECT_EQ(datagram.error, Errc::ok);
        ASSERT_TRUE(datagram.has_sequence);
        EXPECT_EQ(datagram.sequence, 3022u);
        EXPECT_EQ(datagram.sending_time_ns, 1'489'748'090'429'270'222u);
        ASSERT_EQ(datagram.body.size(), 9u);
        EXPECT_EQ(datagram.body[0], std::byte{0xC0});
        EXPECT_EQ(datagram.body[1], std::byte{0xF8});
    }
}

TEST(PacketHeader, FailsAtEveryTruncation) {
    const std::vector<std::byte> payload = t7_packet_start();
    for (std::size_t length = 0; length < 17; ++length) {
        const std::vector<std::byte> cut(payload.begin(),
                                         payload.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_EQ(split(cut, rdi).error, Errc::truncated) << "length " << length;
        EXPECT_TRUE(split(cut, rdi).body.empty()) << "length " << length;
    }
    EXPECT_EQ(split(std::span(payload).first(17), rdi).error, Errc::ok);
}

TEST(PacketHeader, OfAnotherTemplateOrSenderIsTold) {
    const std::vector<std::byte> payload = t7_packet_start();
    EXPECT_EQ(split(payload, {.form = PreambleForm::header, .header_template = 74}).error, Errc::d9);
    EXPECT_EQ(split(payload, {.form = PreambleForm::header, .sender = 31}).error, Errc::unknown);
}

TEST(PacketHeader, RefusesWhatIsNone) {
    const auto with = [](std::size_t at, int value) {
        std::vector<std::byte> payload = t7_packet_start();
        payload[at] = static_cast<std::byte>(value);
        return PacketHeaderReader(payload).read().error;
    };
    EXPECT_EQ(with(0, 0x80), Errc::bad_syntax) << "without an identifier";
    EXPECT_EQ(with(0, 0xE0), Errc::bad_syntax) << "with a field's bit";
    EXPECT_EQ(with(3, 0x83), Errc::bad_length) << "a number of three bytes";
    EXPECT_EQ(with(8, 0x87), Errc::bad_length) << "a time of seven bytes";
    std::vector<std::byte> endless(64, std::byte{0x7F});
    endless[0] = std::byte{0xC0};
    EXPECT_EQ(PacketHeaderReader(endless).read().error, Errc::d2);
}

}  // namespace
}  // namespace tickpath::framing
