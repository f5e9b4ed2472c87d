// Knows which instruments the current message or datagram of each channel has touched, so that a strategy
// sees an event once and whole. Hot: once per tick.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/model/tick.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/trade_settings.h"

namespace tickpath::trade {

/// One instrument of an event. One cache line.
struct Touch {
    Top before;  ///< best levels before the event's first tick
    model::InstrumentId instrument = model::no_instrument;
    std::uint16_t entry_index = 0;  ///< of its last tick
    std::uint8_t message_index = 0;
    bool has_quotes = false;
    bool has_trades = false;
};

/// What one channel's current event has touched so far.
struct PendingEvent {
    static constexpr std::size_t touches_max = 256;  ///< a datagram of 1,500 bytes has no room for more

    std::uint64_t key = 0;  ///< which message, or datagram
    std::size_t touch_count = 0;
    std::array<Touch, touches_max> touches;

    /// The newest touch of `instrument`, or nullptr. The last tick's instrument is found at once.
    [[nodiscard]] Touch* find(model::InstrumentId instrument) noexcept {
        for (std::size_t i = touch_count; i-- > 0;)
            if (touches[i].instrument == instrument) return &touches[i];
        return nullptr;
    }

    void drop(model::InstrumentId instrument) noexcept {
        if (Touch* const touch = find(instrument)) *touch = touches[--touch_count];
    }
};

/// Several receive cores may feed one trade core, so channels interleave; within a channel they do not.
class EventTracker {
public:
    EventTracker(DecideAt decide, std::size_t channel_count)
        : end_flags_(end_flags(decide)),
          message_mask_(decide == DecideAt::packet ? 0x00u : 0xFFu),
          channel_count_(channel_count),
          channels_(std::make_unique<PendingEvent[]>(channel_count)) {}

    [[nodiscard]] bool has(std::uint16_t channel) const noexcept { return channel < channel_count_; }

    /// The event that `tick` belongs to. `was_cut`: the channel's previous event never ended (its datagram
    /// broke off inside a message); what it touched is dropped, for a strategy must not see half of it.
    [[nodiscard]] PendingEvent& event_of(const model::Tick& tick, bool& was_cut) noexcept {
        PendingEvent& event = channels_[tick.channel];
        const std::uint64_t key = (std::uint64_t{tick.packet_sequence} << 16) |
                                  (std::uint64_t{tick.line} << 8) | (tick.message_index & message_mask_);
        was_cut = event.touch_count != 0 && event.key != key;
        if (was_cut) [[unlikely]]
            event.touch_count = 0;
        event.key = key;
        return event;
    }

    [[nodiscard]] bool ends_event(const model::Tick& tick) const noexcept { return tick.has(end_flags_); }

private:
    [[nodiscard]] static constexpr std::uint16_t end_flags(DecideAt decide) noexcept {
        constexpr std::uint16_t message = model::tick_flag::last_of_event | model::tick_flag::last_of_packet;
        switch (decide) {
            case DecideAt::message:
                break;
            case DecideAt::packet:
                return model::tick_flag::last_of_packet;
            case DecideAt::entry:
                return message | model::tick_flag::early;
        }
        return message;
    }

    std::uint16_t end_flags_;
    std::uint32_t message_mask_;
    std::size_t channel_count_;
    std::unique_ptr<PendingEvent[]> channels_;
};

}  // namespace tickpath::trade
