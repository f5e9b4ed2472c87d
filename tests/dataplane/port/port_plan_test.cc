#include "dataplane/port/port_plan.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/capture_bytes.h"
#include "tests/support/packet_builder.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::port {
namespace {

PortSettings port(std::string name, std::string device) {
    PortSettings settings;
    settings.name = std::move(name);
    settings.device = std::move(device);
    settings.config_file = "lab.xml";
    settings.config_line = 7;
    return settings;
}

// All findings, one per line.
std::string findings_of(const std::vector<PortSettings>& settings) {
    Diagnostics diagnostics;
    const auto plan = plan_ports(settings, diagnostics);
    EXPECT_EQ(plan.has_value(), !diagnostics.has_errors());
    return diagnostics.format();
}

TEST(PortPlan, OfACaptureKnowsItsFramesAndPace) {
    const test::TemporaryFolder folder;
    const std::string record = test::pcap_record(1, test::build_frame({}));
    PortSettings settings =
        port("feed", "pcap:" + folder.write("a.pcap", test::pcap_header() + record + record));
    settings.pace = "x10";
    Diagnostics diagnostics;
    const auto plan = plan_ports(std::vector{settings}, diagnostics);
    ASSERT_TRUE(plan) << diagnostics.format();
    EXPECT_EQ(plan->mode, Mode::laptop);
    ASSERT_EQ(plan->ports.size(), 1u);
    EXPECT_EQ(plan->ports[0].capture.frame_count, 2u);
    EXPECT_EQ(plan->ports[0].pace.speed, 10.0);
}

TEST(PortPlan, OfACutCaptureWarns) {
    const test::TemporaryFolder folder;
    const std::string record = test::pcap_record(1, test::build_frame({}));
    const std::string path = folder.write("a.pcap", test::pcap_header() + record + record.substr(0, 20));
    EXPECT_EQ(findings_of({port("feed", "pcap:" + path)}),
              "lab.xml:7: warning: port feed: capture " + path +
                  ": packet 1 is cut; the 1 before it are replayed\n");
}

TEST(PortPlan, ReportsEverythingAtOnceWithItsPlace) {
    PortSettings bad_numbers = port("c", "null");
    bad_numbers.queue_count = 0;
    bad_numbers.frames_max = 10;
    bad_numbers.descriptors = 1;
    bad_numbers.ring_frames = 1;
    PortSettings bad_pace = port("b", "ring");
    bad_pace.pace = "fast";
    EXPECT_EQ(findings_of({port("a", "pcap:/none/x.pcap"), bad_pace, bad_numbers}),
              "lab.xml:7: port a: capture /none/x.pcap cannot be read: No such file or directory\n"
              "lab.xml:7: port b: \"fast\" is not a pace (expected capture, max, or xN with N from 0.001 to "
              "100000, "
              "as in x10)\n"
              "lab.xml:7: port c: queue_count is 0 (expected 1 to 16)\n"
              "lab.xml:7: port c: frames_max is 10 (expected 255 to 1048576)\n"
              "lab.xml:7: port c: descriptors is 1 (expected 64 to 32768)\n"
              "lab.xml:7: port c: ring_frames is 1 (expected 64 to 1048576)\n");
}

TEST(PortPlan, RefusesSeveralQueuesOfADeviceThatHasOne) {
    PortSettings settings = port("a", "ring");
    settings.queue_count = 2;
    EXPECT_EQ(findings_of({settings}), "lab.xml:7: port a: device ring has one queue, not 2\n");
}

TEST(PortPlan, RefusesTwoModesInOneProcess) {
    PortSettings other = port("b", "null");
    other.mode = "hugepages";
    EXPECT_EQ(findings_of({port("a", "null"), other}),
              "lab.xml:7: port b: mode hugepages differs from mode laptop of port a; all ports of a process "
              "have one "
              "mode\n");
    other.mode = "desktop";
    EXPECT_EQ(findings_of({other}),
              "lab.xml:7: port b: \"desktop\" is not a mode (expected laptop, hugepages or nic)\n");
}

TEST(PortPlan, RefusesAPciDeviceOnALaptop) {
    const std::string findings = findings_of({port("a", "ffff:ff:1f.7")});
    EXPECT_NE(findings.find("device ffff:ff:1f.7 needs mode nic"), std::string::npos) << findings;
}

TEST(PortPlan, LetsSeveralPortsReplayOneCapture) {
    const test::TemporaryFolder folder;
    const std::string device = "pcap:" + folder.write("a.pcap", test::pcap_header());
    EXPECT_EQ(findings_of({port("a", device), port("b", device)}), "");
}

}  // namespace
}  // namespace tickpath::port
