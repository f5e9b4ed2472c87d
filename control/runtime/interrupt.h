// Signals of a run: SIGINT and SIGTERM end it, SIGUSR1 throws the kill switch, SIGUSR2 asks for a report.
// Cold.
#pragma once

#include "dataplane/trade/kill_switch.h"

namespace tickpath::runtime {

/// Takes the four signals for as long as it lives; one at a time in a process.
class Interrupts {
public:
    explicit Interrupts(trade::KillSwitch& kill);
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    [[nodiscard]] static bool wants_stop() noexcept;
    /// True once per SIGUSR2.
    [[nodiscard]] static bool wants_report() noexcept;
};

}  // namespace tickpath::runtime
