// A process of its own around one net_tap device, the only one with flow rules that needs no NIC: DPDK starts
// once per process. Run by dpdk_flow_test.
//
//     dpdk_flow_probe QUEUE_COUNT [--isolate] [GROUP:PORT=QUEUE]…
//
// Prints "can …", with --isolate "isolated" or why not, then for all rules together "made" or "refused …".
// Exits 3 when there is no device.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <rte_eal.h>
#include <rte_ethdev.h>

#include "dataplane/port/dpdk_capabilities.h"
#include "dataplane/port/dpdk_flow.h"

namespace tickpath::port {
namespace {

constexpr std::uint16_t descriptors = 256;

bool start_dpdk() {
    std::vector<std::string> words = {"dpdk_flow_probe",
                                      "--no-huge",
                                      "-m",
                                      "64",
                                      "--no-shconf",
                                      "--no-pci",
                                      "--no-telemetry",
                                      "--log-level=*:1",
                                      "--vdev=net_tap0,iface=tpflow0"};
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return rte_eal_init(static_cast<int>(argv.size()), argv.data()) >= 0;
}

bool start_device(std::uint16_t id, std::uint16_t queue_count) {
    rte_mempool* const pool =
        rte_pktmbuf_pool_create("probe", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    const rte_eth_conf conf{};
    if (pool == nullptr || rte_eth_dev_configure(id, queue_count, queue_count, &conf) != 0) return false;
    for (std::uint16_t queue = 0; queue < queue_count; ++queue)
        if (rte_eth_rx_queue_setup(id, queue, descriptors, 0, nullptr, pool) != 0 ||
            rte_eth_tx_queue_setup(id, queue, descriptors, 0, nullptr) != 0)
            return false;
    return rte_eth_dev_start(id) == 0;
}

FlowRule rule_of(const std::string& word) {
    const std::size_t equals = word.find('=');
    std::string why_not;
    return {.group = net::parse_group(word.substr(0, equals), why_not).value(),
            .queue = static_cast<std::uint16_t>(std::stoul(word.substr(equals + 1)))};
}

int run(int argc, char** argv) {
    std::uint16_t id = 0;
    const auto queue_count = static_cast<std::uint16_t>(std::atoi(argv[1]));
    if (!start_dpdk() || rte_eth_dev_get_port_by_name("net_tap0", &id) != 0 || !start_device(id, queue_count))
        return 3;
    rte_eth_dev_info info{};
    if (rte_eth_dev_info_get(id, &info) != 0) return 3;
    std::printf("can %s\n", to_text(ask_capabilities(id, DeviceKind::af_packet, info)).c_str());
    std::vector<FlowRule> rules;
    std::string why_not;
    for (int i = 2; i < argc; ++i) {
        if (std::string_view(argv[i]) != "--isolate")
            rules.push_back(rule_of(argv[i]));
        else
            std::printf("%s\n",
                        set_isolated(id, true, why_not) == Steered::done ? "isolated" : why_not.c_str());
    }
    const bool is_made = make_rules(id, rules, why_not);
    std::printf("%s%s\n", is_made ? "made" : "refused ", why_not.c_str());
    rte_eth_dev_stop(id);
    rte_eth_dev_close(id);
    rte_eal_cleanup();
    return 0;
}

}  // namespace
}  // namespace tickpath::port

int main(int argc, char** argv) {
    return tickpath::port::run(argc, argv);
}
