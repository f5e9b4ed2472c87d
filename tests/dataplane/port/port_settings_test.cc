#include "dataplane/port/port_settings.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

TEST(PortSettings, ReadEveryDevice) {
    const struct {
        const char* text;
        DeviceKind kind;
        const char* argument;
    } cases[] = {
        {"pcap:feed.pcap", DeviceKind::pcap, "feed.pcap"},
        {"pcap:/data/a,b [1].pcap", DeviceKind::pcap, "/data/a,b [1].pcap"},
        {"af_packet:eth0", DeviceKind::af_packet, "eth0"},
        {"af_xdp:enp1s0f0.100", DeviceKind::af_xdp, "enp1s0f0.100"},
        {"ring", DeviceKind::ring, ""},
        {"null", DeviceKind::null, ""},
        {"0000:01:00.1", DeviceKind::pci, "0000:01:00.1"},
        {"3b:00.0", DeviceKind::pci, "0000:3b:00.0"},
    };
    for (const auto& expected : cases) {
        std::string why_not;
        const auto device = parse_device(expected.text, why_not);
        ASSERT_TRUE(device) << why_not;
        EXPECT_EQ(device->kind, expected.kind) << expected.text;
        EXPECT_EQ(device->argument, expected.argument);
    }
}

TEST(PortSettings, SayWhatIsNoDevice) {
    for (const char* text : {"", "eth0", "pcap", "PCAP:x", "af_packet", "net_null0", "0000:01:00.8", "01:00",
                             "0000:1:00.0", "zz:00.0", "ring:1", "null "}) {
        std::string why_not;
        EXPECT_FALSE(parse_device(text, why_not)) << text;
        EXPECT_EQ(why_not,
                  '"' + std::string(text) +
                      "\" is not a device (expected pcap:FILE, af_packet:INTERFACE, af_xdp:INTERFACE, "
                      "ring, null or a PCI address such as 0000:01:00.0)");
    }
}

TEST(PortSettings, RefuseNamesThatWouldBecomeDeviceArguments) {
    for (const char* text : {"af_packet:", "af_packet:a,framecnt=1", "af_xdp:a b", "af_packet:a/b",
                             "af_packet:sixteen-letters-"}) {
        std::string why_not;
        EXPECT_FALSE(parse_device(text, why_not)) << text;
        EXPECT_NE(why_not.find("is not an interface name"), std::string::npos) << why_not;
    }
    std::string why_not;
    EXPECT_FALSE(parse_device("pcap:", why_not));
    EXPECT_NE(why_not.find("names no file"), std::string::npos) << why_not;
}

TEST(PortSettings, ReadEveryPace) {
    std::string why_not;
    EXPECT_EQ(parse_pace("capture", why_not)->speed, 1.0);
    EXPECT_TRUE(parse_pace("max", why_not)->is_max());
    EXPECT_EQ(parse_pace("x1", why_not)->speed, 1.0);
    EXPECT_EQ(parse_pace("x2.5", why_not)->speed, 2.5);
    EXPECT_EQ(parse_pace("x0.1", why_not)->speed, 0.1);
    EXPECT_EQ(parse_pace("x100000", why_not)->speed, 100'000.0);
    EXPECT_FALSE(parse_pace("x1", why_not)->is_max());
}

TEST(PortSettings, SayWhatIsNoPace) {
    for (const char* text :
         {"", "x", "x0", "x-1", "x100001", "x0.0001", "10", "x10x", "x 10", "xnan", "xinf", "x1e3", "Max"}) {
        std::string why_not;
        EXPECT_FALSE(parse_pace(text, why_not)) << text;
        EXPECT_NE(why_not.find("is not a pace (expected capture, max, or xN"), std::string::npos) << why_not;
    }
}

TEST(PortSettings, ReadEveryMode) {
    EXPECT_EQ(parse_mode("laptop"), Mode::laptop);
    EXPECT_EQ(parse_mode("hugepages"), Mode::hugepages);
    EXPECT_EQ(parse_mode("nic"), Mode::nic);
    EXPECT_FALSE(parse_mode(""));
    EXPECT_FALSE(parse_mode("Laptop"));
}

}  // namespace
}  // namespace tickpath::port
