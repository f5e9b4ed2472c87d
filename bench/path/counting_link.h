// An order link into memory: stamps each order on arrival, keeps its bytes for the answering side.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/cache_line.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/order_link.h"
#include "dataplane/trade/order_id.h"

namespace tickpath::bench {

/// When each packet was received, by its number: written before its ticks are handed on.
class ReceiveStamps {
public:
    [[nodiscard]] std::uint64_t& operator[](std::uint32_t packet_sequence) noexcept {
        return cycles_[packet_sequence % cycles_.size()];
    }

private:
    std::array<std::uint64_t, 8'192> cycles_{};
};

/// Satisfies model::OrderLink; up from the first poll. `sends` may be watched by another thread.
class CountingLink {
public:
    static constexpr std::size_t samples_max = 1u << 20;

    explicit CountingLink(ReceiveStamps& stamps)
        : stamps_(stamps), sent_(std::size_t{1} << 22), incoming_(std::size_t{1} << 22) {
        samples_.reserve(samples_max);
    }

    /// The order is ready now: what follows is the bench's own.
    [[nodiscard]] bool send(std::span<const std::byte> bytes) noexcept {
        last_send_cycles_ = core::cycles_now();
        if (sent_bytes_ + bytes.size() > sent_.size()) return false;
        std::memcpy(sent_.data() + sent_bytes_, bytes.data(), bytes.size());
        sent_bytes_ += bytes.size();
        if (takes_samples) sample(bytes);
        sends_.store(sends_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        return true;
    }
    [[nodiscard]] std::size_t receive(std::span<std::byte> buffer) noexcept {
        const std::size_t bytes = std::min(buffer.size(), incoming_bytes_ - incoming_taken_);
        std::memcpy(buffer.data(), incoming_.data() + incoming_taken_, bytes);
        incoming_taken_ += bytes;
        return bytes;
    }
    void poll(std::uint64_t) noexcept { state_ = model::LinkState::up; }
    [[nodiscard]] model::LinkState state() const noexcept { return state_; }
    [[nodiscard]] std::size_t backlog_bytes() const noexcept { return 0; }
    void close(bool) noexcept { state_ = model::LinkState::down; }
    [[nodiscard]] std::uint64_t generation() const noexcept { return 1; }

    /// Calls of send; acquire, so that what led to it is seen.
    [[nodiscard]] std::uint64_t sends() const noexcept { return sends_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t last_send_cycles() const noexcept { return last_send_cycles_; }

    /// For the answering side, on the trade thread.
    [[nodiscard]] std::span<const std::byte> take_sent() noexcept {
        const std::span<const std::byte> taken(sent_.data(), sent_bytes_);
        sent_bytes_ = 0;
        return taken;
    }
    void deliver(std::span<const std::byte> bytes) noexcept {
        if (incoming_taken_ == incoming_bytes_) incoming_taken_ = incoming_bytes_ = 0;
        const std::size_t fitting = std::min(bytes.size(), incoming_.size() - incoming_bytes_);
        std::memcpy(incoming_.data() + incoming_bytes_, bytes.data(), fitting);
        incoming_bytes_ += fitting;
    }

    bool takes_samples = true;  ///< false where instructions are counted: sampling is the bench's own work
    /// Cycles from receipt to ready, one per order since the last clear.
    [[nodiscard]] std::vector<std::uint64_t>& samples() noexcept { return samples_; }

private:
    void sample(std::span<const std::byte> bytes) noexcept {
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::size_t field = text.find("\00111=");
        if (field == std::string_view::npos || samples_.size() == samples_max) return;  // a session message
        const auto id = trade::decode_order_id(text.substr(field + 4, model::cl_ord_id_chars));
        if (id) samples_.push_back(last_send_cycles_ - stamps_[id->packet_sequence]);
    }

    ReceiveStamps& stamps_;
    std::vector<std::uint64_t> samples_;
    model::LinkState state_ = model::LinkState::down;
    std::vector<std::byte> sent_;
    std::vector<std::byte> incoming_;
    std::size_t sent_bytes_ = 0;
    std::size_t incoming_bytes_ = 0;
    std::size_t incoming_taken_ = 0;
    std::uint64_t last_send_cycles_ = 0;
    alignas(core::cache_line_bytes) std::atomic<std::uint64_t> sends_{0};  // written by the trade thread
};
static_assert(model::OrderLink<CountingLink>);

}  // namespace tickpath::bench
