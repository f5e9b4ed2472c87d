#include "control/runtime/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace tickpath::runtime {
namespace {

// A signal handler has no other way to reach its object.
std::atomic<trade::KillSwitch*> kill_switch{nullptr};
std::atomic<bool> kill_asked{false};
std::atomic<bool> stop_asked{false};
std::atomic<bool> report_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<trade::KillSwitch*>::is_always_lock_free);

extern "C" void on_signal(int number) {
    if (number == SIGUSR2) {
        report_asked.store(true, std::memory_order_relaxed);
    } else if (number == SIGUSR1) {
        kill_asked.store(true, std::memory_order_relaxed);
        if (trade::KillSwitch* kill = kill_switch.load(std::memory_order_relaxed))
            kill->engage(trade::KillReason::signal);
    } else {
        stop_asked.store(true, std::memory_order_relaxed);
    }
}

// The page behind a mapping is gone: there is nothing to go on with, and no way to a report.
extern "C" void on_lost_page(int) {
    static constexpr char text[] =
        "tickpath: a mapped file was cut short while in use (session store, counter file or capture), or "
        "huge "
        "pages ran out: ended without a report\n";
    const ssize_t written = ::write(STDERR_FILENO, text, sizeof text - 1);
    static_cast<void>(written);  // nobody is left to tell
    ::_exit(EXIT_FAILURE);
}

void handle(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

// nohup has it ignored, and then it is to stay so.
bool is_ignored(int number) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

// SIG_BLOCK or SIG_UNBLOCK.
void change_mask_of_requests(int how) {
    sigset_t requests;
    sigemptyset(&requests);
    sigaddset(&requests, SIGUSR1);
    sigaddset(&requests, SIGUSR2);
    pthread_sigmask(how, &requests, nullptr);
}

}  // namespace

void hold_requests() {
    change_mask_of_requests(SIG_BLOCK);
}

Interrupts::Interrupts() {
    stop_asked = false;
    report_asked = false;
    kill_asked = false;
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2})
        handle(number, on_signal);
    if (!is_ignored(SIGHUP)) handle(SIGHUP, on_signal);
    change_mask_of_requests(SIG_UNBLOCK);
    handle(SIGPIPE, SIG_IGN);  // a reader of our output that went away is not our end
    handle(SIGBUS, on_lost_page);
}

Interrupts::~Interrupts() {
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGBUS})
        handle(number, SIG_DFL);
    if (!is_ignored(SIGHUP)) handle(SIGHUP, SIG_DFL);
}

KillOnSignal::KillOnSignal(trade::KillSwitch& kill) {
    kill_switch = &kill;  // first: a signal from here on finds the switch, an earlier one is seen below
    if (kill_asked) kill.engage(trade::KillReason::signal);
}

KillOnSignal::~KillOnSignal() {
    kill_switch = nullptr;
}

bool Interrupts::wants_stop() noexcept {
    return stop_asked.load(std::memory_order_relaxed);
}
bool Interrupts::wants_report() noexcept {
    return report_asked.exchange(false, std::memory_order_relaxed);
}

}  // namespace tickpath::runtime
