// When to send a Heartbeat, when to ask for one and when to give the peer up (spec/fix-session.md §4.6).
#pragma once

#include <cstdint>

#include "dataplane/session/now.h"
#include "dataplane/session/session_settings.h"

namespace tickpath::session {

/// Monotonic time only. With an interval of 0 there are no heartbeats and no time-outs.
class Liveness {
public:
    enum class Action : std::uint8_t { none, heartbeat, test_request, give_up };

    void start(std::uint32_t heartbeat_s, const SessionSettings& settings, std::uint64_t now_ns) noexcept {
        interval_ns_ = heartbeat_s * std::uint64_t{1'000'000'000};
        test_ns_ = interval_ns_ / 100 * settings.test_request_percent;
        silence_ns_ = interval_ns_ / 100 * settings.silence_percent;
        received_ns_ = sent_ns_ = now_ns;
        is_testing_ = false;
    }

    [[nodiscard]] std::uint64_t interval_ns() const noexcept { return interval_ns_; }

    void sent(std::uint64_t now_ns) noexcept { sent_ns_ = now_ns; }
    /// Any sound message is an answer to a TestRequest.
    void received(std::uint64_t now_ns) noexcept {
        received_ns_ = now_ns;
        is_testing_ = false;
    }

    /// What is due. A process that slept through its timers gets one action a call, never a burst, and asks
    /// its peer before it gives it up.
    [[nodiscard]] Action due(std::uint64_t now_ns) noexcept {
        if (interval_ns_ == 0) return Action::none;
        if (is_testing_)
            return elapsed_ns(tested_ns_, now_ns) >= silence_ns_ - test_ns_ ? Action::give_up : Action::none;
        if (elapsed_ns(received_ns_, now_ns) >= test_ns_) {
            is_testing_ = true;
            tested_ns_ = now_ns;
            return Action::test_request;
        }
        return elapsed_ns(sent_ns_, now_ns) >= interval_ns_ ? Action::heartbeat : Action::none;
    }

private:
    std::uint64_t interval_ns_ = 0;
    std::uint64_t test_ns_ = 0;
    std::uint64_t silence_ns_ = 0;
    std::uint64_t sent_ns_ = 0;
    std::uint64_t received_ns_ = 0;
    std::uint64_t tested_ns_ = 0;
    bool is_testing_ = false;  ///< until something arrives no Heartbeat is sent
};

}  // namespace tickpath::session
