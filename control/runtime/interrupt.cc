#include "control/runtime/interrupt.h"

#include <atomic>
#include <csignal>

namespace tickpath::runtime {
namespace {

// A signal handler has no other way to reach its object.
std::atomic<trade::KillSwitch*> kill_switch{nullptr};
std::atomic<bool> stop_asked{false};
std::atomic<bool> report_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<trade::KillSwitch*>::is_always_lock_free);

extern "C" void on_signal(int number) {
    if (number == SIGUSR2) {
        report_asked.store(true, std::memory_order_relaxed);
    } else if (number == SIGUSR1) {
        if (trade::KillSwitch* kill = kill_switch.load(std::memory_order_relaxed))
            kill->engage(trade::KillReason::signal);
    } else {
        stop_asked.store(true, std::memory_order_relaxed);
    }
}

void handle_all(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2})
        sigaction(number, &action, nullptr);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;  // a reader of our output that went away is not our end
    sigaction(SIGPIPE, &ignore, nullptr);
}

}  // namespace

Interrupts::Interrupts(trade::KillSwitch& kill) {
    stop_asked = false;
    report_asked = false;
    kill_switch = &kill;
    handle_all(on_signal);
}

Interrupts::~Interrupts() {
    handle_all(SIG_DFL);
    kill_switch = nullptr;
}

bool Interrupts::wants_stop() noexcept {
    return stop_asked.load(std::memory_order_relaxed);
}
bool Interrupts::wants_report() noexcept {
    return report_asked.exchange(false, std::memory_order_relaxed);
}

}  // namespace tickpath::runtime
