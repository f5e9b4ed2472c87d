#include "control/capture/reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/net/headers.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::capture {
namespace {

using test::Bytes;
using test::PcapFormat;

struct ReadFile {
    std::vector<CapturedFrame> frames;  // their `bytes` are stale, `contents` has copies
    std::vector<Bytes> contents;
    std::string error;
};

ReadFile read(const std::string& path) {
    ReadFile file;
    Reader reader(path);
    while (const auto frame = reader.next()) {
        file.frames.push_back(*frame);
        file.contents.emplace_back(frame->bytes.begin(), frame->bytes.end());
    }
    file.error = reader.error();
    return file;
}

Bytes frame_number(int number) {
    return test::build_frame({.payload = test::bytes_of("frame " + std::to_string(number))});
}

constexpr std::uint64_t t0_ns = 1'400'000'000'123'456'789;

class CaptureReader : public testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(CaptureReader, ReadsNanosecondsInBothByteOrders) {
    for (const bool is_big_endian : {false, true}) {
        const PcapFormat format{.is_big_endian = is_big_endian};
        const ReadFile file =
            read(folder_.write("a.pcap", pcap_header(format) + pcap_record(t0_ns, frame_number(0), format) +
                                             pcap_record(t0_ns + 1, frame_number(1), format)));
        EXPECT_EQ(file.error, "");
        ASSERT_EQ(file.frames.size(), 2u);
        EXPECT_EQ(file.frames[0].time_ns, t0_ns);
        EXPECT_EQ(file.frames[1].time_ns, t0_ns + 1);
        EXPECT_EQ(file.frames[1].number, 1u);
        EXPECT_EQ(file.contents[1], frame_number(1));
        EXPECT_FALSE(file.frames[0].is_cut());
    }
}

TEST_F(CaptureReader, ReadsMicroseconds) {
    const PcapFormat format{.ticks_per_second = 1'000'000};
    const ReadFile file =
        read(folder_.write("a.pcap", pcap_header(format) + pcap_record(t0_ns, frame_number(0), format)));
    ASSERT_EQ(file.frames.size(), 1u);
    EXPECT_EQ(file.frames[0].time_ns, t0_ns / 1000 * 1000);
}

TEST_F(CaptureReader, ReadsPcapngWithTheResolutionOfEachInterface) {
    using namespace test;
    const ReadFile file = read(folder_.write(
        "a.pcapng",
        pcapng_section() + pcapng_interface(9) + pcapng_interface(0) +
            pcapng_packet(0, t0_ns, frame_number(0)) + pcapng_packet(1, t0_ns / 1000, frame_number(1)) +
            pcapng_block(5, std::string(12, '\0')) + pcapng_packet(0, t0_ns + 2, frame_number(2))));
    EXPECT_EQ(file.error, "");
    ASSERT_EQ(file.frames.size(), 3u);
    EXPECT_EQ(file.frames[0].time_ns, t0_ns);
    EXPECT_EQ(file.frames[1].time_ns, t0_ns / 1000 * 1000);
    EXPECT_EQ(file.frames[2].time_ns, t0_ns + 2);
    EXPECT_EQ(file.contents[2], frame_number(2));
}

TEST_F(CaptureReader, AcceptsAFileWithoutPackets) {
    const ReadFile file = read(folder_.write("a.pcap", test::pcap_header()));
    EXPECT_EQ(file.error, "");
    EXPECT_TRUE(file.frames.empty());
}

TEST_F(CaptureReader, AcceptsAFileWithOnePacket) {
    const ReadFile file =
        read(folder_.write("a.pcap", test::pcap_header() + test::pcap_record(t0_ns, frame_number(0))));
    EXPECT_EQ(file.error, "");
    EXPECT_EQ(file.frames.size(), 1u);
}

TEST_F(CaptureReader, SaysWhichFramesTheSnaplenCut) {
    const PcapFormat format{.snaplen = 50};
    const ReadFile file =
        read(folder_.write("a.pcap", pcap_header(format) + pcap_record(t0_ns, Bytes(50), format) +
                                         pcap_record(t0_ns, Bytes(200), format)));
    ASSERT_EQ(file.frames.size(), 2u);
    EXPECT_FALSE(file.frames[0].is_cut());
    EXPECT_TRUE(file.frames[1].is_cut());
    EXPECT_EQ(file.contents[1].size(), 50u);
    EXPECT_EQ(file.frames[1].size_on_wire_bytes, 200u);
}

TEST_F(CaptureReader, DeliversAllWholePacketsOfAFileCutAnywhere) {
    const std::string header = test::pcap_header();
    const std::string record = test::pcap_record(t0_ns, frame_number(0));
    const std::string whole = header + record + record;
    for (std::size_t size = header.size(); size <= whole.size(); ++size) {
        const ReadFile file = read(folder_.write("a.pcap", whole.substr(0, size)));
        const std::size_t records_there = (size - header.size()) / record.size();
        const bool is_at_border = (size - header.size()) % record.size() == 0;
        EXPECT_EQ(file.frames.size(), records_there) << size;
        EXPECT_EQ(file.error.empty(), is_at_border) << size << ": " << file.error;
        const std::string place = "packet " + std::to_string(records_there) + ":";
        EXPECT_EQ(file.error.find(place) != std::string::npos, !is_at_border) << file.error;
    }
}

TEST_F(CaptureReader, StaysAtTheEndAfterADefect) {
    const std::string record = test::pcap_record(t0_ns, frame_number(0));
    Reader reader(folder_.write("a.pcap", test::pcap_header() + record + record.substr(0, 30)));
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    const std::string error = reader.error();
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.error(), error);
    EXPECT_EQ(reader.frames_read(), 1u);
}

TEST_F(CaptureReader, RefusesAPacketLongerThanAnyFrame) {
    std::string record = test::pcap_record(t0_ns, frame_number(0));
    std::string lie = record;
    lie[11] = '\x7F';  // the highest byte of the kept length
    const ReadFile file = read(folder_.write("a.pcap", test::pcap_header() + record + lie));
    EXPECT_EQ(file.frames.size(), 1u);
    EXPECT_NE(file.error.find("packet 1:"), std::string::npos) << file.error;
}

TEST_F(CaptureReader, RefusesWhatIsNotACapture) {
    for (const std::string& content : {std::string(), std::string("<templates/>"), std::string(200, 'x')}) {
        const std::string path = folder_.write("a.txt", content);
        const ReadFile file = read(path);
        EXPECT_TRUE(file.frames.empty());
        EXPECT_EQ(file.error.find(path + ": not a pcap or pcapng capture"), 0u) << file.error;
    }
}

TEST_F(CaptureReader, NamesAMissingFile) {
    const ReadFile file = read(folder_.file("none.pcap"));
    EXPECT_EQ(file.error, folder_.file("none.pcap") + ": No such file or directory");
}

TEST_F(CaptureReader, RefusesOtherLinkTypes) {
    const PcapFormat format{.link_type = 101};  // raw IP
    const ReadFile file =
        read(folder_.write("a.pcap", pcap_header(format) + pcap_record(t0_ns, frame_number(0), format)));
    EXPECT_TRUE(file.frames.empty());
    EXPECT_NE(file.error.find("link type RAW is not supported"), std::string::npos) << file.error;
}

TEST_F(CaptureReader, GivesRecordsOfCaptureCardsOnlyWhereTheyAreAskedFor) {
    const PcapFormat format{.link_type = 197};  // ERF
    const std::string path =
        folder_.write("erf.pcap", pcap_header(format) + pcap_record(t0_ns, frame_number(0), format));
    EXPECT_NE(read(path).error.find("link type ERF is not supported"), std::string::npos);

    Reader reader(path, Links::ethernet_or_erf);
    EXPECT_TRUE(reader.is_erf());
    const std::optional<CapturedFrame> record = reader.next();
    ASSERT_TRUE(record) << reader.error();
    EXPECT_EQ(record->bytes.size(), frame_number(0).size()) << "as it stands in the file";

    const PcapFormat ethernet;
    const std::string plain =
        folder_.write("plain.pcap", pcap_header(ethernet) + pcap_record(t0_ns, frame_number(0), ethernet));
    EXPECT_FALSE(Reader(plain, Links::ethernet_or_erf).is_erf());
}

TEST_F(CaptureReader, ReadsTheFortsRecordingWhole) {
    TICKPATH_NEEDS_SHARED_DATA();
    Reader reader((test::shared_data() / "feeds/moex-forts-2013/forts-book5.pcap").string());
    std::size_t datagrams = 0;
    while (const auto frame = reader.next())
        datagrams += net::parse_udp(frame->bytes).outcome == net::UdpOutcome::ok;
    EXPECT_EQ(reader.error(), "");
    EXPECT_EQ(reader.frames_read(), 17'697u);
    EXPECT_EQ(datagrams, 17'697u);
}

}  // namespace
}  // namespace tickpath::capture
