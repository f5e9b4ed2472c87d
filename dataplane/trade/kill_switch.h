// The switch that ends all order sending of a run. May be thrown from a signal handler or any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace tickpath::trade {

enum class KillReason : std::uint32_t {
    none,
    signal,   ///< SIGUSR1
    command,  ///< a person, through the command ring
    rejects,  ///< the counterparty rejected rejects_max orders
    store,    ///< the session store was removed: numbers would not outlive the process
};

[[nodiscard]] constexpr std::string_view name(KillReason reason) noexcept {
    switch (reason) {
        case KillReason::none:
            return "none";
        case KillReason::signal:
            return "signal";
        case KillReason::command:
            return "command";
        case KillReason::rejects:
            return "rejects";
        case KillReason::store:
            return "store removed";
    }
    return "none";
}

/// Thrown once, for the rest of the run: a trader that was stopped for cause comes back by a person's
/// restart, never by itself.
class KillSwitch {
public:
    /// The first reason stays. Async-signal-safe.
    void engage(KillReason reason) noexcept {
        std::uint32_t expected = 0;
        reason_.compare_exchange_strong(expected, static_cast<std::uint32_t>(reason),
                                        std::memory_order_relaxed);
    }

    [[nodiscard]] bool is_engaged() const noexcept { return reason_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] KillReason reason() const noexcept {
        return static_cast<KillReason>(reason_.load(std::memory_order_relaxed));
    }

private:
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a signal handler may not take a lock");
    std::atomic<std::uint32_t> reason_{0};  // written by signal handlers and the trade core, at most once
};

}  // namespace tickpath::trade
