// Puts the packets of one stream in order: the first copy of a number wins, the twin is dropped before it is
// decoded, a hole that no line fills is declared. Hot: once per packet of each line, on a receive core.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/histogram.h"
#include "dataplane/feed/packet.h"

namespace tickpath::feed {

struct SequencerSettings {
    std::uint32_t window_packets = 1024;  ///< reach beyond the number that is due; a power of two
    std::uint64_t window_ns = 2'000'000;
    std::uint64_t line_silence_ns = 10'000'000'000;
    std::uint32_t line_count = 2;  ///< configured copies: 1 or 2
    /// How many packets of its own line may overtake a packet. A line that delivered more than this many
    /// behind a number will not deliver it (spec/fast-feeds.md §6, "passed"); one higher number alone proves
    /// nothing where packets take several ways through a switch.
    std::uint32_t reorder_packets = 64;
    /// A line whose numbers go back by at least this much, restart_run times one after the other, has
    /// restarted without a message that says so (a lost one, a new session). A shorter jump needs
    /// restart_run_near of them: a line that reorders must not look like one that restarts.
    std::uint64_t restart_backward = 1000;
    std::uint32_t restart_run = 4;
    std::uint32_t restart_run_near = 64;
};

/// What follows the sequencer.
template <class N>
concept PacketSink = requires(N next, const Packet& packet, std::uint64_t first, std::uint64_t count) {
    /// Called with ascending numbers, each once. Returns the number that follows when the packet itself says
    /// that numbering starts again behind it.
    { next.on_packet(packet) }
    noexcept->std::same_as<std::optional<std::uint64_t>>;
    /// `count` numbers from `first` on were delivered by no line; `packet` is the one behind them.
    { next.on_hole(first, count, packet) }
    noexcept;
    /// Numbering starts again at `packet` and nothing announced it.
    { next.on_restart(packet) }
    noexcept;
};

/// How one line of the stream does. The counters are on the page; all of it is in the report.
struct LineState {
    core::Counter packets, wins, twins, late, losses, silences;
    core::Histogram lead_ns;  ///< over wins whose twin came
    bool is_silent = false;
    bool is_heard = false;
    std::uint64_t last_arrival_ns = 0;

    // Losses are the numbers of the line's span less those it delivered. An epoch ends when numbering starts
    // again; a line enters the next one with its own first packet of it.
    std::uint64_t epoch = 0;  ///< 0: not heard yet
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< one past the highest number of the epoch
    std::uint64_t unique = 0;
    std::uint64_t losses_before = 0;  ///< in closed epochs
    std::uint64_t closed_before = 0;  ///< Sequencer::closed_numbers_ when the line entered its epoch
    std::uint64_t not_heard = 0;      ///< numbers of its epoch before its very first packet

    std::uint64_t run_first = 0;  ///< backward run: see SequencerSettings::restart_backward
    std::uint64_t run_next = 0;
    std::uint32_t run_length = 0;
};

class Sequencer {
public:
    /// Longer datagrams cannot be held back: the numbers before them are given up at once.
    static constexpr std::size_t slot_bytes = 2048;

    /// `owner` names the stream, "r0.FUT-BOOK-5" or "r0.FUT-BOOK-5.snapshot"; its lines are ".A" and ".B".
    Sequencer(const SequencerSettings& settings, core::CounterPage& page, std::string_view owner);

    template <PacketSink Next>
    void on_packet(const Packet& packet, Next& next) noexcept {
        LineState& line = lines_[packet.copy];
        if (!is_started_) [[unlikely]]
            start(packet);
        note_packet(line, packet);
        if (line.epoch != epoch_) [[unlikely]] {
            if (line.is_heard && !enters_epoch(line, packet.number)) return note_dropped(line, packet);
            enter_epoch(line, packet.number);
        }
        if (packet.number == expected_) [[likely]] {
            deliver_first(line, packet, next);
        } else if (packet.number > expected_) {
            on_ahead(line, packet, next);
        } else if (!is_backward_run(line, packet.number)) [[likely]] {
            note_dropped(line, packet);
        } else {
            restart_unannounced(line, packet, next);
        }
        if (held_count_ != 0) [[unlikely]]
            on_time(packet.arrival_ns, next);
    }

    /// Gives up holes whose window has passed, and those that no line will fill any more; `now_ns` on the
    /// clock of Packet::arrival_ns.
    template <PacketSink Next>
    void on_time(std::uint64_t now_ns, Next& next) noexcept {
        while (held_count_ != 0 && (now_ns > gap_since_ns_ + settings_.window_ns || all_lines_passed()))
            give_up_to_held(next);  // each turn delivers at least one held packet
    }

    /// Delivers everything held; the holes before are declared.
    template <PacketSink Next>
    void finish(Next& next) noexcept {
        while (held_count_ != 0)
            give_up_to_held(next);
    }

    [[nodiscard]] bool holds_packets() const noexcept { return held_count_ != 0; }
    [[nodiscard]] std::uint64_t expected() const noexcept { return expected_; }
    [[nodiscard]] const LineState& line(std::size_t copy) const noexcept { return lines_[copy]; }

private:
    /// Who brought a number first; a ring over the most recent numbers, for twins and leads.
    struct Arrival {
        std::uint64_t number = 0;
        std::uint64_t arrival_ns = 0;
        std::uint32_t epoch = 0;  ///< low half; 0 = never used
        std::uint8_t first_copy = 0;
        std::uint8_t copies = 0;  ///< bit per line
        bool is_given_up = false;
    };
    struct HeldPacket {
        Packet packet;
        bool is_used = false;
    };

    // The usual case: the packet that is due.
    template <PacketSink Next>
    void deliver_first(LineState& line, const Packet& packet, Next& next) noexcept {
        note_first(line, packet);
        deliver(packet, next);
        if (held_count_ != 0) [[unlikely]]
            drain(next);
    }

    template <PacketSink Next>
    void deliver(const Packet& packet, Next& next) noexcept {
        const std::optional<std::uint64_t> restart_at = next.on_packet(packet);
        ++expected_;
        if (restart_at) [[unlikely]] {
            begin_epoch(*restart_at);
            enter_epoch(lines_[packet.copy], *restart_at);
        }
    }

    /// Delivers held packets as long as the next one is there: at most window_packets.
    template <PacketSink Next>
    void drain(Next& next) noexcept {
        while (held_count_ != 0 && held(expected_).is_used) {
            HeldPacket& slot = held(expected_);
            slot.is_used = false;
            --held_count_;
            deliver(slot.packet, next);
        }
        if (held_count_ != 0) gap_since_ns_ = held(lowest_held()).packet.arrival_ns;
    }

    /// Declares all numbers before `behind` missing and goes on with it and what is held after it.
    template <PacketSink Next>
    [[gnu::cold, gnu::noinline]] void give_up_to(const Packet& behind, Next& next) noexcept {
        const std::uint64_t count = behind.number - expected_;
        holes_.add();
        missing_.add(count);
        next.on_hole(expected_, count, behind);
        expected_ = behind.number;
        drain(next);
    }

    template <PacketSink Next>
    void give_up_to_held(Next& next) noexcept {
        give_up_to(held(lowest_held()).packet, next);
    }

    template <PacketSink Next>
    [[gnu::cold, gnu::noinline]] void on_ahead(LineState& line, const Packet& packet, Next& next) noexcept {
        if (is_recorded(arrival(packet.number), packet.number, epoch_)) return note_dropped(line, packet);
        const bool can_be_held = packet.body.size() <= slot_bytes;
        if (!can_be_held) unholdable_.add();
        const std::uint64_t reach = can_be_held ? settings_.window_packets : 1;
        const std::uint64_t epoch = epoch_;
        while (packet.number - expected_ >= reach && epoch == epoch_) {  // at most window_packets turns
            const bool has_held_before = held_count_ != 0 && lowest_held() < packet.number;
            give_up_to(has_held_before ? held(lowest_held()).packet : packet, next);
        }
        if (epoch != epoch_) return note_dropped(line, packet);  // a held packet restarted the numbering
        if (packet.number == expected_) return deliver_first(line, packet, next);
        note_first(line, packet);
        hold(packet);
    }

    template <PacketSink Next>
    [[gnu::cold, gnu::noinline]] void restart_unannounced(LineState& line, const Packet& packet,
                                                          Next& next) noexcept {
        restarts_unannounced_.add();
        begin_epoch(packet.number);
        enter_epoch(line, packet.number);
        next.on_restart(packet);
        deliver_first(line, packet, next);
    }

    [[nodiscard]] HeldPacket& held(std::uint64_t number) noexcept {
        return held_[static_cast<std::size_t>(number) & (held_.size() - 1)];
    }
    [[nodiscard]] Arrival& arrival(std::uint64_t number) noexcept {
        return arrivals_[static_cast<std::size_t>(number) & (arrivals_.size() - 1)];
    }
    [[nodiscard]] static bool is_recorded(const Arrival& record, std::uint64_t number,
                                          std::uint64_t epoch) noexcept {
        return record.number == number && record.epoch == static_cast<std::uint32_t>(epoch);
    }

    void note_packet(LineState& line, const Packet& packet) noexcept {
        line.packets.add();
        line.last_arrival_ns = packet.arrival_ns;
        line.is_silent = false;
        LineState& twin = lines_[packet.copy ^ 1u];
        if (settings_.line_count == 2 && !twin.is_silent &&
            packet.arrival_ns > twin.last_arrival_ns + settings_.line_silence_ns) [[unlikely]]
            note_silent(twin);
    }

    void note_first(LineState& line, const Packet& packet) noexcept {
        arrival(packet.number) = {packet.number,
                                  packet.arrival_ns,
                                  static_cast<std::uint32_t>(epoch_),
                                  packet.copy,
                                  static_cast<std::uint8_t>(1u << packet.copy),
                                  false};
        line.wins.add();
        note_number(line, packet.number);
    }

    /// A number that the line delivers for the first time.
    void note_number(LineState& line, std::uint64_t number) noexcept {
        ++line.unique;
        if (number == line.end) [[likely]] {
            line.end = number + 1;
            line.run_length = 0;
        } else {
            note_out_of_step(line, number);
        }
    }

    void start(const Packet& packet) noexcept;
    void note_silent(LineState& line) noexcept;
    void note_out_of_step(LineState& line, std::uint64_t number) noexcept;
    /// A twin, or a number given up before.
    void note_dropped(LineState& line, const Packet& packet) noexcept;
    void note_copy(LineState& line, const Packet& packet, Arrival& record) noexcept;
    [[nodiscard]] bool is_backward_run(LineState& line, std::uint64_t number) noexcept;
    [[nodiscard]] bool enters_epoch(const LineState& line, std::uint64_t number) const noexcept;
    void enter_epoch(LineState& line, std::uint64_t number) noexcept;
    void begin_epoch(std::uint64_t number) noexcept;
    void hold(const Packet& packet) noexcept;
    /// No line can be expected to fill the present hole; only when a packet is held.
    [[nodiscard]] bool all_lines_passed() noexcept;
    [[nodiscard]] bool has_passed(std::uint32_t copy, std::uint64_t behind) noexcept;
    /// Number of the held packet nearest to what is due; only when one is held. At most window_packets steps.
    [[nodiscard]] std::uint64_t lowest_held() noexcept;

    SequencerSettings settings_;
    bool is_started_ = false;
    std::uint64_t expected_ = 0;
    std::uint64_t epoch_ = 1;
    std::uint64_t epoch_first_ = 0;
    std::uint64_t closed_numbers_ = 0;  ///< in all epochs before this one
    std::uint64_t gap_since_ns_ = 0;    ///< when the first packet behind the present hole came
    std::size_t held_count_ = 0;
    std::array<LineState, 2> lines_;
    std::vector<Arrival> arrivals_;
    std::vector<HeldPacket> held_;
    std::vector<std::byte> held_bytes_;
    core::Counter holes_, missing_, held_total_, held_dropped_, unholdable_, restarts_, restarts_unannounced_;
};

}  // namespace tickpath::feed
