// The encoder's twin of the decoding program: the same instructions at the same indices, with what only
// writing needs to know. Built once per encoder, read only afterwards. Cold to build.
#pragma once

#include <cstdint>
#include <vector>

#include "decoders/fast/program.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

struct EncodeInstruction {
    /// Where the value of an integer instruction comes from.
    enum class Source : std::uint8_t {
        field,     ///< the row's slot
        length,    ///< how many elements the sequence has
        exponent,  ///< a part of the decimal in hand
        mantissa,
    };

    Opcode opcode = Opcode::message_end_;
    std::uint8_t flags = 0;  ///< Instruction's
    Source source = Source::field;
    std::uint16_t entry = 0;
    std::uint16_t map_bytes = 0;  ///< what begins a segment: the most its presence map can take
    FieldRef ref;
    std::uint32_t partner = 0;  ///< exponent: index of its mantissa's instruction
    std::uint64_t imm = 0;      ///< Instruction's

    [[nodiscard]] std::uint32_t jump() const noexcept { return static_cast<std::uint32_t>(imm >> 32); }
    [[nodiscard]] std::uint32_t operand() const noexcept { return static_cast<std::uint32_t>(imm); }
    [[nodiscard]] bool has_initial() const noexcept { return (flags & Instruction::has_initial) != 0; }
};

struct EncodeProgram {
    /// `templates` must outlive this.
    explicit EncodeProgram(const Templates& templates);

    const Program* program;
    std::vector<EncodeInstruction> code;
    std::vector<std::uint16_t> template_map_bytes;  ///< by template, as is the next
    std::vector<std::uint32_t> template_ids;
};

/// Whether the instruction takes a bit of its segment's presence map.
[[nodiscard]] bool takes_map_bit(Opcode opcode) noexcept;

}  // namespace tickpath::fast
