// Drives port_probe, a process per case: DPDK starts once per process.
#include "dataplane/port/dpdk_port.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/capture/reader.h"
#include "decoders/net/checksum.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/own_network.h"
#include "tests/support/packet_builder.h"
#include "tests/support/process.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::port {
namespace {

using test::Bytes;

constexpr std::uint64_t t0_ns = 1'400'000'000'123'456'789;

struct SeenFrame {
    std::uint64_t number = 0;
    std::uint64_t time = 0;
    std::string domain;
    std::size_t size_bytes = 0;
    std::size_t tailroom_bytes = 0;
    unsigned checksum = 0;
};

struct Probe {
    int exit_code = -1;
    std::string up;          // the line about the port
    std::string filter;      // what it lets in
    std::string statistics;  // of the driver, a line each
    std::string can;         // the line about its capabilities
    std::string end;         // the line about the run
    std::string findings;
    std::vector<SeenFrame> frames;

    // The number behind "name=" in the end line.
    [[nodiscard]] double value(const std::string& name) const {
        const std::size_t at = end.find(' ' + name + '=');
        return at == std::string::npos ? -1.0 : std::stod(end.substr(at + name.size() + 2));
    }
};

Probe probe(std::vector<std::string> words) {
    words.insert(words.begin(), TICKPATH_BUILD_ROOT "/tests/dataplane/port/port-probe");
    const test::Ran ran = test::run(words);
    Probe seen;
    seen.exit_code = ran.exit_code;
    seen.findings = ran.err;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("up ")) seen.up = line;
        if (line.starts_with("can ")) seen.can = line;
        if (line.starts_with("filter ")) seen.filter = line;
        if (line.starts_with("stat ")) seen.statistics += line + '\n';
        if (line.starts_with("end ")) seen.end = line;
        if (!line.starts_with("frame ")) continue;
        std::istringstream in(line.substr(6));
        SeenFrame& frame = seen.frames.emplace_back();
        in >> frame.number >> frame.time >> frame.domain >> frame.size_bytes >> frame.tailroom_bytes >>
            frame.checksum;
    }
    return seen;
}

Bytes frame(int number) {
    return test::build_frame({.payload = test::bytes_of("frame " + std::to_string(number))});
}

unsigned checksum_of(const Bytes& bytes) {
    return net::checksum_of(net::checksum_add(0, bytes));
}

// `count` frames with a distance in capture time.
std::string capture_of(int count, std::uint64_t distance_ns) {
    std::string file = test::pcap_header();
    for (int i = 0; i < count; ++i)
        file += test::pcap_record(t0_ns + static_cast<std::uint64_t>(i) * distance_ns, frame(i));
    return file;
}

class DpdkPortTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(DpdkPortTest, ReplaysEveryFrameWithItsBytesNumberAndNanoseconds) {
    constexpr int count = 100;
    const Probe seen = probe({"--pace", "max", "pcap:" + folder_.write("a.pcap", capture_of(count, 1001))});
    ASSERT_EQ(seen.exit_code, 0) << seen.findings;
    EXPECT_EQ(seen.findings, "");
    ASSERT_EQ(seen.frames.size(), std::size_t{count});
    for (int i = 0; i < count; ++i) {
        const SeenFrame& at = seen.frames[static_cast<std::size_t>(i)];
        EXPECT_EQ(at.number, static_cast<std::uint64_t>(i));
        EXPECT_EQ(at.time, t0_ns + static_cast<std::uint64_t>(i) * 1001);
        EXPECT_EQ(at.domain, "capture_ns");
        EXPECT_EQ(at.size_bytes, frame(i).size());
        EXPECT_EQ(at.checksum, checksum_of(frame(i)));
        EXPECT_GE(at.tailroom_bytes, 64u) << "room for a decoding sentinel";
    }
    EXPECT_EQ(seen.value("finished"), 1);
    EXPECT_EQ(seen.value("rx_frames"), count);
    EXPECT_EQ(seen.value("missing"), 0);
}

TEST_F(DpdkPortTest, TakesNoMemoryWhilePolling) {
    const Probe seen =
        probe({"--pace", "max", "--quiet", "pcap:" + folder_.write("a.pcap", capture_of(20'000, 10))});
    EXPECT_EQ(seen.value("frames"), 20'000);
    EXPECT_EQ(seen.value("allocations"), 0);
}

TEST_F(DpdkPortTest, ReplaysPcapng) {
    using namespace test;
    const Probe seen =
        probe({"--pace", "max",
               "pcap:" + folder_.write("a.pcapng", pcapng_section() + pcapng_interface(9) +
                                                       pcapng_packet(0, t0_ns, frame(0)) +
                                                       pcapng_packet(0, t0_ns + 7, frame(1)))});
    ASSERT_EQ(seen.frames.size(), 2u) << seen.findings;
    EXPECT_EQ(seen.frames[1].time, t0_ns + 7);
    EXPECT_EQ(seen.frames[1].checksum, checksum_of(frame(1)));
    EXPECT_EQ(seen.value("finished"), 1);
}

TEST_F(DpdkPortTest, FallsBackToMicrosecondsWhenTheTimesAreTooMany) {
    const Probe seen =
        probe({"--pace", "max", "--times", "1", "pcap:" + folder_.write("a.pcap", capture_of(2, 1'000'000))});
    ASSERT_EQ(seen.frames.size(), 2u) << seen.findings;
    EXPECT_EQ(seen.frames[1].time, (t0_ns + 1'000'000) / 1000 * 1000);
    EXPECT_EQ(seen.frames[1].domain, "capture_ns");
}

TEST_F(DpdkPortTest, EndsAtOnceWithACaptureWithoutFrames) {
    const Probe seen = probe({"pcap:" + folder_.write("a.pcap", test::pcap_header())});
    EXPECT_EQ(seen.exit_code, 0) << seen.findings;
    EXPECT_EQ(seen.value("finished"), 1);
    EXPECT_EQ(seen.value("frames"), 0);
}

TEST_F(DpdkPortTest, ReplaysACutCaptureUpToTheCutAndSaysSo) {
    const std::string whole = capture_of(3, 1);
    const std::string path = folder_.write("a.pcap", whole.substr(0, whole.size() - 10));
    const Probe seen = probe({"--pace", "max", "pcap:" + path});
    EXPECT_EQ(seen.exit_code, 0);
    EXPECT_EQ(seen.findings,
              "warning: port p0: capture " + path + ": packet 2 is cut; the 2 before it are replayed\n");
    EXPECT_EQ(seen.frames.size(), 2u);
    EXPECT_EQ(seen.value("finished"), 1);
}

TEST_F(DpdkPortTest, CountsAndDropsFramesOfSeveralSegmentsButNumbersThem) {
    const std::string capture = test::pcap_header() + test::pcap_record(t0_ns, frame(0)) +
                                test::pcap_record(t0_ns, Bytes(3000)) + test::pcap_record(t0_ns, frame(2));
    const Probe seen = probe({"--pace", "max", "pcap:" + folder_.write("a.pcap", capture)});
    ASSERT_EQ(seen.frames.size(), 2u) << seen.findings;
    EXPECT_EQ(seen.frames[1].number, 2u);
    EXPECT_EQ(seen.value("multi_segment"), 1);
    EXPECT_EQ(seen.value("rx_frames"), 3) << "what is dropped came in, too";
    EXPECT_EQ(seen.value("finished"), 1);
}

TEST_F(DpdkPortTest, GivesNoFrameBeforeItsTime) {
    // 21 frames 10 ms apart: 200 ms of capture.
    const std::string device = "pcap:" + folder_.write("a.pcap", capture_of(21, 10'000'000));
    const Probe at_capture_pace = probe({"--quiet", device});
    const Probe ten_times = probe({"--quiet", "--pace", "x10", device});
    const Probe half = probe({"--quiet", "--pace", "x0.5", device});
    for (const Probe* seen : {&at_capture_pace, &ten_times, &half})
        EXPECT_EQ(seen->value("frames"), 21) << seen->findings;
    EXPECT_GE(at_capture_pace.value("elapsed_ms"), 199.0);
    EXPECT_GE(ten_times.value("elapsed_ms"), 19.9);
    EXPECT_LT(ten_times.value("elapsed_ms"), at_capture_pace.value("elapsed_ms"));
    EXPECT_GE(half.value("elapsed_ms"), 399.0);
}

TEST_F(DpdkPortTest, GivesFramesWhoseTimesStepBackAtOnce) {
    const std::string capture = test::pcap_header() + test::pcap_record(t0_ns, frame(0)) +
                                test::pcap_record(t0_ns - 5'000'000'000, frame(1)) +
                                test::pcap_record(t0_ns + 1, frame(2));
    const Probe seen = probe({"pcap:" + folder_.write("a.pcap", capture), "--seconds", "3"});
    EXPECT_EQ(seen.frames.size(), 3u);
    EXPECT_LT(seen.value("elapsed_ms"), 2000.0);
}

TEST_F(DpdkPortTest, OpensAFileWhoseNameWouldBeDeviceArguments) {
    const Probe seen = probe({"--pace", "max", "pcap:" + folder_.write("a,b=[c] d.pcap", capture_of(2, 1))});
    EXPECT_EQ(seen.frames.size(), 2u) << seen.findings;
}

TEST_F(DpdkPortTest, ReplaysARecordingByteForByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::string path = (test::shared_data() / "feeds/moex-forts-2013/forts-book5.pcap").string();
    const Probe seen = probe({"--pace", "max", "pcap:" + path});
    capture::Reader reader(path);
    for (const SeenFrame& at : seen.frames) {
        const auto expected = reader.next();
        ASSERT_TRUE(expected);
        ASSERT_EQ(at.number, expected->number);
        ASSERT_EQ(at.time, expected->time_ns);
        ASSERT_EQ(at.size_bytes, expected->bytes.size());
        ASSERT_EQ(at.checksum, net::checksum_of(net::checksum_add(0, expected->bytes)));
    }
    EXPECT_FALSE(reader.next()) << "the port gave fewer frames";
    EXPECT_EQ(seen.value("finished"), 1);
}

TEST_F(DpdkPortTest, GivesBackWhatIsSentIntoARing) {
    const Probe seen = probe({"--echo", "40", "--frames", "40", "ring"});
    ASSERT_EQ(seen.frames.size(), 40u) << seen.findings;
    for (std::size_t i = 0; i < seen.frames.size(); ++i) {
        EXPECT_EQ(seen.frames[i].number, i);
        EXPECT_EQ(seen.frames[i].size_bytes, 60u);
        EXPECT_EQ(seen.frames[i].domain, "cycles");
        Bytes sent(60);
        sent.back() = static_cast<std::byte>(i);
        EXPECT_EQ(seen.frames[i].checksum, checksum_of(sent));
    }
    EXPECT_EQ(seen.value("finished"), 0) << "a live port never ends";
}

TEST_F(DpdkPortTest, MakesFramesOutOfNothing) {
    const Probe seen = probe({"--frames", "64", "null"});
    ASSERT_GE(seen.frames.size(), 64u) << seen.findings;
    EXPECT_EQ(seen.frames.front().size_bytes, 300u);
    EXPECT_NE(seen.up.find("driver=net_null"), std::string::npos) << seen.up;
}

TEST_F(DpdkPortTest, SpreadsFramesOverSeveralQueuesOfADeviceThatCan) {
    const Probe seen = probe({"--queues", "2", "--frames", "64", "null"});
    EXPECT_GE(seen.frames.size(), 64u) << seen.findings;
}

TEST_F(DpdkPortTest, AsksTheDeviceWhatItCan) {
    const Probe replay = probe({"pcap:" + folder_.write("a.pcap", capture_of(1, 1))});
    EXPECT_TRUE(replay.can.starts_with(
        "can steering none, not shared with the kernel, membership by nobody, receive times capture"))
        << replay.can;
    EXPECT_NE(probe({"--frames", "1", "null"})
                  .can.find("steering rss, not shared with the kernel, membership by nobody"),
              std::string::npos);
}

// net_null takes all-multicast and no list; a kernel interface neither, and is promiscuous as the last
// resort.
TEST_F(DpdkPortTest, LetsInNoMoreThanItMust) {
    EXPECT_EQ(probe({"--seconds", "0.01", "--quiet", "null"}).filter,
              "filter all multicast (MAC list: Operation not supported)");
    const std::string capture = "pcap:" + folder_.write("a.pcap", capture_of(3, 1));
    const Probe replay = probe({"--pace", "max", capture});
    EXPECT_NE(replay.filter.find("filter "), std::string::npos);
    EXPECT_EQ(replay.frames.size(), 3u) << "whatever it is told";
}

TEST_F(DpdkPortTest, TellsTheDriversOwnStatisticsThatAreNotZero) {
    const Probe seen = probe({"--pace", "max", "pcap:" + folder_.write("a.pcap", capture_of(3, 1))});
    EXPECT_NE(seen.statistics.find("stat rx_good_packets 3\n"), std::string::npos) << seen.statistics;
    EXPECT_EQ(seen.statistics.find(" 0\n"), std::string::npos) << seen.statistics;
}

TEST_F(DpdkPortTest, LeavesMembershipToTheKernelWhereItHasThePort) {
    test::in_own_network([]() -> std::string {
        const Probe seen = probe({"--ring", "256", "--frames", "1", "--seconds", "0.01", "af_packet:mem0"});
        const bool is_right = seen.can.starts_with(
            "can steering none, shared with the kernel, membership by kernel, receive times cycles");
        return is_right ? "" : seen.can + seen.findings;
    });
}

TEST_F(DpdkPortTest, OpensSeveralPortsInOneProcess) {
    const std::string device = "pcap:" + folder_.write("a.pcap", capture_of(3, 1));
    const Probe seen = probe({"--pace", "max", device, device, "null"});
    EXPECT_EQ(seen.exit_code, 0) << seen.findings;
    EXPECT_EQ(seen.frames.size(), 3u);
}

TEST_F(DpdkPortTest, OpensOnlyOncePerProcess) {
    const Probe seen = probe({"--twice", "null"});
    EXPECT_EQ(seen.exit_code, 3);
    EXPECT_EQ(seen.findings, "DPDK was started before in this process and cannot be again\n");
}

TEST_F(DpdkPortTest, SaysWhyADeviceCannotComeUp) {
    const std::pair<std::vector<std::string>, const char*> cases[] = {
        {{"af_packet:nosuch0"}, "port p0: interface nosuch0 does not exist here"},
        {{"af_xdp:nosuch0"}, "port p0: interface nosuch0 does not exist here"},
        {{"pcap:/none.pcap"}, "port p0: capture /none.pcap cannot be read: No such file or directory"},
        {{"pcap:/etc/passwd"}, "port p0: capture /etc/passwd is not a capture"},
        {{"--mode", "nic", "ffff:ff:1f.7"}, "port p0: there is no PCI device ffff:ff:1f.7"},
        {{"null", "af_packet:nosuch0"}, "port p1: interface nosuch0 does not exist here"},
    };
    for (const auto& [words, expected] : cases) {
        const Probe seen = probe(words);
        EXPECT_EQ(seen.exit_code, 3) << expected;
        EXPECT_EQ(seen.findings.find(expected), 0u) << seen.findings;
        EXPECT_EQ(seen.up, "") << expected;
    }
}

TEST_F(DpdkPortTest, HandsDpdksOwnWordsOverWhenItDoesNotStart) {
    const Probe seen = probe({"--extra", "--vdev=net_nosuch0", "null"});
    EXPECT_EQ(seen.exit_code, 3) << seen.findings;
    EXPECT_NE(seen.findings.find("port p0: DPDK does not start"), std::string::npos) << seen.findings;
    EXPECT_NE(seen.findings.find("net_nosuch0"), std::string::npos) << seen.findings;
}

}  // namespace
}  // namespace tickpath::port
