// An order link in memory: the test decides when it is up, what it accepts and what comes back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/model/order_link.h"

namespace tickpath::test {

/// Satisfies model::OrderLink. Starts down; connects in `poll` while `connects` is true.
class FakeLink {
public:
    FakeLink() { sent_.reserve(std::size_t{1} << 22); }

    // The link's side.
    [[nodiscard]] bool send(std::span<const std::byte> bytes) noexcept {
        ++send_calls;
        if (state_ != model::LinkState::up || refuses_sends || sent_.size() + bytes.size() > sent_.capacity())
            return false;
        sent_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return true;
    }
    [[nodiscard]] std::size_t receive(std::span<std::byte> buffer) noexcept {
        if (state_ != model::LinkState::up) return 0;
        const std::size_t bytes = std::min({buffer.size(), incoming_.size(), receive_bytes_max});
        std::memcpy(buffer.data(), incoming_.data(), bytes);
        incoming_.erase(0, bytes);
        if (bytes == 0 && peer_closed_) break_off();
        return bytes;
    }
    void poll(std::uint64_t) noexcept {
        if (state_ == model::LinkState::down && connects && !stays_down_) come_up();
    }
    [[nodiscard]] model::LinkState state() const noexcept { return state_; }
    [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog; }
    void close(bool stay_down) noexcept {
        break_off();
        stays_down_ = stay_down;
    }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    // The test's side.
    void come_up() noexcept {
        state_ = model::LinkState::up;
        ++generation_;
        incoming_.clear();
        peer_closed_ = false;
    }
    /// What was sent is gone or not: the test still has it. What was to come is lost.
    void break_off() noexcept {
        state_ = model::LinkState::down;
        incoming_.clear();
    }
    /// The other end has closed: what it sent before can still be read.
    void close_by_peer() noexcept { peer_closed_ = true; }
    void deliver(std::string_view bytes) { incoming_.append(bytes); }
    [[nodiscard]] std::string take_sent() {
        std::string taken = sent_;
        sent_.clear();  // keeps the capacity: send must not allocate
        return taken;
    }
    [[nodiscard]] std::string_view sent() const noexcept { return sent_; }

    bool connects = true;
    bool refuses_sends = false;
    std::size_t backlog = 0;
    std::size_t receive_bytes_max = std::size_t{1} << 20;
    std::uint64_t send_calls = 0;

private:
    model::LinkState state_ = model::LinkState::down;
    bool stays_down_ = false;
    bool peer_closed_ = false;
    std::uint64_t generation_ = 0;
    std::string sent_;
    std::string incoming_;
};
static_assert(model::OrderLink<FakeLink>);

}  // namespace tickpath::test
