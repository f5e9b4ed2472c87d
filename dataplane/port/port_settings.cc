#include "dataplane/port/port_settings.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <net/if.h>

namespace tickpath::port {
namespace {

constexpr double speed_min = 0.001;
constexpr double speed_max = 100'000.0;

std::string quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

// "0000:01:00.0" or, as lspci prints it, "01:00.0".
bool is_pci_address(std::string_view text) {
    if (text.size() == 12 && text[4] == ':' && is_hex(text.substr(0, 4))) text.remove_prefix(5);
    return text.size() == 7 && text[2] == ':' && text[5] == '.' && is_hex(text.substr(0, 2)) &&
           is_hex(text.substr(3, 2)) && text[6] >= '0' && text[6] <= '7';
}

// The kernel allows more (netdev names may hold a comma), but DPDK's device arguments do not.
bool is_interface_name(std::string_view text) {
    constexpr std::string_view not_allowed = "/,=[] \t\n";
    return !text.empty() && text.size() < IFNAMSIZ &&
           text.find_first_of(not_allowed) == std::string_view::npos;
}

struct Prefix {
    std::string_view text;
    DeviceKind kind;
};
constexpr Prefix prefixes[] = {
    {"pcap:", DeviceKind::pcap}, {"af_packet:", DeviceKind::af_packet}, {"af_xdp:", DeviceKind::af_xdp}};

}  // namespace

std::optional<Mode> parse_mode(std::string_view text) noexcept {
    if (text == "laptop") return Mode::laptop;
    if (text == "hugepages") return Mode::hugepages;
    if (text == "nic") return Mode::nic;
    return std::nullopt;
}

std::optional<Device> parse_device(std::string_view text, std::string& why_not) {
    if (text == "ring") return Device{DeviceKind::ring, {}};
    if (text == "null") return Device{DeviceKind::null, {}};
    if (is_pci_address(text))
        return Device{DeviceKind::pci, text.size() == 12 ? std::string(text) : "0000:" + std::string(text)};
    for (const Prefix& prefix : prefixes) {
        if (!text.starts_with(prefix.text)) continue;
        const std::string_view argument = text.substr(prefix.text.size());
        if (prefix.kind == DeviceKind::pcap ? !argument.empty() : is_interface_name(argument))
            return Device{prefix.kind, std::string(argument)};
        why_not = quoted(argument) +
                  (prefix.kind == DeviceKind::pcap ? " names no file" : " is not an interface name") +
                  " (in device " + quoted(text) + ')';
        return std::nullopt;
    }
    why_not =
        quoted(text) +
        " is not a device (expected pcap:FILE, af_packet:INTERFACE, af_xdp:INTERFACE, ring, null or a PCI "
        "address such as 0000:01:00.0)";
    return std::nullopt;
}

std::optional<Pace> parse_pace(std::string_view text, std::string& why_not) {
    if (text == "capture") return Pace{1.0};
    if (text == "max") return Pace{0.0};
    double speed = 0;
    if (text.starts_with('x')) {
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 1, end, speed, std::chars_format::fixed);
        if (error == std::errc{} && stop == end && speed >= speed_min && speed <= speed_max)
            return Pace{speed};
    }
    why_not =
        quoted(text) + " is not a pace (expected capture, max, or xN with N from 0.001 to 100000, as in x10)";
    return std::nullopt;
}

}  // namespace tickpath::port
