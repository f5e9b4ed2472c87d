// A template file compiled: one flat array of 16-byte instructions, run by decoder.cc. Built once by
// compiler.cc, read only afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decoders/base/decimal.h"
#include "decoders/fast/message.h"

namespace tickpath::fast {

// X(operator, type): each stands for two opcodes, operator_type_m (mandatory) and operator_type_o (optional).
#define TICKPATH_FAST_FIELD_OPS(X) \
    X(none, u32)                   \
    X(none, i32)                   \
    X(none, u64)                   \
    X(none, i64)                   \
    X(none, decimal)               \
    X(none, ascii)                 \
    X(none, bytes)                 \
    X(default, u32)                \
    X(default, i32)                \
    X(default, u64)                \
    X(default, i64)                \
    X(default, decimal)            \
    X(default, ascii)              \
    X(default, bytes)              \
    X(copy, u32)                   \
    X(copy, i32)                   \
    X(copy, u64)                   \
    X(copy, i64)                   \
    X(copy, decimal)               \
    X(copy, ascii)                 \
    X(copy, bytes)                 \
    X(increment, u32)              \
    X(increment, i32)              \
    X(increment, u64)              \
    X(increment, i64)              \
    X(delta, u32)                  \
    X(delta, i32)                  \
    X(delta, u64)                  \
    X(delta, i64)                  \
    X(delta, decimal)              \
    X(delta, ascii)                \
    X(delta, bytes)                \
    X(tail, ascii)                 \
    X(tail, bytes)

// Everything else. "Jump" is to Instruction::jump().
#define TICKPATH_FAST_CONTROL_OPS(X)                                                           \
    X(constant)          /* optional: one bit says whether the template's value is there */    \
    X(store_constant)    /* part of a decimal, or a length: slot = imm */                      \
    X(store_optional)    /* the same behind one bit */                                         \
    X(exponent)          /* R1 on the exponent just decoded */                                 \
    X(exponent_optional) /* the same; without exponent jump past the mantissa */               \
    X(check_utf8)        /* R2 on the text that an operator has put together */                \
    X(wrap_narrow)       /* before an increment: 8 or 16 bits wrap at their own maximum */     \
    X(check_narrow)      /* D2 (delta: R4) on an integer of 8 or 16 bits just decoded */       \
    X(check_type)        /* D4 on an entry that fields of several types share */               \
    X(map_refill)        /* before each bit of a segment that may use more than 63 */          \
    X(group_optional)    /* one bit; jump past the group when it is clear */                   \
    X(group_begin)       /* a group with a presence map of its own */                          \
    X(group_end)                                                                               \
    X(sequence_begin)  /* the length is in slot; jump past the elements when there are none */ \
    X(element_end)     /* of elements without presence map */                                  \
    X(element_end_map) /* of elements with one */                                              \
    X(dynamic_reference)

enum class Opcode : std::uint8_t {
#define TICKPATH_FAST_OP(op, type) op##_##type##_m, op##_##type##_o,
    TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
#define TICKPATH_FAST_OP(op) op##_,
        TICKPATH_FAST_CONTROL_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
            message_end_,
    stop_,                  ///< end of a program cut by Templates::cut_behind
    element_end_sink_,      ///< as element_end; the element goes to Runtime::entry_sink first
    element_end_map_sink_,  ///< as element_end_map, likewise: Templates::with_entry_sinks
};

struct Instruction {
    static constexpr std::uint8_t has_initial = 1;   ///< imm is an initial value
    static constexpr std::uint8_t decimal_part = 2;  ///< exponent or mantissa: out of range is R1, not R4
    static constexpr std::uint8_t overwrites =
        4;  ///< check_type: a set bit replaces the entry without reading it
    static constexpr std::uint8_t wide_map = 8;    ///< element_end_map: more than 63 bits
    static constexpr std::uint8_t is_signed = 16;  ///< wrap_narrow, check_narrow: imm bits, two's complement
    static constexpr std::uint8_t delta_result = 32;  ///< check_narrow: out of bounds is R4

    Opcode opcode = Opcode::message_end_;
    std::uint8_t flags = 0;
    std::uint16_t slot = 0;      ///< word of the row that receives the value
    std::uint16_t presence = 0;  ///< bit of the row that says it is there
    std::uint16_t entry = 0;     ///< dictionary entry
    /// Initial value: integer, text slot, or index in Program::decimals. Control instructions: segment or
    /// entry type in the low half, index of the instruction to jump to in the high half.
    std::uint64_t imm = 0;

    [[nodiscard]] std::uint32_t jump() const noexcept { return static_cast<std::uint32_t>(imm >> 32); }
    [[nodiscard]] std::uint32_t operand() const noexcept { return static_cast<std::uint32_t>(imm); }
};
static_assert(sizeof(Instruction) == 16);

/// Elements of a sequence, or a group with a map.
struct Segment {
    std::uint32_t first = 0;           ///< instruction of the first field
    std::uint16_t row_words = 0;       ///< sequence: words of one row
    std::uint16_t presence_words = 0;  ///< of them, the leading ones that hold presence bits
    std::uint16_t bytes_min = 0;       ///< shortest element; 0 when one may take no byte at all
    bool has_map = false;
    bool wide_map = false;  ///< may use more than 63 bits
};

/// Where a template's instructions begin and what they need.
struct TemplateCode {
    std::uint32_t first = 0;
    std::uint16_t row_words = 1;
    std::uint16_t presence_words = 1;
    std::uint16_t dictionary_word =
        0;                          ///< narrow: the one 64-bit word that holds the state of all its entries
    bool narrow = false;            ///< one dictionary word, one presence word per row, no dynamic reference
    bool wide_map = false;          ///< may use more than 63 bits
    bool resets = false;            ///< carries a reset attribute
    std::uint32_t texts_first = 0;  ///< in Program::text_entries
    std::uint32_t texts_count = 0;
};

/// For error places: what an instruction is about.
struct InstructionPlace {
    std::uint32_t template_index = 0;
    std::uint32_t path = 0;  ///< in Program::paths
};

struct Program {
    std::vector<Instruction> code;
    std::vector<InstructionPlace> places;  ///< one per instruction
    std::vector<std::string> paths;        ///< "MDEntries/MDEntryPx"; the first is empty
    std::vector<Segment> segments;
    std::vector<TemplateCode> templates;          ///< same order as Templates::all()
    std::vector<Decimal> decimals;                ///< initial values
    std::vector<std::uint64_t> constants;         ///< slots of constant fields
    std::string text;                             ///< characters of initial values and constants
    std::vector<std::uint16_t> text_entries;      ///< per template the dictionary entries that hold text
    std::vector<std::uint16_t> all_text_entries;  ///< each once
    std::vector<std::uint8_t> entry_types;  ///< FieldType by entry; the first one where several share it

    std::uint32_t entry_count = 0;
    std::uint32_t dictionary_words = 1;  ///< ceil(entry_count / 64)
    std::uint32_t depth_max = 1;  ///< nested segments of the deepest template, without dynamic references
    std::uint32_t padding_bytes = 64;  ///< sentinel bytes the interpreter may run into behind the input

    /// Identifier → index in `templates`, open addressing; size is a power of two.
    struct IdSlot {
        std::uint32_t id = 0;
        std::uint32_t index = Message::no_template;
    };
    std::vector<IdSlot> ids;

    [[nodiscard]] std::uint32_t index_of(std::uint32_t id) const noexcept {
        const std::size_t mask = ids.size() - 1;
        for (std::size_t i = hash(id) & mask;; i = (i + 1) & mask)
            if (ids[i].index == Message::no_template || ids[i].id == id) return ids[i].index;
    }
    [[nodiscard]] static std::size_t hash(std::uint32_t id) noexcept {
        return (id * 0x9E37'79B1u) >> 16;  // Fibonacci hashing: identifiers come in runs
    }
};

}  // namespace tickpath::fast
