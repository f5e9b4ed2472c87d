#include "decoders/framing/chunk_assembler.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace tickpath::framing {
namespace {

std::uint64_t bit_of(const Chunk& chunk) noexcept {
    return std::uint64_t{1} << (chunk.index - 1u);
}

}  // namespace

ChunkAssembler::ChunkAssembler(const ChunkLimits& limits)
    : limits_(limits), slots_(limits.messages_open), in_order_(limits.message_bytes_max) {
    assert(std::has_single_bit(limits.messages_open));
    for (Slot& slot : slots_) {
        slot.pieces.resize(chunks_max);
        slot.data.resize(limits.message_bytes_max);
    }
}

std::uint32_t ChunkAssembler::finish() noexcept {
    const std::uint32_t given_up = open_count_;
    for (Slot& slot : slots_)
        slot.state = SlotState::free;
    open_count_ = 0;
    return given_up;
}

ChunkStep ChunkAssembler::add_to_slot(const Datagram& datagram) noexcept {
    ChunkStep step;
    Slot& slot = slot_of(datagram.sequence);
    if (is_restart(slot, datagram)) {
        step.given_up = finish();
        newest_ = datagram.sequence;
    }
    newest_ = std::max(newest_, datagram.sequence);
    const std::uint64_t reach = slots_.size();
    if (newest_ >= reach) step.given_up += give_up_before(newest_ - reach + 1);
    if (newest_ - datagram.sequence >= reach) {
        step.outcome = ChunkOutcome::late;
    } else if (datagram.chunk.count == 1) {
        step.message = datagram.body;  // whole as it is; whether it came before, the sequencer knows
    } else {
        if (slot.state == SlotState::free || slot.number != datagram.sequence) open(slot, datagram);
        add_to(slot, datagram, step);
    }
    return step;
}

/// Numbers of a snapshot loop go back by a few only, and those of its messages that came whole stand in done
/// slots: chunks of two loops must never be joined.
bool ChunkAssembler::is_restart(const Slot& slot, const Datagram& datagram) const noexcept {
    const bool is_known = slot.state != SlotState::free && slot.number == datagram.sequence;
    const bool goes_back =
        newest_ > datagram.sequence && newest_ - datagram.sequence >= limits_.restart_backward;
    if (!is_known || slot.state == SlotState::refused) return goes_back;
    if (goes_back && slot.state == SlotState::done) return true;
    if (slot.count != datagram.chunk.count) return true;  // another message of this number
    if ((slot.received & bit_of(datagram.chunk)) == 0) return false;
    const Piece& piece = slot.pieces[datagram.chunk.index - 1u];
    return piece.bytes != datagram.body.size() ||
           std::memcmp(slot.data.data() + piece.offset, datagram.body.data(), piece.bytes) != 0;
}

std::uint32_t ChunkAssembler::give_up_before(std::uint64_t number) noexcept {
    if (open_count_ == 0) return 0;
    std::uint32_t given_up = 0;
    for (Slot& slot : slots_) {
        if (slot.state != SlotState::open || slot.number >= number) continue;
        slot.state = SlotState::free;
        ++given_up;
    }
    open_count_ -= given_up;
    return given_up;
}

void ChunkAssembler::open(Slot& slot, const Datagram& datagram) noexcept {
    slot.number = datagram.sequence;
    slot.count = datagram.chunk.count;
    slot.received = 0;
    slot.bytes = 0;
    slot.is_in_order = true;
    slot.state = datagram.chunk.count <= chunks_max ? SlotState::open : SlotState::refused;
    if (slot.state == SlotState::open) ++open_count_;
}

void ChunkAssembler::add_to(Slot& slot, const Datagram& datagram, ChunkStep& step) noexcept {
    const std::span<const std::byte> body = datagram.body;
    if (slot.state == SlotState::refused) {
        step.outcome = ChunkOutcome::refused;
        return;
    }
    if ((slot.received & bit_of(datagram.chunk)) != 0) {  // all bits are set in a done slot
        step.outcome = ChunkOutcome::duplicate;
        return;
    }
    if (body.size() > slot.data.size() - slot.bytes) {
        slot.state = SlotState::refused;
        --open_count_;
        step.outcome = ChunkOutcome::refused;
        return;
    }
    slot.is_in_order &= datagram.chunk.index == std::popcount(slot.received) + 1;
    slot.received |= bit_of(datagram.chunk);
    slot.pieces[datagram.chunk.index - 1u] = {slot.bytes, static_cast<std::uint32_t>(body.size())};
    std::memcpy(slot.data.data() + slot.bytes, body.data(), body.size());
    slot.bytes += static_cast<std::uint32_t>(body.size());
    step.outcome = ChunkOutcome::waiting;
    if (std::popcount(slot.received) != slot.count) return;
    slot.state = SlotState::done;
    --open_count_;
    step.outcome = ChunkOutcome::complete;
    step.message = joined(slot);
}

std::span<const std::byte> ChunkAssembler::joined(const Slot& slot) noexcept {
    if (slot.is_in_order) return std::span(slot.data).first(slot.bytes);
    std::size_t at = 0;
    for (std::size_t i = 0; i < slot.count; ++i) {
        const Piece& piece = slot.pieces[i];
        std::memcpy(in_order_.data() + at, slot.data.data() + piece.offset, piece.bytes);
        at += piece.bytes;
    }
    return std::span(in_order_).first(at);
}

}  // namespace tickpath::framing
