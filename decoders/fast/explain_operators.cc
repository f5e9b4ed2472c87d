// What each operator makes of its field (§6.3), and where the value comes from.
#include <utility>

#include "decoders/fast/explain.h"
#include "decoders/fast/utf8.h"

namespace tickpath::fast {
namespace {

ExplainedValue initial_value(const OperatorDefinition& op, FieldType type) {
    if (is_text(type)) return op.initial->text;
    if (type == FieldType::decimal) return op.initial->decimal;
    if (is_signed(type)) return WideInteger{static_cast<std::int64_t>(op.initial->integer)};
    return WideInteger{op.initial->integer};
}

// What a delta or tail builds upon where neither a previous nor an initial value is (§6.3.7.1).
ExplainedValue zero_value(FieldType type) {
    if (is_text(type)) return std::string();
    if (type == FieldType::decimal) return Decimal{};
    return WideInteger{0};
}

}  // namespace

void Explainer::apply(const Operand& operand, const Place& place, Step& step) {
    switch (operand.op.op) {
        case Operator::none:
            read_value(operand.type, operand.optional, step);
            break;
        case Operator::constant:
            if (operand.optional) take_bit(place, step);
            apply_without_bit(operand, step);
            break;
        case Operator::default_:
            take_bit(place, step);
            apply_default(operand, step);
            break;
        case Operator::copy:
        case Operator::increment:
        case Operator::delta:
        case Operator::tail:
            apply_dictionary(operand, place, step);
            break;
    }
    step.end = wire_.at();
    step.reports = wire_.take_reports();
}

void Explainer::apply_without_bit(const Operand& operand, Step& step) {
    const bool is_there = !operand.optional || step.bit_is_set;
    step.source = is_there ? Source::constant : Source::bit_clear;
    if (is_there) step.value = initial_value(operand.op, operand.type);
}

void Explainer::apply_default(const Operand& operand, Step& step) {
    if (step.bit_is_set) return read_value(operand.type, operand.optional, step);
    step.source = operand.op.initial ? Source::initial : Source::bit_clear;
    if (operand.op.initial) {
        step.value = initial_value(operand.op, operand.type);
    } else if (!operand.optional) {
        wire_.fail(Errc::d5, wire_.at());
    }
}

void Explainer::apply_dictionary(const Operand& operand, const Place& place, Step& step) {
    step.entry = entry_name(operand.op, place.scope);
    Entry& entry = dictionary_[*step.entry];
    step.before = entry.content;
    const Operator op = operand.op.op;
    if (op != Operator::delta) take_bit(place, step);
    const bool replaces = (op == Operator::copy || op == Operator::increment) && step.bit_is_set;
    const bool is_of_another_type =
        entry.content.status == EntryStatus::assigned && entry.type != operand.type;
    if (is_of_another_type && (!replaces || options_.strict)) return wire_.fail(Errc::d4, wire_.at());
    entry.type = operand.type;
    if (op == Operator::delta) {
        apply_delta(operand, entry, step);
    } else if (!step.bit_is_set) {
        take_previous(operand, entry, step);
    } else if (op == Operator::tail) {
        apply_tail(operand, entry, step);
    } else {
        read_value(operand.type, operand.optional, step);
        if (ok() && step.value) entry.content = {EntryStatus::assigned, *step.value};
        if (ok() && !step.value) entry.content = {EntryStatus::empty, {}};
    }
    step.after = entry.content;
}

// Nothing on the wire (§6.3.4-6).
void Explainer::take_previous(const Operand& operand, Entry& entry, Step& step) {
    if (entry.content.status == EntryStatus::assigned) {
        step.source = Source::previous;
        if (operand.op.op != Operator::increment) return assign(operand, entry, entry.content.value, step);
        const WideRange range = range_of(operand.type, operand.bits);
        const WideInteger previous = std::get<WideInteger>(entry.content.value);
        step.source = Source::previous_plus_one;
        return assign(operand, entry, previous == range.max ? range.min : previous + 1, step);
    }
    if (entry.content.status == EntryStatus::undefined && operand.op.initial) {
        step.source = Source::initial;
        return assign(operand, entry, initial_value(operand.op, operand.type), step);
    }
    step.source = Source::bit_clear;
    const bool is_empty = entry.content.status == EntryStatus::empty;
    if (!operand.optional) return wire_.fail(is_empty ? Errc::d6 : Errc::d5, wire_.at());
    entry.content.status = EntryStatus::empty;
}

void Explainer::assign(const Operand& operand, Entry& entry, ExplainedValue value, Step& step) {
    const bool is_put_together = operand.op.op == Operator::delta || operand.op.op == Operator::tail;
    if (operand.type == FieldType::unicode && is_put_together && !is_utf8(std::get<std::string>(value)))
        wire_.report(Report::r2, step.begin);
    entry.content = {EntryStatus::assigned, value};
    if (ok()) step.value = std::move(value);
}

std::optional<ExplainedValue> Explainer::delta_base(const Operand& operand, const Entry& entry) {
    switch (entry.content.status) {
        case EntryStatus::assigned:
            return entry.content.value;
        case EntryStatus::empty:
            wire_.fail(Errc::d6, wire_.at());
            return std::nullopt;
        case EntryStatus::undefined:
            break;
    }
    return operand.op.initial ? initial_value(operand.op, operand.type) : zero_value(operand.type);
}

void Explainer::apply_delta(const Operand& operand, Entry& entry, Step& step) {
    step.source = Source::difference;
    if (is_text(operand.type)) return apply_text_delta(operand, entry, step);
    if (operand.type == FieldType::decimal) return apply_decimal_delta(operand, entry, step);
    const std::optional<WideInteger> delta = wire_.read_delta(operand.optional);
    if (!ok()) return;
    if (!delta) {
        step.source = Source::null;
        return;
    }
    step.sent = *delta;
    const std::optional<ExplainedValue> base = delta_base(operand, entry);
    if (!base) return;
    step.base = base;
    const WideInteger sum = std::get<WideInteger>(*base) + *delta;
    const WideRange range = range_of(operand.type, operand.bits);
    if (sum < range.min || sum > range.max)
        return wire_.fail(operand.is_decimal_part ? Errc::r1 : Errc::r4, step.begin);
    assign(operand, entry, sum, step);
}

void Explainer::apply_decimal_delta(const Operand& operand, Entry& entry, Step& step) {
    const std::optional<WideInteger> exponent = wire_.read_delta(operand.optional);
    if (!ok()) return;
    if (!exponent) {
        step.source = Source::null;
        return;
    }
    const std::optional<WideInteger> mantissa = wire_.read_delta(false);
    const std::optional<ExplainedValue> base = ok() ? delta_base(operand, entry) : std::nullopt;
    if (!base) return;
    step.base = base;
    const auto before = std::get<Decimal>(*base);
    const WideInteger new_exponent = before.exponent + *exponent;
    const WideInteger new_mantissa = before.mantissa + *mantissa;
    const WideRange range = range_of(FieldType::i64, 0);
    if (new_exponent < -exponent_max || new_exponent > exponent_max || new_mantissa < range.min ||
        new_mantissa > range.max)
        return wire_.fail(Errc::r1, step.begin);
    const Decimal sum{static_cast<std::int64_t>(new_mantissa), static_cast<std::int32_t>(new_exponent)};
    step.sent = Decimal{static_cast<std::int64_t>(*mantissa), static_cast<std::int32_t>(*exponent)};
    assign(operand, entry, sum, step);
}

// A negative subtraction length takes from the front, and -1 is nothing from there (§6.3.7.3).
void Explainer::apply_text_delta(const Operand& operand, Entry& entry, Step& step) {
    const std::optional<WideInteger> removed = wire_.read_integer(FieldType::i32, operand.optional);
    if (wire_.error() == Errc::d2) wire_.rename_error(Errc::d7);
    if (!ok()) return;
    if (!removed) {
        step.source = Source::null;
        return;
    }
    step.removed = *removed;
    const std::optional<std::string> addition = wire_.read_text(operand.type, false);
    if (!ok()) return;
    step.sent = *addition;
    const std::optional<ExplainedValue> base_value = delta_base(operand, entry);
    if (!base_value) return;
    step.base = base_value;
    const auto& base = std::get<std::string>(*base_value);
    const bool at_front = *removed < 0;
    const WideInteger count = at_front ? -*removed - 1 : *removed;
    if (count > static_cast<WideInteger>(base.size())) return wire_.fail(Errc::d7, step.begin);
    const auto cut = static_cast<std::size_t>(count);
    std::string result =
        at_front ? *addition + base.substr(cut) : base.substr(0, base.size() - cut) + *addition;
    if (result.size() > options_.limits.string_bytes_max) return wire_.fail(Errc::limit, step.begin);
    assign(operand, entry, std::move(result), step);
}

void Explainer::apply_tail(const Operand& operand, Entry& entry, Step& step) {
    const std::optional<std::string> tail = wire_.read_text(operand.type, operand.optional);
    if (!ok()) return;
    if (!tail) {
        step.source = Source::null;
        entry.content = {EntryStatus::empty, {}};
        return;
    }
    step.source = Source::end_replaced;
    step.sent = *tail;
    std::string base = operand.op.initial ? operand.op.initial->text : "";
    if (entry.content.status == EntryStatus::assigned) base = std::get<std::string>(entry.content.value);
    step.base = base;
    std::string result = *tail;
    if (tail->size() < base.size()) result = base.substr(0, base.size() - tail->size()) + *tail;
    if (result.size() > options_.limits.string_bytes_max) return wire_.fail(Errc::limit, step.begin);
    assign(operand, entry, std::move(result), step);
}

void Explainer::read_value(FieldType type, bool nullable, Step& step) {
    step.source = Source::wire;
    if (is_text(type)) {
        if (std::optional<std::string> text = wire_.read_text(type, nullable)) step.value = std::move(*text);
    } else if (type != FieldType::decimal) {
        if (const std::optional<WideInteger> integer = wire_.read_integer(type, nullable))
            step.value = *integer;
    } else if (const std::optional<WideInteger> exponent = wire_.read_integer(FieldType::i32, nullable)) {
        if (*exponent < -exponent_max || *exponent > exponent_max) return wire_.fail(Errc::r1, step.begin);
        if (const std::optional<WideInteger> mantissa = wire_.read_integer(FieldType::i64, false))
            step.value = Decimal{static_cast<std::int64_t>(*mantissa), static_cast<std::int32_t>(*exponent)};
    }
    if (ok() && !step.value) step.source = Source::null;
}

}  // namespace tickpath::fast
