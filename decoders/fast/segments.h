// Groups, sequences, dynamic references and the ends of messages: the instructions that change the segment,
// and with it the presence map (FAST 1.1 §10.5, spec/fast.md §3.2, §10). Hot: once per element or group.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decoders/fast/machine.h"
#include "decoders/fast/text_operators.h"

namespace tickpath::fast {

/// The next bits of a wide map into the register, before one is taken.
template <class M>
[[gnu::always_inline]] inline void refill_map(M& m) noexcept {
    WideMap& wide = m.runtime().wide;
    if (wide.bits_left == 0) {
        m.map = map_register(wide.next, wide.end);
        wide.next += std::min<std::ptrdiff_t>(wide.end - wide.next, map_groups_in_register);
        wide.bits_left = map_bits_in_register;
    }
    --wide.bits_left;
}

/// The map of a nested segment. `wide_map`: its instructions may use more than 63 bits.
template <class M>
[[gnu::always_inline]] inline bool begin_map(M& m, bool wide_map) noexcept {
    if (!wide_map) [[likely]]
        return read_map(m.in, m.map);
    Cursor copy = m.in;
    std::uint64_t bits = 0;
    const bool ok = read_wide_map(copy, bits, m.runtime().wide);
    m.in = copy;
    m.map = bits;
    return ok;
}

/// What every end of a segment looks at: the input's end (spec/fast.md §13.1), and bits nobody used (R8).
template <class M>
[[gnu::always_inline]] inline bool end_segment(M& m, bool wide_map) noexcept {
    if (m.in.past_end()) [[unlikely]]
        return m.in.fail(Errc::truncated);
    const bool surplus = m.map != 0 || (wide_map && has_bits_left(m.runtime().wide));
    return !surplus || m.in.input().report(Report::r8, m.in.at());
}

template <class M>
[[gnu::always_inline]] inline Frame* push_frame(M& m) noexcept {
    Frame* const frame = ++m.runtime().frame;
    frame->row = m.row;
    frame->map = m.map;
    frame->present = m.state.present();
    return frame;
}

template <class M>
[[gnu::always_inline]] inline void pop_frame(M& m) noexcept {
    const Frame* const frame = m.runtime().frame--;
    m.row = frame->row;
    m.map = frame->map;
    m.state.restore_present(frame->present);
}

/// What begins a message, or the segment of a dynamic reference.
struct SegmentHead {
    std::uint64_t map = 0;  ///< without the identifier's bit
    bool has_identifier = false;
};

/// Presence map and template identifier (§10). The identifier is a uInt32 with a copy operator, whose entry
/// messages and dynamic references share: Runtime::template_id. An unknown one leaves template_index unset.
[[nodiscard, gnu::always_inline]] inline bool read_head(Runtime& runtime, Cursor& in,
                                                        SegmentHead& head) noexcept {
    if (read_short_map(in, head.map)) [[likely]] {
        runtime.wide = {in.at(), in.at(), map_bits_in_register};
    } else if (!read_wide_map(in, head.map, runtime.wide)) {
        return false;
    }
    head.has_identifier = static_cast<std::int64_t>(head.map) < 0;
    head.map += head.map;
    --runtime.wide.bits_left;
    if (!head.has_identifier) return runtime.has_template_id || in.fail(Errc::d5);
    std::uint64_t id = 0;
    if (!in.read<std::uint32_t>(id)) return false;
    if (in.past_end()) [[unlikely]]
        return in.fail(Errc::truncated);  // sentinels are nothing to remember
    runtime.has_template_id = true;
    runtime.template_id = static_cast<std::uint32_t>(id);
    runtime.template_index = runtime.program->index_of(runtime.template_id);
    return true;
}

/// After read_head found a template: its reset, its row, and R8 for a map that is too long for it.
[[nodiscard, gnu::always_inline]] inline std::uint64_t* begin_template(Runtime& runtime, Cursor& in,
                                                                       const TemplateCode& code) noexcept {
    if (runtime.resets[runtime.template_index]) {
        runtime.forget();
        runtime.has_template_id = true;  // the resetting message's own identifier is remembered
    }
    if (!code.wide_map && runtime.wide.next != runtime.wide.end) [[unlikely]]
        if (has_bits_left(runtime.wide) && !in.input().report(Report::r8, in.at())) return nullptr;
    std::uint64_t* const row = runtime.take_rows(code.row_words);
    if (row == nullptr) [[unlikely]]
        in.fail(Errc::limit);
    return row;
}

/// A group with a map of its own; its fields go on in the same row.
template <class M>
[[gnu::always_inline]] inline bool begin_group(M& m, const Segment& segment) noexcept {
    Runtime& runtime = m.runtime();
    Frame* const frame = ++runtime.frame;
    frame->map = m.map;
    if (segment.wide_map) frame->wide = runtime.wide;
    return begin_map(m, segment.wide_map);
}

template <class M>
[[gnu::always_inline]] inline bool end_group(M& m, const Segment& segment) noexcept {
    if (!end_segment(m, segment.wide_map)) return false;
    const Frame* const frame = m.runtime().frame--;
    m.map = frame->map;
    if (segment.wide_map) m.runtime().wide = frame->wide;
    return true;
}

/// How many elements follow. Absent and empty are different things: only the first lacks the presence bit.
template <class M>
[[nodiscard, gnu::always_inline]] inline bool element_count(M& m, std::uint64_t& count) noexcept {
    if (m.in.past_end()) [[unlikely]]
        return m.in.fail(Errc::truncated);
    count = m.state.is_present(m.row, m.op->presence) ? m.row[m.op->slot] : 0;
    return true;
}

/// Rows for all elements at once, so that they are contiguous whatever they contain; null on an error. The
/// length is hostile until proven otherwise.
template <class M>
[[nodiscard, gnu::always_inline]] inline std::uint64_t* take_elements(M& m, const Segment& segment,
                                                                      std::uint64_t count) noexcept {
    Runtime& runtime = m.runtime();
    if (count > runtime.limits.sequence_length_max) [[unlikely]]
        return m.in.fail(Errc::limit), nullptr;
    if (static_cast<std::int64_t>(count * segment.bytes_min) > runtime.end - m.in.at()) [[unlikely]]
        return m.in.fail(Errc::truncated), nullptr;
    std::uint64_t* const rows = runtime.take_rows(count * segment.row_words);
    if (rows == nullptr) [[unlikely]]
        return m.in.fail(Errc::limit), nullptr;
    m.row[m.op->slot] = static_cast<std::uint64_t>(rows - runtime.rows.data()) | count << 32;
    return rows;
}

template <class M>
[[gnu::always_inline]] inline bool begin_sequence(M& m, const Segment& segment,
                                                  std::uint64_t count) noexcept {
    Runtime& runtime = m.runtime();
    std::uint64_t* const rows = take_elements(m, segment, count);
    if (rows == nullptr) [[unlikely]]
        return false;
    Frame* const frame = push_frame(m);
    frame->first = runtime.program->code.data() + segment.first;
    frame->elements_left = static_cast<std::uint32_t>(count);
    frame->row_words = segment.row_words;
    frame->presence_words = segment.presence_words;
    if (segment.wide_map) frame->wide = runtime.wide;
    m.row = rows;
    m.state.begin_row(rows, segment.presence_words);
    m.op = frame->first;
    return !segment.has_map || begin_map(m, segment.wide_map);
}

/// What the end of an element looks at; only those with a map can have bits that nobody used.
template <bool has_map, class M>
[[nodiscard, gnu::always_inline]] inline bool close_element(M& m, bool wide_map) noexcept {
    if constexpr (has_map) return end_segment(m, wide_map);
    if (m.in.past_end()) [[unlikely]]
        return m.in.fail(Errc::truncated);
    return true;
}

/// The end of one element: on to the next one, or out of the sequence.
template <bool has_map, class M>
[[gnu::always_inline]] inline bool end_element(M& m) noexcept {
    Runtime& runtime = m.runtime();
    Frame* const frame = runtime.frame;
    const bool wide_map = has_map && (m.op->flags & Instruction::wide_map) != 0;
    if (!close_element<has_map>(m, wide_map)) return false;
    m.state.end_row(m.row);
    if (--frame->elements_left == 0) {
        if (wide_map) runtime.wide = frame->wide;
        pop_frame(m);
        ++m.op;
        return true;
    }
    m.row += frame->row_words;
    m.state.begin_row(m.row, frame->presence_words);
    m.op = frame->first;
    if constexpr (has_map) return begin_map(m, wide_map);
    return true;
}

}  // namespace tickpath::fast
