// The port of a build without DPDK: it says so when asked to open.
#include "dataplane/port/dpdk_port.h"
#include "dataplane/port/port_plan.h"

namespace tickpath::port {

class DpdkPort::Impl {
public:
    PortFacts facts;
};

// No port is ever made, so none of its functions is ever called; a program that could use one still has to
// link.
DpdkPort::DpdkPort(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
DpdkPort::~DpdkPort() = default;
std::size_t DpdkPort::rx_burst(std::uint16_t, std::span<model::Frame>) noexcept {
    return 0;
}
void DpdkPort::release(std::uint16_t) noexcept {}
bool DpdkPort::finished() const noexcept {
    return true;
}
std::size_t DpdkPort::tx(std::span<const std::byte>) noexcept {
    return 0;
}
Steered DpdkPort::steer(std::span<const FlowRule>, bool, std::string&) {
    return Steered::refused;
}
void DpdkPort::count_into(core::CounterPage&, std::uint16_t, std::string_view) {}
std::uint16_t DpdkPort::queue_count() const noexcept {
    return 0;
}
const PortFacts& DpdkPort::facts() const noexcept {
    return impl_->facts;
}
DeviceStats DpdkPort::device_stats() const {
    return {};
}
FilterChoice DpdkPort::let_in(std::span<const net::MulticastGroup>) {
    return {};
}
std::vector<ExtendedStat> DpdkPort::extended_stats() const {
    return {};
}

std::unique_ptr<Environment> Environment::open(std::span<const PortSettings> settings,
                                               Diagnostics& diagnostics) {
    return open(settings, plan_ports(settings, diagnostics).value_or(PortPlan{}), diagnostics);
}
std::unique_ptr<Environment> Environment::open(std::span<const PortSettings>, PortPlan,
                                               Diagnostics& diagnostics) {
    diagnostics.error({}, 0,
                      "this build has no DPDK, so no port can be opened: sudo apt install libdpdk-dev, then "
                      "meson configure build -Ddpdk=enabled",
                      Errc::io);
    return nullptr;
}
Environment::~Environment() = default;
bool Environment::register_this_thread() noexcept {
    return true;
}
void Environment::unregister_this_thread() noexcept {}

}  // namespace tickpath::port
