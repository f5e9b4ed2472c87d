#include "decoders/lzo1z/decompress.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "decoders/lzo1z/machine.h"

namespace tickpath::lzo1z {
namespace {

constexpr std::size_t whole_block = std::numeric_limits<std::size_t>::max();

// With less room than this the fast engine has nothing to do: a far match does not fit with its overshoot.
constexpr std::size_t fast_room = 48;

// Outputs of up to this size are made in a buffer with room and copied once.
constexpr std::size_t small_output_max = 192;

const std::uint8_t* bytes_of(std::span<const std::byte> span) noexcept {
    return reinterpret_cast<const std::uint8_t*>(span.data());
}
std::uint8_t* bytes_of(std::span<std::byte> span) noexcept {
    return reinterpret_cast<std::uint8_t*>(span.data());
}

std::size_t written(const Machine& machine) noexcept {
    return static_cast<std::size_t>(machine.out - machine.out_begin);
}

// Until `wanted` bytes are there, the end marker or an error.
Step run(Machine& machine, std::size_t wanted, Errc& error) noexcept {
    const auto room = [&] { return static_cast<std::size_t>(machine.out_end - machine.out); };
    Step step = Step::going_on;
    bool is_doubtful = false;
    while (step == Step::going_on && written(machine) < wanted) {
        if (!is_doubtful && room() >= fast_room) {
            const FastExit exit = run_fast(machine, wanted);
            if (exit == FastExit::finished) return Step::finished;
            is_doubtful = exit == FastExit::doubt;
            if (written(machine) >= wanted) break;
        }
        step = exact_step(machine, error);
    }
    return step;
}

}  // namespace

Decompression::Decompression(std::span<const std::byte> block, std::span<std::byte> out) noexcept
    : block_(block), out_(out), distance_(no_distance) {}

DecompressResult Decompression::advance(std::size_t bytes) noexcept {
    if (!finished_ && out_used_ < bytes) {
        Machine machine{.in = bytes_of(block_) + in_used_,
                        .out = bytes_of(out_) + out_used_,
                        .distance = distance_,
                        .state = state_,
                        .in_begin = bytes_of(block_),
                        .in_end = bytes_of(block_) + block_.size(),
                        .out_begin = bytes_of(out_),
                        .out_end = bytes_of(out_) + out_.size()};
        const Step step = run(machine, bytes, error_);
        finished_ = step != Step::going_on;
        in_used_ = static_cast<std::size_t>(machine.in - machine.in_begin);
        out_used_ = written(machine);
        distance_ = machine.distance;
        state_ = static_cast<std::uint8_t>(machine.state);
    }
    return {out_used_, in_used_, error_};
}

namespace {

Machine machine_of(std::span<const std::byte> block, std::uint8_t* out, std::size_t capacity) noexcept {
    const std::uint8_t* const in = bytes_of(block);
    return {.in = in,
            .out = out,
            .in_begin = in,
            .in_end = in + block.size(),
            .out_begin = out,
            .out_end = out + capacity};
}

std::size_t consumed(const Machine& machine) noexcept {
    return static_cast<std::size_t>(machine.in - machine.in_begin);
}

// A small output without room for overshoot is made where there is some: one copy of so few bytes costs less
// than the exact steps at its end would. False: something is wrong, or it does not fit.
bool decompress_small(std::span<const std::byte> block, std::span<std::byte> out,
                      DecompressResult& result) noexcept {
    std::uint8_t roomy[small_output_max + fast_room];
    Machine machine = machine_of(block, roomy, sizeof roomy);
    if (run_fast(machine, whole_block) != FastExit::finished || written(machine) > out.size()) return false;
    if (!out.empty()) std::memcpy(out.data(), roomy, written(machine));
    result = {written(machine), consumed(machine), Errc::ok};
    return true;
}

}  // namespace

DecompressResult decompress(std::span<const std::byte> block, std::span<std::byte> out) noexcept {
    DecompressResult result;
    if (out.size() <= small_output_max && decompress_small(block, out, result)) return result;
    Machine machine = machine_of(block, bytes_of(out), out.size());
    Errc error = Errc::ok;
    run(machine, whole_block, error);
    return {written(machine), consumed(machine), error};
}

std::size_t decompress_batch(std::span<const std::span<const std::byte>> blocks, std::span<std::byte> arena,
                             std::size_t bytes_max, std::span<BatchEntry> entries) noexcept {
    std::size_t used = 0;
    std::size_t good = 0;
    for (std::size_t i = 0; i < std::min(blocks.size(), entries.size()); ++i) {
        const std::size_t capacity = std::min(bytes_max, arena.size() - used);
        entries[i] = {used, decompress(blocks[i], arena.subspan(used, capacity))};
        if (entries[i].result.error != Errc::ok) continue;
        used += entries[i].result.written;
        ++good;
    }
    return good;
}

}  // namespace tickpath::lzo1z
