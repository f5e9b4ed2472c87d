#include "dataplane/port/port_capabilities.h"

#include <algorithm>
#include <bit>

namespace tickpath::port {
namespace {

std::string to_text(const DescriptorLimits& limits) {
    return std::to_string(limits.least) + '-' + std::to_string(limits.most) +
           (limits.multiple_of > 1 ? " by " + std::to_string(limits.multiple_of) : "");
}

}  // namespace

const char* name(Steering steering) noexcept {
    switch (steering) {
        case Steering::none:
            return "none";
        case Steering::rss:
            return "rss";
        case Steering::flow:
            return "flow";
    }
    return "none";
}

const char* name(MembershipBy by) noexcept {
    switch (by) {
        case MembershipBy::nobody:
            return "nobody";
        case MembershipBy::kernel:
            return "kernel";
        case MembershipBy::own_igmp:
            return "own_igmp";
    }
    return "nobody";
}

const char* name(ReceiveStamp stamp) noexcept {
    switch (stamp) {
        case ReceiveStamp::cycles:
            return "cycles";
        case ReceiveStamp::capture:
            return "capture";
        case ReceiveStamp::ptp_frames:
            return "ptp_frames";
        case ReceiveStamp::every_frame:
            return "every_frame";
    }
    return "cycles";
}

const char* name(TransmitStamp stamp) noexcept {
    switch (stamp) {
        case TransmitStamp::doorbell:
            return "doorbell";
        case TransmitStamp::timesync:
            return "timesync";
    }
    return "doorbell";
}

std::uint16_t longest_ring(const DescriptorLimits& limits, std::uint32_t frames_max) noexcept {
    constexpr std::uint32_t frames_elsewhere = 384;  // a thread's cache of 256, a burst held, one on its way
    const std::uint32_t fillable =
        std::bit_floor(frames_max > 2 * frames_elsewhere ? frames_max - frames_elsewhere : frames_max / 2);
    const std::uint32_t multiple_of = std::max<std::uint32_t>(limits.multiple_of, 1);
    const std::uint32_t longest = std::min<std::uint32_t>(limits.most, fillable) / multiple_of * multiple_of;
    return static_cast<std::uint16_t>(std::max<std::uint32_t>(longest, limits.least));
}

std::string to_text(const PortCapabilities& capabilities) {
    const PortCapabilities& c = capabilities;
    return std::string("steering ") + name(c.steering) +
           (c.is_shared_with_kernel ? ", shared with the kernel" : ", not shared with the kernel") +
           ", membership by " + name(c.membership) + ", receive times " + name(c.receive_stamp) +
           ", transmit times " + name(c.transmit_stamp) +
           (c.has_checksum_flag ? ", checksum flag" : ", no checksum flag") + ", receive queues up to " +
           std::to_string(c.receive_queues_max) + ", descriptors " + to_text(c.receive_descriptors) +
           " to receive, " + to_text(c.transmit_descriptors) + " to transmit" +
           (c.numa_node >= 0 ? ", NUMA node " + std::to_string(c.numa_node) : "");
}

}  // namespace tickpath::port
