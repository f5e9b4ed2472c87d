// Carries whole packets between cores by copy, for a cut before decoding: an mbuf never leaves its core. Hot.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/core/slot_ring.h"

namespace tickpath::core {

inline constexpr std::size_t packet_slot_bytes = 2048;
inline constexpr std::size_t packet_bytes_max = 1920;  ///< longer packets do not fit a slot
inline constexpr std::size_t packet_tailroom_bytes =
    64;  ///< behind every packet, free for decoding sentinels

/// A packet in its slot. `Meta` is what travels with the bytes: where and when they were received.
template <class Meta>
struct Packet {
    Meta meta{};
    std::uint32_t size_bytes = 0;
    std::array<std::byte, packet_bytes_max + packet_tailroom_bytes> bytes{};
};

/// A SlotRing of packets; one producer, one consumer.
template <class Meta>
class PacketRing {
public:
    explicit PacketRing(std::size_t slot_count) : ring_(slot_count) {}

    [[nodiscard]] static constexpr bool fits(std::size_t size_bytes) noexcept {
        return size_bytes <= packet_bytes_max;
    }

    /// Copies the packet in; `bytes` must fit. False when the ring is full: stop polling the port and try
    /// again.
    [[nodiscard]] bool push(const Meta& meta, std::span<const std::byte> bytes) noexcept {
        assert(fits(bytes.size()));
        Packet<Meta>* const slot = ring_.claim();
        if (slot == nullptr) [[unlikely]]
            return false;
        slot->meta = meta;
        slot->size_bytes = static_cast<std::uint32_t>(bytes.size());
        std::copy(bytes.begin(), bytes.end(), slot->bytes.begin());
        ring_.publish();
        return true;
    }

    [[nodiscard]] std::size_t free_slots() noexcept { return ring_.free_slots(); }

    /// The oldest packet, or nullptr when the ring is empty. Until pop its bytes belong to the consumer
    /// alone, who may write behind them (packet_tailroom_bytes).
    [[nodiscard]] const Packet<Meta>* front() const noexcept { return ring_.front(); }
    void pop() noexcept { ring_.pop(); }

    [[nodiscard]] std::size_t slot_count() const noexcept { return ring_.slot_count(); }

private:
    using Slots = SlotRing<Packet<Meta>>;
    static_assert(sizeof(Meta) <= 48, "meta, size and sequence word share the slot's first cache line");
    static_assert(Slots::slot_bytes() == packet_slot_bytes);
    Slots ring_;
};

}  // namespace tickpath::core
