#include "dataplane/port/multicast_filter.h"

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

// Refuses with the given errors, and remembers what it was asked.
struct FakeDevice {
    int of_list = 0;
    int of_all = 0;
    int of_promiscuous = 0;
    std::string asked{};

    int set_mac_list(std::span<const net::MacAddress> macs) {
        asked += "list of " + std::to_string(macs.size()) + ' ';
        return of_list;
    }
    int set_all_multicast() {
        asked += "all ";
        return of_all;
    }
    int set_promiscuous() {
        asked += "promiscuous ";
        return of_promiscuous;
    }
};

const std::vector<net::MacAddress> two_macs = {{0x0100'5E01'0101}, {0x0100'5E01'0102}};

TEST(MulticastFilter, StopsAtTheNarrowestThatTheDeviceTakes) {
    FakeDevice device;
    const FilterChoice choice = choose_multicast_filter(two_macs, device);
    EXPECT_EQ(choice.filter, MulticastFilter::mac_list);
    EXPECT_EQ(to_text(choice), "multicast by a list of 2 addresses");
    EXPECT_EQ(device.asked, "list of 2 ");
}

TEST(MulticastFilter, TakesAllMulticastWhenTheListIsRefused) {
    FakeDevice device{.of_list = -ENOSPC};
    const FilterChoice choice = choose_multicast_filter(two_macs, device);
    EXPECT_EQ(choice.filter, MulticastFilter::all_multicast);
    EXPECT_EQ(to_text(choice), "all multicast (MAC list: No space left on device)");
    EXPECT_EQ(device.asked, "list of 2 all ");
}

TEST(MulticastFilter, IsPromiscuousOnlyAsTheLastResort) {
    FakeDevice device{.of_list = -ENOTSUP, .of_all = -EIO};
    const FilterChoice choice = choose_multicast_filter(two_macs, device);
    EXPECT_EQ(choice.filter, MulticastFilter::promiscuous);
    EXPECT_EQ(to_text(choice),
              "promiscuous (MAC list: Operation not supported, all-multicast: Input/output error)");
    EXPECT_TRUE(choice.error.empty());
}

TEST(MulticastFilter, IsNoneWhereADeviceKnowsNoFilter) {
    FakeDevice device{.of_list = -ENOTSUP, .of_all = -ENOTSUP, .of_promiscuous = -ENOTSUP};
    const FilterChoice choice = choose_multicast_filter(two_macs, device);
    EXPECT_EQ(choice.filter, MulticastFilter::none);
    EXPECT_TRUE(choice.error.empty());
    EXPECT_EQ(to_text(choice), "no multicast filter");
}

TEST(MulticastFilter, FailsWhereADeviceHasFiltersAndTakesNone) {
    FakeDevice device{.of_list = -EIO, .of_all = -ENOTSUP, .of_promiscuous = -EIO};
    EXPECT_EQ(choose_multicast_filter(two_macs, device).error,
              "it takes no filter that lets our groups in (MAC list: Input/output error, all-multicast: "
              "Operation not supported, promiscuous: Input/output error)");
}

TEST(MulticastMacs, AreDistinctAndOfTheLow23Bits) {
    // RFC 1112 §6.4: 239.1.1.1, 224.129.1.1 and 239.129.1.1 share an address.
    const std::vector<net::MulticastGroup> groups = {
        {0xEF01'0102, 1}, {0xEF01'0101, 1}, {0xEF01'0101, 2}, {0xEF81'0101, 1}, {0xE081'0101, 1}};
    EXPECT_EQ(multicast_macs(groups, false), two_macs);
}

TEST(MulticastMacs, HaveTheOneOfQueriesWhereWeAnswerThem) {
    const std::vector<net::MulticastGroup> groups = {{0xEF01'0101, 1}};
    const std::vector<net::MacAddress> expected = {{0x0100'5E00'0001}, {0x0100'5E01'0101}};
    EXPECT_EQ(multicast_macs(groups, true), expected);
    EXPECT_TRUE(multicast_macs({}, false).empty());
}

}  // namespace
}  // namespace tickpath::port
