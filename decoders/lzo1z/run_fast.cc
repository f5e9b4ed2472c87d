#include <algorithm>
#include <cstring>

#include "decoders/base/bytes.h"
#include "decoders/lzo1z/machine.h"
#include "decoders/lzo1z/match_copy.h"

namespace tickpath::lzo1z {
namespace {

// What a match reads at most: opcode, two operands and four trailing literals, of which it steps over 0..3.
constexpr std::size_t input_reach = 7;
// What an M1, M1b, M2 or repeat writes at most: 8 bytes, and 4 behind the up to 8 that it is long.
constexpr std::size_t near_reach = 12;
// What the copy of a longer match writes beyond its end, trailing literals counted.
constexpr std::size_t far_overshoot = 36;
// A run of up to 18 literals is copied in two halves.
constexpr std::size_t run_reach = 32;

/// What M1, M2 and repeat differ in.
struct NearMatch {
    std::size_t distance;
    std::size_t literals;
    const std::uint8_t* next;  ///< the instruction behind the trailing literals

    /// Becomes `other` if `value` is 0, without a branch: for `?:` compilers make one, and it would be taken
    /// now and then. The next opcode waits for this choice, so that it must not take longer than one
    /// instruction.
    [[gnu::always_inline]] void become_if_zero(unsigned value, const NearMatch& other) noexcept {
#ifdef __x86_64__
        __asm__(
            "testl %[value], %[value]\n\t"
            "cmovzq %[other_distance], %[distance]\n\t"
            "cmovzq %[other_literals], %[literals]\n\t"
            "cmovzq %[other_next], %[next]"
            : [distance] "+r"(distance), [literals] "+r"(literals), [next] "+r"(next)
            : [value] "r"(value), [other_distance] "r"(other.distance), [other_literals] "r"(other.literals),
              [other_next] "r"(other.next)
            : "cc");
#else
        if (value == 0) *this = other;
#endif
    }
};

/// What has to lie in memory, apart from what must not.
struct Buffers {
    LongMatch long_match;
    std::uint8_t tail[2 * sizeof(std::uint64_t)];
};

/// The machine in registers. Every function is inlined: one that is called would take its address, and every
/// value would move to memory.
class FastRun {
public:
    FastRun(Machine& machine, Buffers& buffers, std::size_t wanted) noexcept
        : machine_(machine),
          buffers_(buffers),
          out_begin_(machine.out_begin),
          in_(machine.in),
          in_end_(machine.in_end),
          out_(machine.out),
          distance_(machine.distance),
          literals_(machine.state) {
        const std::size_t end = std::min(wanted, static_cast<std::size_t>(machine.out_end - out_begin_));
        out_stop_ = out_begin_ + (end > near_reach ? end - near_reach : 0);
    }

    /// Sets the input up and carries out what only the beginning of a block can hold.
    [[gnu::always_inline]] bool begin() noexcept {
        if (in_left() >= input_reach) {
            in_last_ = in_end_ - input_reach;
        } else if (!enter_tail()) {
            return false;
        }
        if (machine_.in == machine_.in_begin && *in_ >= 18 && !opening_run()) return false;
        return literals_ != state_after_run || match_behind_run();
    }

    /// Whether an instruction can begin here: all of it is in the input, and a near match has room to
    /// overshoot.
    [[gnu::always_inline]] bool ready() noexcept {
        if (in_ > in_last_) [[unlikely]]
            if (!enter_tail()) return false;
        if (out_ >= out_stop_) [[unlikely]]
            return leave(FastExit::stopped, in_, literals_);
        return true;
    }

    [[nodiscard, gnu::always_inline]] unsigned opcode() const noexcept { return *in_; }

    /// M1, M2 and repeat: 64 and up, and behind literals also below 16. One comparison for both.
    [[nodiscard, gnu::always_inline]] bool is_near(unsigned opcode) const noexcept {
        const unsigned shift = (2 * static_cast<unsigned>(literals_) + 14) & 16;  // 0 for 0, 16 for 1..4
        return ((opcode - shift) & 0xFF) >= 64 - shift;
    }

    [[gnu::always_inline]] bool near_match(unsigned opcode) noexcept {
        const unsigned operand = in_[1];
        const NearMatch repeat{distance_, opcode & 3u, in_ + 1 + (opcode & 3u)};
        NearMatch match{(opcode & 31u) * 64 + (operand >> 2) + 1, operand & 3u, in_ + 2 + (operand & 3u)};
        match.become_if_zero(~opcode & 0x1Cu, repeat);
        if (!remember(match.distance)) [[unlikely]]
            return false;
        copy_match_8(out_, distance_);
        out_ += (opcode >> 5) + 1 + (opcode < 16 ? 1 : 0);
        in_ = match.next - match.literals;
        trailing_literals(match.literals);
        return true;
    }

    /// M3, M4 and the end marker.
    [[gnu::always_inline]] bool far_match(unsigned opcode) noexcept {
        const std::uint8_t* const begin = in_++;
        const unsigned mask = opcode >= 32 ? 31 : 7;
        std::size_t length = (opcode & mask) + 2;
        if (length == 2) [[unlikely]] {
            length = mask + 2;
            if (!extension(length) || (in_ > in_last_ && !in_tail_))
                return leave(FastExit::stopped, begin, 0);
        }
        std::size_t distance = in_[0] * 64u + (in_[1] >> 2) + 1;
        const std::size_t literals = in_[1] & 3u;
        in_ += 2;
        if (opcode < 32) {
            distance += 16383 + (opcode & 8u) * 2048;
            if (distance == 16384) return in_ == in_end_ && leave(FastExit::finished, in_, 0);
        }
        if (length + far_overshoot > room()) [[unlikely]]
            return leave(FastExit::stopped, begin, 0);
        if (!remember(distance)) [[unlikely]]
            return false;
        if (length <= 16) [[likely]] {
            copy_match_16(out_, distance_);
        } else {
            buffers_.long_match.copy(out_, distance_, length);
        }
        out_ += length;
        trailing_literals(literals);
        return true;
    }

    /// Behind it an opcode below 16 means something else: match_behind_run() comes next.
    [[gnu::always_inline]] bool literal_run(unsigned opcode) noexcept {
        const std::uint8_t* const begin = in_++;
        std::size_t count = opcode + 3;
        if (opcode == 0) [[unlikely]] {
            count = 18;
            if (!extension(count)) return leave(FastExit::stopped, begin, 0);
        }
        if (count <= 18 && in_left() >= run_reach && room() >= run_reach) [[likely]] {
            copy_16(out_, in_);
            if (count > 16) copy_16(out_ + 16, in_ + 16);
        } else {
            if (count >= in_left() || count > room()) return leave(FastExit::stopped, begin, 0);
            std::memcpy(out_, in_, count);
        }
        out_ += count;
        in_ += count;
        return true;
    }

    /// M1b, if it is one.
    [[gnu::always_inline]] bool match_behind_run() noexcept {
        literals_ = state_after_run;
        if (!ready()) return false;
        if (*in_ >= 16) {
            literals_ = 0;  // what opcodes from 16 on mean does not depend on it
            return true;
        }
        const std::size_t operand = in_[1];
        if (!remember(*in_ * 64u + (operand >> 2) + 1793)) [[unlikely]]
            return false;
        copy_8(out_, out_ - distance_);
        out_ += 3;
        in_ += 2;
        trailing_literals(operand & 3);
        return true;
    }

    [[nodiscard]] FastExit exit() const noexcept { return exit_; }

private:
    [[nodiscard, gnu::always_inline]] std::size_t in_left() const noexcept {
        return static_cast<std::size_t>(in_end_ - in_);
    }
    [[nodiscard, gnu::always_inline]] std::size_t room() const noexcept {
        return static_cast<std::size_t>(machine_.out_end - out_);
    }

    // False leaves `doubt`, with the machine where it was.
    [[gnu::always_inline]] bool remember(std::size_t distance) noexcept {
        distance_ = distance;
        return distance <= static_cast<std::size_t>(out_ - out_begin_);
    }

    // Always copies four and steps over 0..3 of them: whether there are any is a coin toss.
    [[gnu::always_inline]] void trailing_literals(std::size_t count) noexcept {
        std::memcpy(out_, in_, 4);
        out_ += count;
        in_ += count;
        literals_ = count;
    }

    /// Adds a length extension to `sum`. False when it does not end in this part of the input.
    [[gnu::always_inline]] bool extension(std::size_t& sum) noexcept {
        for (; in_ < in_end_; ++in_) {
            if (*in_ != 0) {
                sum += *in_++;
                return true;
            }
            sum += 255;
        }
        return false;
    }

    // Section 2.
    [[gnu::always_inline]] bool opening_run() noexcept {
        const std::size_t count = *in_ - 17u;
        if (count >= in_left() || count > room()) return leave(FastExit::stopped, in_, 0);
        ++in_;
        if (count <= 16 && in_left() >= 16 && room() >= 16) {
            copy_16(out_, in_);
        } else {
            std::memcpy(out_, in_, count);
        }
        in_ += count;
        out_ += count;
        literals_ = std::min<std::size_t>(count, state_after_run);
        return true;
    }

    // The last bytes of the block are moved to where zeros follow them, so that they need no slower loop of
    // their own. What the zeros decode to is never believed: whoever has read any of them stands behind the
    // true end.
    [[gnu::always_inline]] bool enter_tail() noexcept {
        if (in_tail_ || in_ >= in_end_) return false;
        const std::size_t left = in_left();  // 1..7
        std::uint64_t bytes = 0;
        if (machine_.in_end - machine_.in_begin >= 8) {
            bytes = load_little<std::uint64_t>(in_end_ - 8) >> (64 - 8 * left);
        } else {
            std::memcpy(&bytes, in_, left);
        }
        store_little(buffers_.tail, bytes);
        store_little(buffers_.tail + sizeof bytes, std::uint64_t{0});
        in_ = buffers_.tail;
        in_end_ = in_ + left;
        in_last_ = in_end_ - 1;
        in_tail_ = true;
        return true;
    }

    // Gives the machine back as it is at `at`. False, to be returned.
    [[gnu::always_inline]] bool leave(FastExit why, const std::uint8_t* at, std::size_t state) noexcept {
        machine_.in = machine_.in_end - (in_end_ - at);
        machine_.out = out_;
        machine_.distance = distance_;
        machine_.state = static_cast<unsigned>(state);
        exit_ = why;
        return false;
    }

    Machine& machine_;
    Buffers& buffers_;
    std::uint8_t* const out_begin_;
    const std::uint8_t* out_stop_;
    const std::uint8_t* in_;
    const std::uint8_t* in_end_;
    const std::uint8_t* in_last_ = nullptr;  ///< an instruction that begins here or before is all there
    std::uint8_t* out_;
    std::size_t distance_;  ///< of the most recent match
    std::size_t literals_;  ///< of the last instruction, 0..4
    bool in_tail_ = false;
    FastExit exit_ = FastExit::doubt;
};

}  // namespace

FastExit run_fast(Machine& machine, std::size_t wanted) noexcept {
    Buffers buffers;
    FastRun run(machine, buffers, wanted);
    if (!run.begin()) return run.exit();
    while (run.ready()) {
        const unsigned opcode = run.opcode();
        bool goes_on = false;
        if (run.is_near(opcode)) [[likely]] {
            goes_on = run.near_match(opcode);
        } else if (opcode >= 16) {
            goes_on = run.far_match(opcode);
        } else {
            goes_on = run.literal_run(opcode) && run.match_behind_run();
        }
        if (!goes_on) [[unlikely]]
            break;
    }
    return run.exit();
}

}  // namespace tickpath::lzo1z
