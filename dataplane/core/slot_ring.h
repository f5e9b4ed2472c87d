// Carries values from one core to another, by value, in cache-line slots. Hot: both ends, once per value.
#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "dataplane/core/cache_line.h"

namespace tickpath::core {

/// One producer, one consumer, `slot_count` slots. Which side am I on? The producer calls claim, publish and
/// free_slots; the consumer front and pop; nobody else calls anything.
///
/// A slot holds its own sequence word beside the value, so a hop moves only the lines of one slot: no index
/// line travels with it. The consumer's progress is written to a line of its own, which the producer reads
/// only when the ring looks full.
template <class T>
class SlotRing {
    static_assert(std::is_trivially_copyable_v<T>, "a slot is overwritten, never destroyed");

public:
    /// `slot_count` is a power of two, at least 2. Takes the memory and touches all of it.
    explicit SlotRing(std::size_t slot_count)
        : slots_(std::make_unique<Slot[]>(slot_count)), index_mask_(slot_count - 1) {
        assert(slot_count >= 2 && std::has_single_bit(slot_count));
    }

    SlotRing(const SlotRing&) = delete;
    SlotRing& operator=(const SlotRing&) = delete;

    /// The next slot to fill in place, or nullptr when the ring is full. Its old content is still there.
    /// Claiming again without a publish returns the same slot.
    [[nodiscard]] T* claim() noexcept {
        if (written_ - known_read_ == slot_count()) [[unlikely]] {
            known_read_ = read_.load(std::memory_order_acquire);  // pairs with the release in pop
            if (written_ - known_read_ == slot_count()) return nullptr;
        }
        return &slots_[written_ & index_mask_].value;
    }

    /// Hands the claimed slot over.
    void publish() noexcept {
        Slot& slot = slots_[written_ & index_mask_];
        ++written_;
        slot.sequence.store(written_, std::memory_order_release);  // pairs with the acquire in front
    }

    /// claim, copy and publish in one; false when the ring is full.
    [[nodiscard]] bool push(const T& value) noexcept {
        T* const slot = claim();
        if (slot == nullptr) [[unlikely]]
            return false;
        *slot = value;
        publish();
        return true;
    }

    /// Slots that can be claimed and published before the ring is full, as seen by the producer: there may be
    /// more.
    [[nodiscard]] std::size_t free_slots() noexcept {
        known_read_ = read_.load(std::memory_order_acquire);  // pairs with the release in pop
        return slot_count() - static_cast<std::size_t>(written_ - known_read_);
    }

    /// The oldest value, or nullptr when the ring is empty. It stays in place until pop.
    [[nodiscard]] const T* front() const noexcept {
        const Slot& slot = slots_[taken_ & index_mask_];
        // Pairs with the release in publish. An old sequence is smaller by a multiple of slot_count.
        if (slot.sequence.load(std::memory_order_acquire) != taken_ + 1) return nullptr;
        return &slot.value;
    }

    /// Gives the slot of front back to the producer.
    void pop() noexcept {
        ++taken_;
        read_.store(taken_, std::memory_order_release);  // pairs with the acquire in claim
    }

    [[nodiscard]] std::size_t slot_count() const noexcept { return index_mask_ + 1; }
    static constexpr std::size_t slot_bytes() noexcept { return sizeof(Slot); }

private:
    struct alignas(cache_line_bytes) Slot {
        std::atomic<std::uint64_t> sequence{0};  // written by the producer: 1 + the number of the value in it
        T value{};
    };

    std::unique_ptr<Slot[]> slots_;
    std::size_t index_mask_;
    alignas(cache_line_bytes) std::uint64_t written_ = 0;  // used by the producer only
    std::uint64_t known_read_ = 0;                       // used by the producer only: read_ as last looked up
    alignas(cache_line_bytes) std::uint64_t taken_ = 0;  // used by the consumer only
    alignas(cache_line_bytes) std::atomic<std::uint64_t> read_{0};  // written by the consumer
};

}  // namespace tickpath::core
