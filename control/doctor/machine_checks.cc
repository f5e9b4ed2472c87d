#include "control/doctor/machine_checks.h"

#include <algorithm>

namespace tickpath::doctor {

std::vector<MachineFinding> check_machine(const Machine& machine) {
    std::vector<MachineFinding> findings;
    for (const auto check : {check_hugepages, check_memlock, check_isolcpus, check_nohz_full, check_rcu_nocbs,
                             check_irq_affinity, check_governor, check_clock_source, check_clock_sync,
                             check_ptp, check_drivers, check_iommu, check_veth_offloads})
        findings.push_back(check(machine));
    return findings;
}

bool is_ok(std::span<const MachineFinding> findings) noexcept {
    return std::none_of(findings.begin(), findings.end(),
                        [](const MachineFinding& finding) { return finding.state == MachineState::mend; });
}

}  // namespace tickpath::doctor
