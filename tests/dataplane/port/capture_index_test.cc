#include "dataplane/port/capture_index.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/capture/reader.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_level.h"

namespace tickpath::port {
namespace {

using namespace test;  // the bytes of captures

constexpr std::uint64_t t0_ns = 1'400'000'000'123'456'789;
constexpr std::uint64_t no_limit = ~std::uint64_t{0};

Bytes frame(int number) {
    return build_frame({.payload = bytes_of("frame " + std::to_string(number))});
}

class CaptureIndexTest : public testing::Test {
protected:
    [[nodiscard]] CaptureIndex index(const std::string& content, std::uint64_t times_max = no_limit) {
        return index_capture(write(content), times_max);
    }

    // What libpcap makes of the same bytes; the replaying PMD reads with libpcap.
    void expect_as_libpcap(const std::string& content, const std::string& what) {
        const std::string path = write(content);
        const CaptureIndex ours = index_capture(path, no_limit);
        std::vector<std::uint64_t> theirs;
        capture::Reader reader(path);
        while (const auto read = reader.next())
            theirs.push_back(read->time_ns);
        EXPECT_EQ(ours.frame_count, theirs.size()) << what;
        EXPECT_EQ(ours.times_ns, theirs) << what;
        EXPECT_EQ(ours.error.empty() && ours.warning.empty(), reader.error().empty())
            << what << ": " << ours.error << ours.warning << " / " << reader.error();
    }

    TemporaryFolder folder_;

private:
    // A new name each time: to overwrite a file waits for the disk on some file systems.
    std::string write(const std::string& content) {
        return folder_.write(std::to_string(files_written_++) + ".pcap", content);
    }
    int files_written_ = 0;
};

std::string pcap_of(const PcapFormat& format, int count) {
    std::string file = pcap_header(format);
    for (int i = 0; i < count; ++i)
        file += pcap_record(t0_ns + static_cast<std::uint64_t>(i) * 1001, frame(i), format);
    return file;
}

std::string pcapng_of(bool is_big_endian) {
    const bool big = is_big_endian;
    return pcapng_section(big) + pcapng_interface(9, 0, big) + pcapng_interface(0, 0, big) +
           pcapng_interface(9, 3600, big) + pcapng_interface(0x80 | 20, 0, big) +
           pcapng_packet(0, t0_ns, frame(0), big) + pcapng_packet(1, t0_ns / 1000, frame(1), big) +
           pcapng_block(5, std::string(12, '\0'), big) + pcapng_packet(2, t0_ns, frame(2), big) +
           pcapng_packet(3, (t0_ns / 1'000'000'000) << 20 | 12345, frame(3), big);
}

TEST_F(CaptureIndexTest, CountsFramesAndKeepsTheirNanoseconds) {
    const CaptureIndex found = index(pcap_of({}, 3));
    EXPECT_EQ(found.error + found.warning, "");
    EXPECT_EQ(found.frame_count, 3u);
    EXPECT_EQ(found.times_ns, (std::vector<std::uint64_t>{t0_ns, t0_ns + 1001, t0_ns + 2002}));
}

TEST_F(CaptureIndexTest, AgreesWithLibpcapOnEveryFormat) {
    expect_as_libpcap(pcap_of({}, 5), "ns");
    expect_as_libpcap(pcap_of({.is_big_endian = true}, 5), "ns big-endian");
    expect_as_libpcap(pcap_of({.ticks_per_second = 1'000'000}, 5), "us");
    expect_as_libpcap(pcap_of({.ticks_per_second = 1'000'000, .is_big_endian = true}, 5), "us big-endian");
    expect_as_libpcap(pcap_of({.snaplen = 40}, 5), "snaplen");
    expect_as_libpcap(pcapng_of(false), "pcapng");
    expect_as_libpcap(pcapng_of(true), "pcapng big-endian");
    expect_as_libpcap(pcapng_of(true) + pcapng_of(true), "two sections");
    expect_as_libpcap(pcapng_of(false) + pcapng_of(true), "two sections of different order");
}

TEST_F(CaptureIndexTest, AcceptsNoAndOnePacket) {
    expect_as_libpcap(pcap_of({}, 0), "none");
    expect_as_libpcap(pcap_of({}, 1), "one");
    expect_as_libpcap(pcapng_section(), "pcapng without an interface");
    EXPECT_EQ(index(pcap_of({}, 0)).frame_count, 0u);
}

TEST_F(CaptureIndexTest, AgreesWithLibpcapOnFilesCutAnywhere) {
    for (const std::string& whole : {pcap_of({}, 2), pcapng_of(false)})
        for (std::size_t size = 28; size < whole.size(); ++size)
            expect_as_libpcap(whole.substr(0, size), "cut at " + std::to_string(size));
}

TEST_F(CaptureIndexTest, SaysWhichPacketIsCut) {
    const std::string whole = pcap_of({}, 3);
    const CaptureIndex found = index(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.warning, "packet 2 is cut; the 2 before it are replayed");
    EXPECT_EQ(found.frame_count, 2u);
}

TEST_F(CaptureIndexTest, StopsAtALengthThatCannotBe) {
    const std::string record = pcap_record(t0_ns, frame(0));
    std::string lie = record;
    lie[10] = '\x7F';
    const CaptureIndex found = index(pcap_header() + record + lie + record);
    EXPECT_EQ(found.frame_count, 1u);
    EXPECT_EQ(found.warning, "packet 1 claims an impossible length; the 1 before it are replayed");
}

TEST_F(CaptureIndexTest, SaysWhichPacketOfAPcapngFileCannotBeHad) {
    const std::string start = pcapng_section() + pcapng_interface(9);
    const std::string packet = pcapng_packet(0, t0_ns, frame(0));
    std::string without_length = packet;
    without_length.replace(4, 4, 4, '\0');
    std::string two_lengths = packet;
    two_lengths[packet.size() - 4] ^= 4;
    std::string too_long = packet;
    too_long[20] = '\x7F';
    std::string other_snapshot = pcapng_interface(9);
    other_snapshot[13] = 1;
    const struct {
        std::string what, behind, warning;
    } defects[] = {
        {"two lengths", two_lengths, "lies in a block with two lengths"},
        {"length 0", without_length, "lies in a block with an impossible length"},
        {"odd length", std::string("\6\0\0\0\x21", 5) + std::string(28, '\0'),
         "lies in a block with an impossible length"},
        {"short block", pcapng_block(6, "four"), "lies in a cut block"},
        {"longer than its block", too_long, "is longer than its block"},
        {"interface 7", pcapng_packet(7, t0_ns, frame(0)), "names an interface that is not described"},
        {"section without an interface", pcapng_section() + packet,
         "names an interface that is not described"},
        {"another snapshot length", other_snapshot, "follows an interface of another snapshot length"},
        {"too fine a resolution", pcapng_interface(20), "follows an interface description with a bad option"},
        {"section of another order", pcapng_section(true) + packet,
         "lies in a section of another byte order"},
    };
    for (const auto& defect : defects) {
        std::string content = start;
        content.append(packet).append(defect.behind).append(packet);
        expect_as_libpcap(content, defect.what);
        EXPECT_EQ(index(content).warning, "packet 1 " + defect.warning + "; the 1 before it are replayed")
            << defect.what;
    }
}

TEST_F(CaptureIndexTest, AgreesWithLibpcapOnEveryFlippedByteOfAPcapngFile) {
    const std::string whole = pcapng_of(false);
    const std::size_t value_count = at_level(2, 4, 4);
    constexpr char values[] = {'\x01', '\xFF', '\x00', '\x7F'};
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const char value : std::span(values).first(value_count)) {
            std::string changed = whole;
            changed[at] = value;
            expect_as_libpcap(changed, "byte " + std::to_string(at) + " = " +
                                           std::to_string(static_cast<unsigned char>(value)));
        }
}

TEST_F(CaptureIndexTest, KeepsNoTimesBeyondTheLimit) {
    const CaptureIndex found = index(pcap_of({}, 5), 4);
    EXPECT_EQ(found.frame_count, 5u);
    EXPECT_TRUE(found.times_ns.empty());
    EXPECT_EQ(index(pcap_of({}, 5), 5).times_ns.size(), 5u);
}

TEST_F(CaptureIndexTest, SaysWhyAFileCannotBeReplayed) {
    EXPECT_EQ(index("").error, "is empty");
    EXPECT_EQ(index(pcapng_section()).error, "is a pcapng file that describes no interface");
    EXPECT_EQ(index("<templates/>").error,
              "is not a capture (expected a pcap or pcapng file with Ethernet frames)");
    EXPECT_EQ(index(std::string(1000, '\0')).error,
              "is not a capture (expected a pcap or pcapng file with Ethernet frames)");
    EXPECT_EQ(index(pcap_of({.link_type = 101}, 1)).error,
              "has link type 101 (expected 1, Ethernet); capture on an Ethernet interface");
    EXPECT_EQ(index(pcapng_section() + pcapng_interface(9, 0, false, 113)).error,
              "has link type 113 (expected 1, Ethernet); capture on an Ethernet interface");
    EXPECT_EQ(index_capture(folder_.file("none"), no_limit).error,
              "cannot be read: No such file or directory");
    EXPECT_EQ(index_capture("/dev/null", no_limit).error,
              "is not a regular file; write the capture into a file first");
}

TEST_F(CaptureIndexTest, AgreesWithLibpcapOnRecordings) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const char* name :
         {"feeds/moex-forts-2013/forts-book5.pcap", "feeds/moex-asts-2017/asts-curr-olr-a.pcap",
          "feeds/moex-asts-2019-trades/asts-fond-tlr-a.pcap"})
        expect_as_libpcap(read_file(shared_data() / name), name);
}

}  // namespace
}  // namespace tickpath::port
