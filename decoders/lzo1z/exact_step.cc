#include <algorithm>
#include <cstring>
#include <optional>

#include "decoders/lzo1z/machine.h"

namespace tickpath::lzo1z {
namespace {

/// Reads the bytes of one instruction; running out of them is noted and read as zero.
class Reader {
public:
    Reader(const std::uint8_t* at, const std::uint8_t* end) noexcept : at_(at), end_(end) {}

    std::uint8_t byte() noexcept {
        if (at_ == end_) {
            overrun_ = true;
            return 0;
        }
        return *at_++;
    }

    // "Length extension": zeros add 255 each, the first other byte ends it. The sum cannot wrap: it is at
    // most 255 times the bytes that are in memory.
    std::size_t extension() noexcept {
        std::size_t sum = 0;
        for (;;) {
            const std::uint8_t value = byte();
            if (overrun_) return sum;
            if (value != 0) return sum + value;
            sum += 255;
        }
    }

    [[nodiscard]] bool overrun() const noexcept { return overrun_; }
    [[nodiscard]] const std::uint8_t* at() const noexcept { return at_; }
    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool overrun_ = false;
};

struct Instruction {
    std::size_t match_length = 0;  ///< 0: a literal run
    std::size_t distance = 0;
    std::size_t literals = 0;
    bool is_end = false;
};

// The two-byte matches and the one-byte repeat share where S and the distance lie.
Instruction near_match(Reader& in, unsigned opcode, std::size_t length, std::size_t base) noexcept {
    const unsigned last = in.byte();
    return {length, (opcode & 31u) * 64 + (last >> 2) + base, last & 3u};
}

Instruction far_match(Reader& in, std::size_t length, std::size_t base) noexcept {
    const unsigned high = in.byte();
    const unsigned last = in.byte();
    return {length, high * 64 + (last >> 2) + base, last & 3u};
}

Instruction read_match(Reader& in, unsigned opcode, std::size_t remembered) noexcept {
    if (opcode >= 64) {
        const std::size_t length = (opcode >> 5) + 1;
        if ((opcode & 0x1C) == 0x1C) return {length, remembered, opcode & 3u};
        return near_match(in, opcode, length, 1);
    }
    if (opcode >= 32) {
        const std::size_t field = opcode & 31u;
        const std::size_t length = field != 0 ? field + 2 : 33 + in.extension();
        return far_match(in, length, 1);
    }
    const std::size_t field = opcode & 7u;
    const std::size_t length = field != 0 ? field + 2 : 9 + in.extension();
    Instruction match = far_match(in, length, 16384 + (opcode & 8u) * 2048);
    // Section 4: distance 16384 with K = 0 is the end marker, whatever length and S say.
    match.is_end = match.distance == 16384;
    return match;
}

Instruction read_instruction(Reader& in, const Machine& machine) noexcept {
    const unsigned opcode = in.byte();
    if (machine.in == machine.in_begin && opcode >= 18) return {0, 0, opcode - 17};
    if (opcode >= 16) return read_match(in, opcode, machine.distance);
    if (machine.state == state_after_run) return near_match(in, opcode, 3, 1793);
    if (machine.state != 0) return near_match(in, opcode, 2, 1);
    return {0, 0, opcode != 0 ? opcode + 3 : 18 + in.extension()};
}

Errc check(const Instruction& instruction, const Reader& in, const Machine& machine) noexcept {
    if (in.overrun()) return Errc::input_overrun;
    if (instruction.is_end) return in.left() == 0 ? Errc::ok : Errc::trailing_input;
    const auto room = static_cast<std::size_t>(machine.out_end - machine.out);
    if (instruction.match_length != 0) {
        if (instruction.distance > static_cast<std::size_t>(machine.out - machine.out_begin))
            return Errc::lookbehind_overrun;
        if (instruction.match_length > room) return Errc::output_overrun;
    }
    if (instruction.literals > room - instruction.match_length) return Errc::output_overrun;
    if (instruction.literals > in.left()) return Errc::input_overrun;
    return Errc::ok;
}

// What lies `distance` back repeats: each round may copy all that is already there.
void copy_match(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
    const std::uint8_t* const from = out - distance;
    while (length != 0) {
        const std::size_t count = std::min(length, static_cast<std::size_t>(out - from));
        std::memcpy(out, from, count);
        out += count;
        length -= count;
    }
}

}  // namespace

Step exact_step(Machine& machine, Errc& error) noexcept {
    Reader in(machine.in, machine.in_end);
    const Instruction instruction = read_instruction(in, machine);
    error = check(instruction, in, machine);
    if (instruction.is_end && (error == Errc::ok || error == Errc::trailing_input)) machine.in = in.at();
    if (error != Errc::ok) return Step::failed;
    if (instruction.is_end) return Step::finished;
    if (instruction.match_length != 0) {
        copy_match(machine.out, instruction.distance, instruction.match_length);
        machine.out += instruction.match_length;
        machine.distance = instruction.distance;
    }
    if (instruction.literals != 0) std::memcpy(machine.out, in.at(), instruction.literals);
    machine.out += instruction.literals;
    machine.in = in.at() + instruction.literals;
    machine.state = static_cast<unsigned>(std::min<std::size_t>(instruction.literals, state_after_run));
    return Step::going_on;
}

}  // namespace tickpath::lzo1z
