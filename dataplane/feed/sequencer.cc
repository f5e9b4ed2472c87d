#include "dataplane/feed/sequencer.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <string>

namespace tickpath::feed {
namespace {

// Twins that lag by more packets than this are dropped all the same, but counted as late and without a lead.
constexpr std::size_t arrivals_min = 4096;

std::uint64_t distance(std::uint64_t a, std::uint64_t b) noexcept {
    return a > b ? a - b : b - a;
}

}  // namespace

Sequencer::Sequencer(const SequencerSettings& settings, core::CounterPage& page, std::string_view owner)
    : settings_(settings),
      arrivals_(std::max<std::size_t>(arrivals_min, std::size_t{settings.window_packets} * 2)),
      held_(settings.window_packets),
      held_bytes_(settings.window_packets * slot_bytes) {
    assert(std::has_single_bit(settings.window_packets));
    const std::string stream(owner);
    holes_ = page.add(stream, "holes");
    missing_ = page.add(stream, "missing_packets");
    held_total_ = page.add(stream, "held");
    held_dropped_ = page.add(stream, "held_dropped");
    unholdable_ = page.add(stream, "unholdable");
    restarts_ = page.add(stream, "restarts");
    restarts_unannounced_ = page.add(stream, "restarts_unannounced");
    for (std::uint32_t copy = 0; copy < settings.line_count; ++copy) {
        const std::string name = stream + (copy == 0 ? ".A" : ".B");
        LineState& line = lines_[copy];
        line.packets = page.add(name, "packets");
        line.wins = page.add(name, "wins");
        line.twins = page.add(name, "twins");
        line.late = page.add(name, "late");
        line.losses = page.add(name, "losses");
        line.silences = page.add(name, "silences");
    }
}

void Sequencer::start(const Packet& packet) noexcept {
    is_started_ = true;
    expected_ = epoch_first_ = packet.number;
    for (LineState& line : lines_)
        line.last_arrival_ns = packet.arrival_ns;  // silence counts from the stream's first packet
}

void Sequencer::note_silent(LineState& line) noexcept {
    line.is_silent = true;
    line.silences.add();
}

void Sequencer::note_out_of_step(LineState& line, std::uint64_t number) noexcept {
    if (number >= line.end) {
        line.end = number + 1;
        line.run_length = 0;
    }
    line.first = std::min(line.first, number);
    // Falls again when a packet that was only out of order comes after all.
    line.losses.set(line.losses_before + (line.end - line.first - line.unique));
}

void Sequencer::note_dropped(LineState& line, const Packet& packet) noexcept {
    Arrival& record = arrival(packet.number);
    if (is_recorded(record, packet.number, line.epoch)) return note_copy(line, packet, record);
    line.late.add();
    note_number(line, packet.number);
    const bool is_newer = record.epoch == static_cast<std::uint32_t>(epoch_) && record.number > packet.number;
    if (line.epoch != epoch_ || is_newer) return;
    record = {packet.number,
              packet.arrival_ns,
              static_cast<std::uint32_t>(epoch_),
              packet.copy,
              static_cast<std::uint8_t>(1u << packet.copy),
              true};
}

void Sequencer::note_copy(LineState& line, const Packet& packet, Arrival& record) noexcept {
    const auto bit = static_cast<std::uint8_t>(1u << packet.copy);
    (record.is_given_up ? line.late : line.twins).add();
    if ((record.copies & bit) != 0) return;
    record.copies |= bit;
    note_number(line, packet.number);
    if (record.is_given_up || record.first_copy == packet.copy) return;
    lines_[record.first_copy].lead_ns.record(
        packet.arrival_ns > record.arrival_ns ? packet.arrival_ns - record.arrival_ns : 0);
}

bool Sequencer::is_backward_run(LineState& line, std::uint64_t number) noexcept {
    if (number + 1 >= line.end) return false;  // the line's usual way, or its last number once more
    if (line.run_length == 0 || number != line.run_next) {
        line.run_length = 0;
        line.run_first = number;
    }
    ++line.run_length;
    line.run_next = number + 1;
    const bool is_far = line.end - line.run_first > settings_.restart_backward;
    return line.run_length >= (is_far ? settings_.restart_run : settings_.restart_run_near);
}

bool Sequencer::enters_epoch(const LineState& line, std::uint64_t number) const noexcept {
    // A line that has not yet seen the restart goes on near its own last number.
    return distance(number, expected_) < distance(number, line.end);
}

void Sequencer::enter_epoch(LineState& line, std::uint64_t number) noexcept {
    if (line.is_heard) {
        const std::uint64_t numbers = closed_numbers_ - line.closed_before;
        const std::uint64_t there = line.unique + line.not_heard;
        line.losses_before += numbers > there ? numbers - there : 0;
        line.first = line.end = epoch_first_;
        line.not_heard = 0;
        line.losses.set(line.losses_before);
    } else {
        line.is_heard = true;
        line.first = line.end = number;
        line.not_heard = number > epoch_first_ ? number - epoch_first_ : 0;
    }
    line.unique = 0;
    line.run_length = 0;
    line.closed_before = closed_numbers_;
    line.epoch = epoch_;
}

void Sequencer::begin_epoch(std::uint64_t number) noexcept {
    restarts_.add();
    closed_numbers_ += expected_ - epoch_first_;
    ++epoch_;
    expected_ = epoch_first_ = number;
    if (held_count_ == 0) return;
    held_dropped_.add(held_count_);  // numbers of the old epoch, which nothing can order any more
    held_count_ = 0;
    for (HeldPacket& slot : held_)
        slot.is_used = false;
}

void Sequencer::hold(const Packet& packet) noexcept {
    const std::size_t slot_index = static_cast<std::size_t>(packet.number) & (held_.size() - 1);
    std::byte* const bytes = held_bytes_.data() + slot_index * slot_bytes;
    if (!packet.body.empty()) std::memcpy(bytes, packet.body.data(), packet.body.size());
    HeldPacket& slot = held_[slot_index];
    slot.packet = packet;
    slot.packet.body = {bytes, packet.body.size()};
    slot.packet.tailroom_bytes = static_cast<std::uint32_t>(slot_bytes - packet.body.size());
    slot.is_used = true;
    held_total_.add();
    // The window of a hole opens with the first packet behind it; a lower one that comes later does not
    // reopen it.
    if (held_count_++ == 0) gap_since_ns_ = packet.arrival_ns;
}

bool Sequencer::all_lines_passed() noexcept {
    const std::uint64_t behind = lowest_held();
    for (std::uint32_t copy = 0; copy < settings_.line_count; ++copy)
        if (!lines_[copy].is_silent && !has_passed(copy, behind)) return false;
    return true;
}

// Whether the line delivered more than reorder_packets numbers from `behind` on. All of them are held, so at
// most window_packets are looked at. A line that is still in the epoch before has delivered none.
bool Sequencer::has_passed(std::uint32_t copy, std::uint64_t behind) noexcept {
    const LineState& line = lines_[copy];
    if (line.epoch != epoch_ || line.end <= behind || line.end - behind <= settings_.reorder_packets)
        return false;
    std::uint64_t passed_count = 0;
    for (std::uint64_t number = behind; number != line.end; ++number) {
        const Arrival& record = arrival(number);
        if (!is_recorded(record, number, epoch_) || (record.copies & (1u << copy)) == 0) continue;
        if (++passed_count > settings_.reorder_packets) return true;
    }
    return false;
}

std::uint64_t Sequencer::lowest_held() noexcept {
    std::uint64_t number = expected_;
    while (!held(number).is_used)
        ++number;
    return number;
}

}  // namespace tickpath::feed
