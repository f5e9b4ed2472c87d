// Decodes the datagrams of one stream in order and passes each message on. Hot: once per datagram that won.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/compiled_feed.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/packet.h"
#include "decoders/base/error.h"
#include "decoders/fast/decoder.h"

namespace tickpath::feed {

/// What follows the decoder.
template <class N>
concept MessageSink = requires(N next, const Packet& packet, const CompiledMessage& mapping,
                               const fast::Message& message, const fast::Entry& entry, std::uint8_t index,
                               std::uint64_t cycles) {
    /// One complete message, `index` counted from 0 in the datagram without resets, decoded at `cycles`.
    /// Returns the packet number that follows when the message restarts numbering.
    { next.on_message(packet, mapping, message, index, cycles) }
    noexcept->std::same_as<std::optional<std::uint64_t>>;
    /// The rest of the datagram could not be decoded.
    { next.on_undecoded(packet) }
    noexcept;
    /// An entry of a message that is not decoded to its end yet; on_message or on_undecoded follows. Only
    /// where the stage decodes by entry.
    { next.on_entry(packet, mapping, entry, index, cycles) }
    noexcept;
};

/// Shared by all streams of one path, which one thread runs.
struct DecodeCounters {
    core::Counter messages;
    core::Counter messages_unmapped;  ///< of templates that the description does not map
    std::array<core::Counter, errc_count> failures;
    std::array<core::Counter, fast::report_count> reports;  ///< decoded in spite of a reportable error
    DecodeFailure last_failure;

    DecodeCounters(core::CounterPage& page, std::string_view owner);
};

class DecodeStage {
public:
    /// `by_entry`: entries of messages with has_early_entries go to on_entry as soon as each is decoded.
    DecodeStage(const CompiledFeed& feed, std::uint16_t channel, DecodeCounters& counters, bool by_entry)
        : feed_(feed),
          by_entry_(by_entry),
          is_one_message_(feed.description().messages == framing::MessagesPerDatagram::one),
          channel_(channel),
          decoder_(by_entry ? feed.templates_by_entry() : feed.templates(), feed.decoder_options()),
          counters_(counters) {
        decoder_.poison();  // the dictionary of a feed that was joined in its middle is not known either
    }

    /// Datagrams are missing before the next one.
    void on_loss() noexcept { decoder_.poison(); }

    template <MessageSink Next>
    [[nodiscard]] std::optional<std::uint64_t> on_packet(const Packet& packet, Next& next) noexcept {
        std::optional<std::uint64_t> restart_at;
        std::uint8_t message_index = 0;
        EntryForwarder<Next> entries{feed_, packet, next, message_index};
        if (by_entry_)
            decoder_.set_entry_sink({.on_entry = EntryForwarder<Next>::forward, .owner = &entries});
        decoder_.begin(packet.body, packet.tailroom_bytes);
        while (decoder_.next()) {
            const std::uint64_t decoded_cycles = core::cycles_now();
            const fast::Message& message = decoder_.message();
            const CompiledMessage* const mapping = feed_.message(message.template_index());
            if (mapping == nullptr) [[unlikely]] {
                if (is_reset(message)) continue;
                counters_.messages_unmapped.add();
            } else {
                counters_.messages.add();
                if (const auto at = next.on_message(packet, *mapping, message, message_index, decoded_cycles))
                    restart_at = at;
            }
            count_reports(message);
            if (message_index != 0xFF) ++message_index;
            if (is_one_message_) {
                if (message.end() != packet.body.size()) [[unlikely]]
                    on_trailing(packet, message, next);
                return restart_at;
            }
        }
        if (decoder_.error() != Errc::ok || is_one_message_) [[unlikely]] {
            note_failure(packet);
            next.on_undecoded(packet);
        }
        return restart_at;
    }

private:
    /// From the decoder's sink to the next stage.
    template <class Next>
    struct EntryForwarder {
        const CompiledFeed& feed;
        const Packet& packet;
        Next& next;
        const std::uint8_t& message_index;

        static void forward(void* owner, const fast::Entry& entry) noexcept {
            const auto& self = *static_cast<const EntryForwarder*>(owner);
            const CompiledMessage& mapping = *self.feed.message(entry.template_index);
            self.next.on_entry(self.packet, mapping, entry, self.message_index, core::cycles_now());
        }
    };

    [[nodiscard]] bool is_reset(const fast::Message& message) const noexcept {
        return feed_.decoder_options().reset == fast::ResetRule::template_id &&
               message.template_id() == feed_.decoder_options().reset_template_id;
    }

    void count_reports(const fast::Message& message) noexcept {
        for (std::size_t i = 0; i < fast::report_count; ++i)
            if (message.reported(static_cast<fast::Report>(i))) [[unlikely]]
                counters_.reports[i].add();
    }

    template <MessageSink Next>
    [[gnu::cold, gnu::noinline]] void on_trailing(const Packet& packet, const fast::Message& message,
                                                  Next& next) noexcept {
        if (feed_.description().trailing == framing::TrailingBytes::ignore) return;
        note_failure(packet, Errc::trailing, message.template_id(), message.end());
        next.on_undecoded(packet);
    }

    /// The decoder's error, or that the one message a datagram has to carry is not there.
    [[gnu::cold, gnu::noinline]] void note_failure(const Packet& packet) noexcept;
    void note_failure(const Packet& packet, Errc error, std::uint32_t template_id,
                      std::uint32_t offset) noexcept;

    const CompiledFeed& feed_;
    bool by_entry_;
    bool is_one_message_;
    std::uint16_t channel_;
    fast::Decoder decoder_;
    DecodeCounters& counters_;
};

}  // namespace tickpath::feed
