// What the interpreter works on: the decoder's memory (Runtime) and the few values that live in registers
// while a message is decoded (Machine). Hot; all memory is taken in Runtime's constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "decoders/fast/cursor.h"
#include "decoders/fast/entry_sink.h"
#include "decoders/fast/generated.h"
#include "decoders/fast/presence_map.h"
#include "decoders/fast/program.h"
#include "decoders/fast/undo_log.h"

namespace tickpath::fast {

/// Where to go on when a group, a sequence or a dynamic reference is over.
struct Frame {
    const Instruction* first = nullptr;  ///< sequence: its first field; dynamic reference: what follows it
    std::uint64_t* row = nullptr;        ///< of the surrounding segment, as are the next three
    std::uint64_t map = 0;
    std::uint64_t present = 0;
    WideMap wide;
    std::uint32_t elements_left = 0;
    std::uint16_t row_words = 0;
    std::uint16_t presence_words = 0;
};

struct RuntimeLimits {
    std::uint32_t sequence_length_max = 0;
    std::uint32_t dynamic_depth_max = 0;
    std::uint32_t row_words_max = 0;
    std::uint32_t scratch_bytes_max = 0;
    std::uint32_t dictionary_text_bytes_max = 0;
};

/// The decoder's memory. One per decoder, owned by one thread.
struct Runtime : Input {
    Runtime(const Program& compiled, RuntimeLimits bounds);

    /// All entries undefined again, and no template identifier: one word per 64 entries.
    void forget() noexcept {
        for (std::size_t i = 0; i < assigned.size(); ++i)
            assigned[i] = empty[i] = 0;
        has_template_id = false;
    }

    void begin_message() noexcept {
        rows_next = rows.data();
        frame = frames.data();
        dynamic_depth = 0;
        reports = 0;
    }

    const Program* program;
    RuntimeLimits limits;
    RowContext context;

    // Entry i: assigned bit set → values[i]; else empty bit set → empty; else undefined. The empty bit means
    // nothing while the assigned bit is set, so that assigning touches one word only.
    std::vector<std::uint64_t> assigned;
    std::vector<std::uint64_t> empty;
    std::vector<std::uint64_t> values;      ///< integers, mantissas, text slots
    std::vector<std::uint64_t> exponents;   ///< of decimal entries
    std::vector<std::uint8_t> entry_types;  ///< FieldType last assigned, where fields of several types share

    std::vector<std::uint64_t> rows;
    std::uint64_t* rows_next = nullptr;
    std::uint64_t* rows_end = nullptr;

    std::vector<Frame> frames;
    Frame* frame = nullptr;  ///< innermost; frames[0] is never used
    WideMap wide;            ///< of the innermost segment with a map of more than 63 bits
    std::uint32_t dynamic_depth = 0;

    std::vector<char> scratch;  ///< texts put together by delta and tail
    std::uint32_t scratch_used = 0;

    // Texts that outlive their datagram: two places per entry, used in turn, so that a message may still be
    // read while its successor's values are being kept.
    std::vector<char> kept_texts;
    std::vector<std::uint32_t> kept_text_index;  ///< entry → place pair
    std::vector<std::uint8_t> kept_text_turn;    ///< by entry

    // §10: the template identifier's own dictionary entry, and the template it means.
    bool has_template_id = false;
    std::uint32_t template_id = 0;
    std::uint32_t template_index = Message::no_template;
    std::vector<std::uint8_t> resets;  ///< by template: by attribute, or by the feed's reset rule

    /// By template: generated code, or the interpreter.
    std::vector<RunFunction> runs;

    const Instruction* failed_at = nullptr;
    std::unique_ptr<UndoLog> undo_log;  ///< of a stream
    EntrySink entry_sink;

    /// The innermost sequence's element in `row`, to entry_sink. Out of line: built here, what it passes
    /// would take a place on the interpreter's stack.
    [[gnu::noinline]] void hand_out_element(const std::uint64_t* row) const noexcept;

    /// Room for `words` of row, or null when the message is over its limit.
    [[nodiscard]] std::uint64_t* take_rows(std::size_t words) noexcept {
        if (words > static_cast<std::size_t>(rows_end - rows_next)) [[unlikely]]
            return nullptr;
        std::uint64_t* const taken = rows_next;
        rows_next += words;
        return taken;
    }
};

/// Presence and dictionary state in registers: at most 63 presence bits a row, all entries in one word.
class NarrowState {
public:
    static constexpr bool is_wide = false;

    NarrowState(const Runtime& runtime, const TemplateCode& code) noexcept
        : assigned_(runtime.assigned[code.dictionary_word]), empty_(runtime.empty[code.dictionary_word]) {}
    [[gnu::always_inline]] void store(Runtime& runtime, const TemplateCode& code) const noexcept {
        runtime.assigned[code.dictionary_word] = assigned_;
        runtime.empty[code.dictionary_word] = empty_;
    }

    [[gnu::always_inline]] void begin_row(std::uint64_t*, unsigned) noexcept { present_ = 1; }
    [[gnu::always_inline]] void end_row(std::uint64_t* row) const noexcept { row[0] = present_; }
    [[gnu::always_inline]] void set_present(std::uint64_t*, unsigned bit) noexcept {
        present_ |= std::uint64_t{1} << (bit & 63);
    }
    [[nodiscard, gnu::always_inline]] bool is_present(const std::uint64_t*, unsigned bit) const noexcept {
        return (present_ >> (bit & 63) & 1) != 0;
    }
    [[nodiscard, gnu::always_inline]] std::uint64_t present() const noexcept { return present_; }
    /// Presence bits that push_frame kept, into the row they belong to, for somebody who reads it early.
    [[gnu::always_inline]] static void show_present(std::uint64_t* row, std::uint64_t present) noexcept {
        row[0] = present;
    }
    [[gnu::always_inline]] void restore_present(std::uint64_t present) noexcept { present_ = present; }

    [[gnu::always_inline]] void note_overwrite(const Runtime&, unsigned) const noexcept {}
    [[nodiscard, gnu::always_inline]] bool is_assigned(const Runtime&, unsigned entry) const noexcept {
        return (assigned_ >> (entry & 63) & 1) != 0;
    }
    [[nodiscard, gnu::always_inline]] bool is_empty(const Runtime&, unsigned entry) const noexcept {
        return (empty_ >> (entry & 63) & 1) != 0;
    }
    [[gnu::always_inline]] void set_assigned(Runtime&, unsigned entry) noexcept {
        assigned_ |= std::uint64_t{1} << (entry & 63);
    }
    [[gnu::always_inline]] void set_empty(Runtime&, unsigned entry) noexcept {
        assigned_ &= ~(std::uint64_t{1} << (entry & 63));
        empty_ |= std::uint64_t{1} << (entry & 63);
    }

private:
    std::uint64_t present_ = 1;
    std::uint64_t assigned_;
    std::uint64_t empty_;
};

/// The same in memory, for any number of either.
class WideState {
public:
    static constexpr bool is_wide = true;

    WideState(const Runtime&, const TemplateCode&) noexcept {}
    [[gnu::always_inline]] void store(Runtime&, const TemplateCode&) const noexcept {}

    [[gnu::always_inline]] void begin_row(std::uint64_t* row, unsigned words) noexcept {
        row[0] = 1;
        for (unsigned i = 1; i < words; ++i)
            row[i] = 0;
    }
    [[gnu::always_inline]] void end_row(std::uint64_t*) const noexcept {}
    [[gnu::always_inline]] void set_present(std::uint64_t* row, unsigned bit) noexcept {
        row[bit / 64] |= mask(bit);
    }
    [[nodiscard, gnu::always_inline]] bool is_present(const std::uint64_t* row, unsigned bit) const noexcept {
        return (row[bit / 64] & mask(bit)) != 0;
    }
    [[nodiscard, gnu::always_inline]] std::uint64_t present() const noexcept { return 0; }
    [[gnu::always_inline]] static void show_present(std::uint64_t*, std::uint64_t) noexcept {}
    [[gnu::always_inline]] void restore_present(std::uint64_t) noexcept {}

    [[gnu::always_inline]] void note_overwrite(const Runtime&, unsigned) const noexcept {}
    [[nodiscard, gnu::always_inline]] bool is_assigned(const Runtime& runtime,
                                                       unsigned entry) const noexcept {
        return (runtime.assigned[entry / 64] & mask(entry)) != 0;
    }
    [[nodiscard, gnu::always_inline]] bool is_empty(const Runtime& runtime, unsigned entry) const noexcept {
        return (runtime.empty[entry / 64] & mask(entry)) != 0;
    }
    [[gnu::always_inline]] void set_assigned(Runtime& runtime, unsigned entry) noexcept {
        runtime.assigned[entry / 64] |= mask(entry);
    }
    [[gnu::always_inline]] void set_empty(Runtime& runtime, unsigned entry) noexcept {
        runtime.assigned[entry / 64] &= ~mask(entry);
        runtime.empty[entry / 64] |= mask(entry);
    }

private:
    [[nodiscard, gnu::always_inline]] static std::uint64_t mask(unsigned bit) noexcept {
        return std::uint64_t{1} << (bit & 63);
    }
};

/// As WideState, for any template of a stream: what a message overwrites is noted, to be taken back when its
/// end has not arrived.
class LoggedState : public WideState {
public:
    using WideState::WideState;
    [[gnu::always_inline]] void note_overwrite(const Runtime& runtime, unsigned entry) const noexcept {
        runtime.undo_log->note(runtime, entry);
    }
};

/// The interpreter's registers. Never take its address outside inlined code: it would move to memory.
template <class State>
struct Machine {
    Cursor in;
    const Instruction* op;
    std::uint64_t* row;
    std::uint64_t map;  ///< presence bits of the current segment, the next one on top
    std::uint64_t* values;
    State state;

    [[nodiscard, gnu::always_inline]] Runtime& runtime() const noexcept {
        return static_cast<Runtime&>(in.input());
    }

    /// The next presence bit; zero for ever after the last one sent (§10.5).
    [[nodiscard, gnu::always_inline]] bool take_bit() noexcept {
        const bool bit = static_cast<std::int64_t>(map) < 0;
        map += map;
        return bit;
    }

    /// Before the entry's value or type is written.
    [[gnu::always_inline]] void note_overwrite() noexcept { state.note_overwrite(runtime(), op->entry); }
    [[gnu::always_inline]] void set_present() noexcept { state.set_present(row, op->presence); }
    [[nodiscard, gnu::always_inline]] bool is_assigned() const noexcept {
        return state.is_assigned(runtime(), op->entry);
    }
    [[nodiscard, gnu::always_inline]] bool is_empty() const noexcept {
        return state.is_empty(runtime(), op->entry);
    }
    [[gnu::always_inline]] void set_empty() noexcept { state.set_empty(runtime(), op->entry); }
    [[gnu::always_inline]] void set_assigned() noexcept { state.set_assigned(runtime(), op->entry); }
    [[nodiscard, gnu::always_inline]] bool has_initial() const noexcept {
        return (op->flags & Instruction::has_initial) != 0;
    }
};

}  // namespace tickpath::fast
