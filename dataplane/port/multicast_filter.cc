#include "dataplane/port/multicast_filter.h"

#include <algorithm>
#include <cstring>

namespace tickpath::port {
namespace {

constexpr net::MulticastGroup all_systems{0xE000'0001, 0};

}  // namespace

const char* name(MulticastFilter filter) noexcept {
    switch (filter) {
        case MulticastFilter::none:
            return "none";
        case MulticastFilter::mac_list:
            return "mac_list";
        case MulticastFilter::all_multicast:
            return "all_multicast";
        case MulticastFilter::promiscuous:
            return "promiscuous";
    }
    return "none";
}

std::string to_text(const FilterChoice& choice) {
    const std::string why = choice.why.empty() ? std::string() : " (" + choice.why + ')';
    switch (choice.filter) {
        case MulticastFilter::none:
            return "no multicast filter";
        case MulticastFilter::mac_list:
            return "multicast by a list of " + std::to_string(choice.mac_count) +
                   (choice.mac_count == 1 ? " address" : " addresses");
        case MulticastFilter::all_multicast:
            return "all multicast" + why;
        case MulticastFilter::promiscuous:
            return "promiscuous" + why;
    }
    return {};
}

std::vector<net::MacAddress> multicast_macs(std::span<const net::MulticastGroup> groups, bool hears_queries) {
    std::vector<net::MacAddress> macs;
    for (const net::MulticastGroup& group : groups)
        macs.push_back(net::mac_of(group));
    if (hears_queries) macs.push_back(net::mac_of(all_systems));
    std::ranges::sort(macs, {}, &net::MacAddress::bits);
    macs.erase(std::unique(macs.begin(), macs.end()), macs.end());
    return macs;
}

void add_refusal(FilterChoice& choice, const char* what, int error) {
    choice.why += (choice.why.empty() ? "" : ", ") + std::string(what) + ": " + std::strerror(error);
}

}  // namespace tickpath::port
