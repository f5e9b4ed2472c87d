#include "decoders/fast/interpreter.h"

#include "decoders/fast/handlers.h"
#include "decoders/fast/operators.h"
#include "decoders/fast/segments.h"

// Threaded code: each handler jumps straight to the next one, so that the predictor sees one indirect jump
// per handler and learns which follows which. The labels are a GNU extension.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace tickpath::fast {
namespace {

// Handlers advance m.op and return whether decoding may go on.

template <class M>
[[gnu::always_inline]] inline void jump(M& m) noexcept {
    m.op = m.runtime().program->code.data() + m.op->jump();
}

template <class M>
[[gnu::always_inline]] inline bool handle_exponent_optional(M& m) noexcept {
    if (m.state.is_present(m.row, m.op->presence)) return handle_exponent(m);
    jump(m);
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_group_optional(M& m) noexcept {
    if (m.take_bit()) {
        m.set_present();
        ++m.op;
    } else {
        jump(m);
    }
    return true;
}

template <class M>
[[gnu::always_inline]] inline const Segment& segment_of(const M& m) noexcept {
    return m.runtime().program->segments[m.op->operand()];
}

template <class M>
[[gnu::always_inline]] inline bool handle_group_begin(M& m) noexcept {
    if (!begin_group(m, segment_of(m))) return false;
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_group_end(M& m) noexcept {
    if (!end_group(m, segment_of(m))) return false;
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_sequence_begin(M& m) noexcept {
    std::uint64_t count = 0;
    if (!element_count(m, count)) return false;
    if (count != 0) return begin_sequence(m, segment_of(m), count);
    m.row[m.op->slot] = 0;
    jump(m);
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_element_end(M& m) noexcept {
    return end_element<false>(m);
}

template <class M>
[[gnu::always_inline]] inline bool handle_element_end_map(M& m) noexcept {
    return end_element<true>(m);
}

// The element goes out before the frame moves on to the next one. Elements of a dynamic reference stay: who
// reads them does not know the message they belong to.
template <class M>
[[gnu::always_inline]] inline void hand_out_element(M& m) noexcept {
    Runtime& runtime = m.runtime();
    if (runtime.dynamic_depth != 0 || m.in.past_end()) return;
    m.state.end_row(m.row);
    m.state.show_present(runtime.frame->row, runtime.frame->present);
    runtime.hand_out_element(m.row);
}

// A whole segment follows: map, identifier if its bit is set, and the fields of that template in a row of its
// own.
template <class M>
[[gnu::always_inline]] inline bool handle_dynamic_reference(M& m) noexcept {
    Runtime& runtime = m.runtime();
    const Program& program = *runtime.program;
    if (m.in.past_end()) return m.in.fail(Errc::truncated);
    if (++runtime.dynamic_depth > runtime.limits.dynamic_depth_max) return m.in.fail(Errc::limit);
    Frame* const frame = push_frame(m);
    frame->first = m.op + 1;
    frame->wide = runtime.wide;

    Cursor in = m.in;
    SegmentHead head;
    const bool ok = read_head(runtime, in, head);
    m.in = in;
    if (!ok) return false;
    if (runtime.template_index == Message::no_template) return m.in.fail(Errc::d9);
    const TemplateCode& code = program.templates[runtime.template_index];
    std::uint64_t* const row = begin_template(runtime, in, code);
    if (row == nullptr) return false;
    m.row[m.op->slot] =
        static_cast<std::uint64_t>(row - runtime.rows.data()) | std::uint64_t{runtime.template_index} << 32;
    m.row = row;
    m.map = head.map;
    m.state.begin_row(row, code.presence_words);
    m.op = program.code.data() + code.first;
    return true;
}

// True when a dynamic reference ended here, and the outer template goes on.
template <class M>
[[gnu::always_inline]] inline bool leave_dynamic(M& m) noexcept {
    Runtime& runtime = m.runtime();
    if (runtime.dynamic_depth == 0) return false;
    --runtime.dynamic_depth;
    m.op = runtime.frame->first;
    runtime.wide = runtime.frame->wide;
    pop_frame(m);
    return true;
}

}  // namespace

#define TICKPATH_FAST_NEXT() goto* labels[static_cast<std::uint8_t>(m.op->opcode)]

#define TICKPATH_FAST_FIELD(name, type)                                         \
    name##_##type##_m : if (!apply_##name<kernel::type, false>(m)) goto failed; \
    ++m.op;                                                                     \
    TICKPATH_FAST_NEXT();                                                       \
    name##_##type##_o : if (!apply_##name<kernel::type, true>(m)) goto failed;  \
    ++m.op;                                                                     \
    TICKPATH_FAST_NEXT();

#define TICKPATH_FAST_CONTROL(name)               \
    name##_ : if (!handle_##name(m)) goto failed; \
    TICKPATH_FAST_NEXT();

template <class State>
bool run(Runtime& runtime, const TemplateCode& code, const std::uint8_t*& at, std::uint64_t map,
         std::uint64_t* row) noexcept {
    static const void* const labels[] = {
#define TICKPATH_FAST_LABEL(name, type) &&name##_##type##_m, &&name##_##type##_o,
        TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_LABEL)
#undef TICKPATH_FAST_LABEL
#define TICKPATH_FAST_LABEL(name) &&name##_,
            TICKPATH_FAST_CONTROL_OPS(TICKPATH_FAST_LABEL) TICKPATH_FAST_LABEL(message_end)
                TICKPATH_FAST_LABEL(stop) TICKPATH_FAST_LABEL(element_end_sink)
                    TICKPATH_FAST_LABEL(element_end_map_sink)
#undef TICKPATH_FAST_LABEL
    };
    Machine<State> m{
        Cursor(at, runtime), runtime.program->code.data() + code.first, row, map, runtime.values.data(),
        State(runtime, code)};
    m.state.begin_row(row, code.presence_words);
    TICKPATH_FAST_NEXT();

    TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_FIELD)
    TICKPATH_FAST_CONTROL_OPS(TICKPATH_FAST_CONTROL)

message_end_:
    if (!end_segment(m, runtime.wide.next != runtime.wide.end)) goto failed;
    m.state.end_row(m.row);
    if constexpr (State::is_wide)
        if (leave_dynamic(m)) TICKPATH_FAST_NEXT();
    m.state.store(runtime, code);
    at = m.in.at();
    return true;

stop_:  // the rest of the message is of no interest; behind a dynamic reference there is no telling where it
        // ends
    if (m.in.past_end() || runtime.dynamic_depth != 0) {
        m.in.fail(Errc::truncated);
        goto failed;
    }
    m.state.end_row(m.row);
    at = m.in.at();
    return true;

// Jumps, not copies of the handlers, and cold: they cost nothing where nobody listens (10 of 3,705
// instructions otherwise).
element_end_sink_:
    __attribute__((cold));
    hand_out_element(m);
    goto element_end_;

element_end_map_sink_:
    __attribute__((cold));
    hand_out_element(m);
    goto element_end_map_;

failed:
    m.state.store(runtime, code);
    runtime.failed_at = m.op;
    at = m.in.at();
    return false;
}

template bool run<NarrowState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                               std::uint64_t*) noexcept;
template bool run<WideState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                             std::uint64_t*) noexcept;
template bool run<LoggedState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                               std::uint64_t*) noexcept;

}  // namespace tickpath::fast
