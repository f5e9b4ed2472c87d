// The checks of the machine, one a function. Each reads what the machine says, changes nothing, and gives one
// finding. Cold.
#pragma once

#include <span>
#include <vector>

#include "control/doctor/machine.h"
#include "control/doctor/machine_finding.h"

namespace tickpath::doctor {

// memory_checks.cc
/// Every NUMA node has the 128 MiB of huge pages that modes "hugepages" and "nic" start with.
[[nodiscard]] MachineFinding check_hugepages(const Machine& machine);
/// A process may lock both rings of an af_packet port of the usual length.
[[nodiscard]] MachineFinding check_memlock(const Machine& machine);

// isolation_checks.cc
/// The scheduler leaves some CPUs alone.
[[nodiscard]] MachineFinding check_isolcpus(const Machine& machine);
/// No timer tick on the isolated CPUs.
[[nodiscard]] MachineFinding check_nohz_full(const Machine& machine);
/// The kernel runs its deferred work (RCU callbacks) elsewhere.
[[nodiscard]] MachineFinding check_rcu_nocbs(const Machine& machine);
/// No device interrupts an isolated CPU.
[[nodiscard]] MachineFinding check_irq_affinity(const Machine& machine);

// clock_checks.cc
/// CPUs keep their frequency.
[[nodiscard]] MachineFinding check_governor(const Machine& machine);
/// The kernel trusts the time stamp counter, which the path reads for all its times.
[[nodiscard]] MachineFinding check_clock_source(const Machine& machine);
/// The system clock follows a reference: times of NIC and capture are compared with it.
[[nodiscard]] MachineFinding check_clock_sync(const Machine& machine);
/// Clocks of NICs follow their network.
[[nodiscard]] MachineFinding check_ptp(const Machine& machine);

// device_checks.cc
/// A network card is bound to a driver that mode "nic" can use.
[[nodiscard]] MachineFinding check_drivers(const Machine& machine);
/// There is an IOMMU, which vfio-pci needs.
[[nodiscard]] MachineFinding check_iommu(const Machine& machine);
/// Virtual pairs send whole frames with their checksums.
[[nodiscard]] MachineFinding check_veth_offloads(const Machine& machine);

/// All of them, in the order they are shown in.
[[nodiscard]] std::vector<MachineFinding> check_machine(const Machine& machine);

/// Nothing is to be mended.
[[nodiscard]] bool is_ok(std::span<const MachineFinding> findings) noexcept;

}  // namespace tickpath::doctor
