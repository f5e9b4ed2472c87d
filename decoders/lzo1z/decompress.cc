#include "decoders/lzo1z/decompress.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "decoders/lzo1z/machine.h"

namespace tickpath::lzo1z {
namespace {

// Outputs of up to this size end in a buffer on the stack that has the slack they lack.
constexpr std::size_t bounce_bytes_max = 1024;
// Outputs of up to this size are bounced from the beginning: one copy costs less than changing over.
constexpr std::size_t bounce_whole_bytes_max = 512;

constexpr std::size_t whole_block = std::numeric_limits<std::size_t>::max();

const std::uint8_t* bytes_of(std::span<const std::byte> span) noexcept {
    return reinterpret_cast<const std::uint8_t*>(span.data());
}
std::uint8_t* bytes_of(std::span<std::byte> span) noexcept {
    return reinterpret_cast<std::uint8_t*>(span.data());
}

std::size_t written(const Machine& machine) noexcept {
    return static_cast<std::size_t>(machine.out - machine.out_begin);
}
std::size_t capacity(const Machine& machine) noexcept {
    return static_cast<std::size_t>(machine.out_end - machine.out_begin);
}

// Goes on in a copy of the output with room behind it, and brings back what is new. False: the machine did
// not move, and exact steps have to do it.
bool run_bounced(Machine& machine, std::size_t stop_bytes, FastExit& exit) noexcept {
    alignas(64) std::uint8_t bounce[bounce_bytes_max + output_slack_bytes];
    const std::size_t had = written(machine);
    if (had != 0) std::memcpy(bounce, machine.out_begin, had);
    Machine copy = machine;
    copy.out_begin = bounce;
    copy.out = bounce + had;
    exit = run_fast(copy, bounce + std::min(stop_bytes, capacity(machine)));
    const std::size_t has = written(copy);
    if (exit == FastExit::doubt || has > capacity(machine)) return false;
    if (has != had) std::memcpy(machine.out, bounce + had, has - had);
    machine.in = copy.in;
    machine.out += has - had;
    machine.distance = copy.distance;
    machine.state = copy.state;
    return exit == FastExit::finished || has != had;
}

Step exact_steps(Machine& machine, std::size_t stop_bytes, Errc& error) noexcept {
    Step step = Step::going_on;
    while (step == Step::going_on && written(machine) < stop_bytes)
        step = exact_step(machine, error);
    return step;
}

// Until `stop_bytes` are there, the end marker or an error.
Step run(Machine& machine, std::size_t stop_bytes, Errc& error) noexcept {
    while (written(machine) < stop_bytes) {
        const std::size_t room = static_cast<std::size_t>(machine.out_end - machine.out);
        FastExit exit = FastExit::stopped;
        if (room > output_slack_bytes && capacity(machine) > bounce_whole_bytes_max) {
            const std::size_t safe = capacity(machine) - output_slack_bytes;
            exit = run_fast(machine, machine.out_begin + std::min(stop_bytes, safe));
            if (exit == FastExit::doubt) return exact_steps(machine, stop_bytes, error);
            if (exit == FastExit::stopped && written(machine) >= stop_bytes) return Step::going_on;
        } else if (capacity(machine) > bounce_bytes_max || !run_bounced(machine, stop_bytes, exit)) {
            return exact_steps(machine, stop_bytes, error);
        }
        if (exit == FastExit::finished) return Step::finished;
        // A long match or run before an end, or one that reaches over it.
        const Step step = exact_step(machine, error);
        if (step != Step::going_on) return step;
    }
    return Step::going_on;
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

DecompressResult decompress(std::span<const std::byte> block, std::span<std::byte> out) noexcept {
    return Decompression(block, out).advance(whole_block);
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
