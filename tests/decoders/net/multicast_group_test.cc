#include "decoders/net/multicast_group.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::net {
namespace {

TEST(MulticastGroup, ReadsWhatItWrites) {
    for (const char* text :
         {"239.1.1.1:9000", "224.0.0.0:1", "239.255.255.255:65535", "239.192.70.3:40003"}) {
        std::string why_not;
        const auto group = parse_group(text, why_not);
        ASSERT_TRUE(group) << why_not;
        EXPECT_EQ(to_text(*group), text);
    }
}

TEST(MulticastGroup, SaysWhatIsWrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"239.1.1.300:9000",
         "239.1.1.300 is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)"},
        {"10.1.1.1:9000", "10.1.1.1 is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)"},
        {"240.0.0.0:9000", "240.0.0.0 is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)"},
        {":9000", "an empty text is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)"},
        {"239.1.1.1", "\"239.1.1.1\" names no port (expected ADDRESS:PORT, as in 239.1.1.1:9000)"},
        {"239.1.1.1:", "an empty text is not a UDP port (expected 1–65535)"},
        {"239.1.1.1:0", "0 is not a UDP port (expected 1–65535)"},
        {"239.1.1.1:65536", "65536 is not a UDP port (expected 1–65535)"},
        {"239.1.1.1:90x", "90x is not a UDP port (expected 1–65535)"},
    };
    for (const auto& [text, expected] : cases) {
        std::string why_not;
        EXPECT_FALSE(parse_group(text, why_not)) << text;
        EXPECT_EQ(why_not, expected);
    }
}

TEST(MulticastGroup, RefusesFormsThatOtherToolsReadDifferently) {
    // inet_aton reads leading zeros as octal and missing parts as zeros.
    for (const char* text :
         {"239.01.1.1:9000", "239.1.1:9000", "239.1.1.1.1:9000", "239.1.1.1 :9000", " 239.1.1.1:9000",
          "239.1.1.1:+9000", "239.1.1.1:09000", "239..1.1:9000", "239.1.1.-1:9000", ""}) {
        std::string why_not;
        EXPECT_FALSE(parse_group(text, why_not)) << text;
        EXPECT_FALSE(why_not.empty()) << text;
    }
}

TEST(MulticastGroup, HasADifferentKeyForEveryAddressAndPort) {
    constexpr MulticastGroup group{0xEF01'0101, 9000};
    EXPECT_EQ(group.key(), 0xEF01'0101'2328u);
    EXPECT_NE(group.key(), (MulticastGroup{0xEF01'0101, 9001}).key());
    EXPECT_NE(group.key(), (MulticastGroup{0xEF01'0102, 9000}).key());
}

}  // namespace
}  // namespace tickpath::net
