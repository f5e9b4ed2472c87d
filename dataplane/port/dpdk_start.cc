// Brings one device up: buffers, queues, receive stamps. Cold.
#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <utility>

#include <net/if.h>

#include "dataplane/port/dpdk_capabilities.h"
#include "dataplane/port/dpdk_impl.h"

namespace tickpath::port {
namespace {

constexpr unsigned pool_cache_frames = 256;
constexpr unsigned tx_frames_max = 1023;
constexpr std::uint16_t tx_descriptors_wanted =
    1024;  // vmxnet3 starts with 512 at least (spec/dataplane.md §10)
constexpr std::uint16_t virtual_descriptors = 1024;

// Runs the steps of a start until one fails; remembers which and why.
class Start {
public:
    explicit Start(std::string& why_not) : why_not_(why_not) {}

    bool step(const char* what, int outcome) {
        if (outcome == 0) return true;
        why_not_ = std::string(what) + " failed: " + rte_strerror(-outcome);
        return false;
    }
    bool step(const char* what, bool is_done) { return step(what, is_done ? 0 : -rte_errno); }

private:
    std::string& why_not_;
};

Pool make_pool(const std::string& name, unsigned frames, int socket) {
    return Pool(rte_pktmbuf_pool_create(name.c_str(), frames, std::min(pool_cache_frames, frames / 2), 0,
                                        RTE_MBUF_DEFAULT_BUF_SIZE, socket));
}

bool make_pools(DpdkPort::Impl& port, const PortSettings& settings, int socket) {
    const std::string prefix = "port" + std::to_string(port.config_index);
    for (std::uint16_t queue = 0; queue < settings.queue_count; ++queue) {
        port.rx_pools.push_back(
            make_pool(prefix + "_rx" + std::to_string(queue), settings.frames_max, socket));
        if (!port.rx_pools.back()) return false;
    }
    port.tx_pool = make_pool(prefix + "_tx", tx_frames_max, socket);
    return port.tx_pool != nullptr;
}

// Looked up after the start: drivers register the field while starting.
void find_stamp(DpdkPort::Impl& port, bool is_offload_on) {
    const bool is_capture = port.replay.has_value();
    if (!is_offload_on && !is_capture) return;
    const int offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, nullptr);
    const int flag = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_RX_TIMESTAMP_NAME, nullptr);
    if (offset < 0 || flag < 0) return;
    port.stamp = {.offset = offset,
                  .flag = std::uint64_t{1} << flag,
                  .domain = is_capture ? model::TimeDomain::capture_ns : model::TimeDomain::nic_ticks,
                  .ns_per_tick = is_capture ? 1000u : 1u};  // net_pcap stamps in microseconds
    if (is_capture) return;
    // mlx5 counts nanoseconds since 1970 only when its firmware keeps the clock so (spec/dataplane.md §6).
    constexpr std::uint64_t near_ns = 1'000'000'000;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::uint64_t now_ns =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
    std::uint64_t nic_clock = 0;
    if (rte_eth_read_clock(port.port_id, &nic_clock) == 0 && nic_clock + near_ns > now_ns &&
        nic_clock < now_ns + near_ns)
        port.stamp.domain = model::TimeDomain::nic_realtime_ns;
}

void note_facts(DpdkPort::Impl& port, const PortSettings& settings, const DevicePlan& plan,
                const rte_eth_dev_info& info) {
    const Device& device = plan.device;
    PortFacts& facts = port.facts;
    facts.name = settings.name;
    facts.device = settings.device;
    facts.driver = info.driver_name != nullptr ? info.driver_name : "";
    facts.queue_count = settings.queue_count;
    facts.capabilities = ask_capabilities(port.port_id, device.kind, info);
    facts.ring_frames = plan.ring_frames;
    std::array<char, IF_NAMESIZE> interface {};
    if (info.if_index != 0 && ::if_indextoname(info.if_index, interface.data()) != nullptr)
        facts.interface = interface.data();
    rte_ether_addr address{};
    const bool has_own_address = device.is_kernel_interface() || device.kind == DeviceKind::pci;
    if (has_own_address && rte_eth_macaddr_get(port.port_id, &address) == 0)
        facts.mac = net::load_mac(reinterpret_cast<const std::byte*>(address.addr_bytes));
    rte_eth_link link{};
    if (rte_eth_link_get_nowait(port.port_id, &link) == 0) {
        facts.is_link_up = link.link_status == RTE_ETH_LINK_UP;
        facts.link_speed_mbps = link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ? 0 : link.link_speed;
    }
    facts.has_frame_times = port.stamp.offset >= 0 || (port.replay && !port.replay->index.times_ns.empty());
    if (!port.replay) return;
    facts.replay_frames = port.replay->index.frame_count;
    facts.is_replay_cut = !port.replay->index.warning.empty();
}

bool find_device(DpdkPort::Impl& port, const Device& device, std::string& why_not) {
    const std::string name = dpdk_name(device, port.config_index);
    if (rte_eth_dev_get_port_by_name(name.c_str(), &port.port_id) == 0) return true;
    why_not = device.kind == DeviceKind::pci
                  ? "no driver of this build takes it (pmds in dataplane/port/meson.build)"
                  : "its driver refused it";
    return false;
}

bool has_stamps(const rte_eth_dev_info& info) {
    return (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP) != 0;
}

// Frames of one group stay in order: the queue is chosen by a hash of addresses and ports. The kernel spreads
// those of its interfaces by itself (packet fanout).
bool spread_over_queues(const PortSettings& settings, const Device& device, const rte_eth_dev_info& info,
                        rte_eth_conf& conf, std::string& why_not) {
    if (settings.queue_count == 1 || device.is_kernel_interface()) return true;
    conf.rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    if (conf.rx_adv_conf.rss_conf.rss_hf != 0) return true;
    why_not = "it cannot spread frames over " + std::to_string(settings.queue_count) +
              " queues (no receive-side scaling): set queue_count=\"1\"";
    return false;
}

// A virtual device has no ring of its own, or one that its buffers outside DPDK bound: as it comes.
std::uint16_t receive_descriptors(const PortSettings& settings, const Device& device,
                                  const rte_eth_dev_info& info) {
    if (settings.descriptors)
        return static_cast<std::uint16_t>(std::min<std::uint32_t>(*settings.descriptors, UINT16_MAX));
    return device.kind == DeviceKind::pci ? longest_ring(limits_of(info.rx_desc_lim), settings.frames_max)
                                          : virtual_descriptors;
}

bool set_up_queues(DpdkPort::Impl& port, const PortSettings& settings, std::uint16_t rx_descriptors,
                   int socket, Start& start) {
    std::uint16_t tx_descriptors = tx_descriptors_wanted;
    const std::uint16_t id = port.port_id;
    if (!start.step("sizing queues", rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx_descriptors, &tx_descriptors)))
        return false;
    const auto socket_id = static_cast<unsigned>(socket);
    for (std::uint16_t queue = 0; queue < settings.queue_count; ++queue)
        if (!start.step("setting a receive queue up",
                        rte_eth_rx_queue_setup(id, queue, rx_descriptors, socket_id, nullptr,
                                               port.rx_pools[queue].get())) ||
            !start.step("setting a transmit queue up",
                        rte_eth_tx_queue_setup(id, queue, tx_descriptors, socket_id, nullptr)))
            return false;
    port.facts.descriptors = rx_descriptors;
    port.queues.resize(settings.queue_count);
    for (std::uint16_t queue = 0; queue < settings.queue_count; ++queue)
        port.queues[queue].index = queue;
    return true;
}

}  // namespace

std::unique_ptr<DpdkPort::Impl> start_device(const PortSettings& settings, PlannedPort planned,
                                             std::uint16_t config_index, std::string& why_not) {
    auto port = std::make_unique<DpdkPort::Impl>();
    const Device& device = planned.plan.device;
    port->config_index = config_index;
    if (!find_device(*port, device, why_not)) return nullptr;
    if (device.kind == DeviceKind::pcap)
        port->replay.emplace(
            DpdkPort::Impl::Replay{.pace = ReplayPace(planned.pace, core::CycleClock::calibrate()),
                                   .index = std::move(planned.capture),
                                   .seat = std::move(planned.replay)});

    Start start(why_not);
    const std::uint16_t id = port->port_id;
    const std::uint16_t queue_count = settings.queue_count;
    rte_eth_dev_info info{};
    if (!start.step("asking the device", rte_eth_dev_info_get(id, &info))) return nullptr;
    rte_eth_conf conf{};
    if (has_stamps(info)) conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TIMESTAMP;
    const int socket = rte_eth_dev_socket_id(id);
    if (!spread_over_queues(settings, device, info, conf, why_not) ||
        !start.step("taking buffers (frames_max)", make_pools(*port, settings, socket)) ||
        !start.step("configuring", rte_eth_dev_configure(id, queue_count, queue_count, &conf)) ||
        !set_up_queues(*port, settings, receive_descriptors(settings, device, info), socket, start) ||
        !start.step("starting", rte_eth_dev_start(id)))
        return nullptr;
    port->is_started = true;
    find_stamp(*port, has_stamps(info));
    note_facts(*port, settings, planned.plan, info);
    return port;
}

}  // namespace tickpath::port
