// Signals of a run: SIGINT, SIGTERM and SIGHUP end it, SIGUSR1 throws the kill switch, SIGUSR2 asks for a
// report. Cold.
#pragma once

#include "dataplane/trade/kill_switch.h"

namespace tickpath::runtime {

/// Keeps SIGUSR1 and SIGUSR2 waiting until an Interrupts takes them: a request in a program's first moments
/// is not its end. Called before anything else, on the only thread.
void hold_requests();

/// Takes the five signals for as long as it lives; one at a time in a process. Made before anything else and
/// kept until the report is out: a signal before, between or after the work must not end the process without
/// a word.
///
/// SIGPIPE is ignored, and so is SIGHUP where it was ignored before (nohup). SIGBUS, a mapped file that
/// somebody cut short, ends the process with one line and exit code 1.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    [[nodiscard]] static bool wants_stop() noexcept;
    /// True once per SIGUSR2.
    [[nodiscard]] static bool wants_report() noexcept;
};

/// While it lives SIGUSR1 throws `kill`; at once when the signal came earlier in the life of Interrupts.
class KillOnSignal {
public:
    explicit KillOnSignal(trade::KillSwitch& kill);
    ~KillOnSignal();
    KillOnSignal(const KillOnSignal&) = delete;
    KillOnSignal& operator=(const KillOnSignal&) = delete;
};

}  // namespace tickpath::runtime
