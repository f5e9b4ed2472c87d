// An open gap in the inbound numbers and the ResendRequest that asks for it (spec/fix-session.md §4.5).
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataplane/session/now.h"

namespace tickpath::session {

/// Numbers only; the session writes the requests.
class Gap {
public:
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

    /// A ResendRequest from `expected` without an end goes out now.
    void ask(std::uint64_t expected, std::uint64_t now_ns) noexcept {
        is_open_ = true;
        asked_from_ = expected;
        high_ = highest_seen_;
        progress_ns_ = now_ns;
        attempts_ = 1;
        is_answer_running_ = true;
    }
    /// The same again, after a time-out.
    void ask_again(std::uint64_t expected, std::uint64_t now_ns) noexcept {
        asked_from_ = expected;
        progress_ns_ = now_ns;
        ++attempts_;
        is_answer_running_ = true;
    }

    void saw(std::uint64_t number) noexcept { highest_seen_ = std::max(highest_seen_, number); }

    /// The expected number moved to `expected`. True when that closed the gap.
    bool moved_to(std::uint64_t expected, std::uint64_t now_ns) noexcept {
        progress_ns_ = now_ns;
        attempts_ = 1;
        if (!is_open_ || expected <= high_) return false;
        is_open_ = false;
        return true;
    }
    /// Something at or behind `expected` was seen, and had no room to wait.
    [[nodiscard]] bool has_lost(std::uint64_t expected) const noexcept { return expected <= highest_seen_; }

    /// A message without PossDupFlag came in sequence: what the peer sends now is no answer any more.
    void answer_ended() noexcept { is_answer_running_ = false; }
    /// A GapFill numbered below the expected number may still belong to the answer.
    [[nodiscard]] bool is_answer(std::uint64_t number) const noexcept {
        return is_answer_running_ && number >= asked_from_;
    }

    [[nodiscard]] bool is_overdue(std::uint64_t now_ns, std::uint64_t timeout_ns) const noexcept {
        return is_open_ && elapsed_ns(progress_ns_, now_ns) >= timeout_ns;
    }
    [[nodiscard]] std::uint32_t attempts() const noexcept { return attempts_; }

private:
    std::uint64_t asked_from_ = 0;
    std::uint64_t high_ = 0;  ///< the gap is closed when the expected number is beyond it
    std::uint64_t highest_seen_ = 0;
    std::uint64_t progress_ns_ = 0;
    std::uint32_t attempts_ = 0;
    bool is_open_ = false;
    bool is_answer_running_ = false;  ///< nothing without PossDupFlag was accepted since the request
};

}  // namespace tickpath::session
