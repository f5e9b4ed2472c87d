#include "decoders/fast/explain.h"

#include <utility>

#include "decoders/fast/presence_map.h"
#include "decoders/fast/segment_facts.h"

namespace tickpath::fast {
namespace {

using Kind = FieldDefinition::Kind;

// A step is the explanation of one slot, or of what surrounds it; a message that has far more of them than it
// may have slots is not meant for people.
constexpr std::size_t steps_per_slot_max = 4;

}  // namespace

std::string label_of(const TemplateDefinition& definition) {
    return definition.name.local.empty() && definition.id ? std::to_string(*definition.id)
                                                          : definition.name.local;
}

Explainer::Explainer(std::vector<TemplateDefinition> definitions, const DecoderOptions& options)
    : definitions_(std::move(definitions)), names_(definitions_), options_(options), wire_({}, options_) {}

void Explainer::begin(std::span<const std::byte> datagram) {
    wire_ = WireReader(datagram, options_);
    is_first_ = true;
}

const ExplainedMessage* Explainer::next() {
    if (!wire_.ok() || wire_.bytes_left() == 0) return nullptr;
    message_ = {};
    message_.start = wire_.at();
    dynamic_depth_ = 0;
    if (options_.reset == ResetRule::message) forget("before each message");
    if (options_.reset == ResetRule::datagram && is_first_) forget("before each datagram");
    is_first_ = false;
    explain_message();
    finish_message();
    return &message_;
}

void Explainer::explain_message() {
    Map map = read_map({}, true, 0);
    const bool has_identifier = read_identifier(map, 0);
    if (!ok()) return;
    message_.template_id = *template_id_;
    const TemplateDefinition* const definition = find(*template_id_);
    // The feed's reset message need not be in the XML; then it has no fields.
    const bool is_bare_reset = definition == nullptr && options_.reset == ResetRule::template_id &&
                               *template_id_ == options_.reset_template_id;
    if (!lifts_poison(has_identifier, is_bare_reset)) return wire_.fail(Errc::poisoned, message_.start);
    if (is_bare_reset) return walk_bare_reset(map);
    if (definition == nullptr) return wire_.fail(Errc::d9, wire_.at());
    message_.tmpl = definition;
    walk_template(*definition, map, 0);
}

void Explainer::poison() {
    poisoned_ = poisoned_ || options_.reset == ResetRule::never || options_.reset == ResetRule::template_id;
}

void Explainer::finish_message() {
    message_.end = wire_.at();
    message_.is_complete = wire_.ok();
    for (const Step& step : message_.steps)
        message_.reports = static_cast<std::uint8_t>(message_.reports | step.reports);
    if (message_.is_complete) return;
    poison();
    Step stop = begin_step(Step::Kind::error, 0, "");
    stop.begin = stop.end = wire_.error_at();
    stop.error = wire_.error();
    message_.steps.push_back(std::move(stop));
}

// Only a message that names a resetting template does: a remembered identifier is as doubtful as the rest.
bool Explainer::lifts_poison(bool has_identifier, bool is_bare_reset) {
    const TemplateDefinition* const definition = find(*template_id_);
    const bool is_reset = is_bare_reset || (definition != nullptr && resets(*definition));
    if (has_identifier && is_reset) poisoned_ = false;
    return !poisoned_;
}

void Explainer::walk_bare_reset(const Map& map) {
    forget("by this message");
    template_id_ = options_.reset_template_id;
    end_segment(map);
}

// A message, or what a dynamic reference leads to.
void Explainer::walk_template(const TemplateDefinition& definition, Map& map, unsigned depth) {
    if (resets(definition)) {
        const std::optional<std::uint32_t> id = template_id_;
        forget("by this template");
        template_id_ = id;
    }
    // The decoder sees bits beyond its register before it decodes the fields.
    if (map_bits(definition.fields, names_) + 1 <= map_bits_in_register) check_far_bits(map);
    std::map<std::string, unsigned> names;
    walk_fields(definition.fields,
                {.map = &map, .names = &names, .scope = DictionaryScope::of(definition), .depth = depth});
    end_segment(map);
}

void Explainer::walk_fields(const std::vector<FieldDefinition>& fields, const Place& place) {
    for (const FieldDefinition& field : fields) {
        if (!ok()) return;
        if (field.kind == Kind::static_reference) {
            const TemplateDefinition& referred = *names_.find(field.name);
            Place inside = place;
            inside.scope.enter(referred);
            walk_fields(referred.fields, inside);
            continue;
        }
        // The second field of a name is "name#2", whether the first is there or not.
        std::string name = field.kind == Kind::dynamic_reference ? "<dyn>" : field.name.local;
        if (const unsigned count = ++(*place.names)[name]; count > 1) name += '#' + std::to_string(count);
        Step step = begin_step(Step::Kind::field, place.depth, std::move(name));
        step.definition = &field;
        step.type = field.type;
        step.optional = field.optional;
        step.op = field.op.op;
        switch (field.kind) {
            case Kind::scalar:
                walk_scalar(field, place, std::move(step));
                break;
            case Kind::group:
                walk_group(field, place, std::move(step));
                break;
            case Kind::sequence:
                walk_sequence(field, place, std::move(step));
                break;
            case Kind::static_reference:
            case Kind::dynamic_reference:
                walk_reference(place, std::move(step));
                break;
        }
    }
}

void Explainer::walk_group(const FieldDefinition& field, const Place& place, Step step) {
    step.kind = Step::Kind::group;
    step.type = FieldType::group;
    if (field.optional) take_bit(place, step);
    const bool is_there = !field.optional || step.bit_is_set;
    if (is_there) step.value = WideInteger{1};
    step.source = is_there ? Source::wire : Source::bit_clear;
    add(std::move(step));
    if (!is_there) return;

    std::map<std::string, unsigned> names;
    Place inside = place;
    inside.names = &names;
    ++inside.depth;
    if (field.type_ref) inside.scope.current_type = *field.type_ref;
    Map own;
    const bool has_map = map_bits(field.fields, names_) != 0;
    inside.map = &own;
    if (has_map) own = read_map(field.fields, false, inside.depth);
    walk_fields(field.fields, inside);
    if (has_map) end_segment(own);
    add(begin_step(Step::Kind::end, place.depth, ""));
}

void Explainer::walk_sequence(const FieldDefinition& field, const Place& place, Step step) {
    step.kind = Step::Kind::sequence;
    step.type = FieldType::sequence;
    apply({field.op, FieldType::u32, field.optional}, place, step);
    const std::optional<ExplainedValue> length = step.value;
    const std::size_t begin = step.begin;
    add(std::move(step));
    if (!ok() || !length) return;
    const WideInteger count = std::get<WideInteger>(*length);
    const bool has_map = map_bits(field.fields, names_) != 0;
    if (count > options_.limits.sequence_length_max) return wire_.fail(Errc::limit, begin);
    // More elements than the bytes that are left can hold (spec/fast.md §10).
    const WideInteger shortest = bytes_min(field.fields, names_) + (has_map ? 1 : 0);
    if (count * shortest > static_cast<WideInteger>(wire_.bytes_left()))
        return wire_.fail(Errc::truncated, wire_.at() + wire_.bytes_left());

    Place inside = place;
    inside.depth += 2;
    if (field.type_ref) inside.scope.current_type = *field.type_ref;
    for (WideInteger i = 0; i < count && ok(); ++i) {
        Step element = begin_step(Step::Kind::element, place.depth + 1, field.name.local);
        element.count = static_cast<std::uint64_t>(i);
        element.value = count;
        add(std::move(element));
        std::map<std::string, unsigned> names;
        Map own;
        inside.names = &names;
        inside.map = &own;
        if (has_map) own = read_map(field.fields, false, inside.depth);
        walk_fields(field.fields, inside);
        if (has_map) end_segment(own);
    }
    add(begin_step(Step::Kind::end, place.depth, ""));
}

// A whole segment follows: map, identifier if its bit is set, and the fields of that template.
void Explainer::walk_reference(const Place& place, Step step) {
    step.kind = Step::Kind::reference;
    step.type = FieldType::dynamic;
    const std::size_t index = add(std::move(step));
    if (!ok()) return;
    if (++dynamic_depth_ > options_.limits.dynamic_depth_max) return wire_.fail(Errc::limit, wire_.at());
    Map own = read_map({}, true, place.depth + 1);
    static_cast<void>(read_identifier(own, place.depth + 1));
    if (!ok()) return;
    const TemplateDefinition* const definition = find(*template_id_);
    if (definition == nullptr) return wire_.fail(Errc::d9, wire_.at());
    message_.steps[index].value = label_of(*definition);
    walk_template(*definition, own, place.depth + 1);
    --dynamic_depth_;
    add(begin_step(Step::Kind::end, place.depth, ""));
}

void Explainer::walk_scalar(const FieldDefinition& field, const Place& place, Step step) {
    if (field.individual_operators) return walk_decimal_parts(field, place, std::move(step));
    const unsigned bits = field.presentation.bits;
    apply({field.op, field.type, field.optional, bits}, place, step);
    if (ok() && bits != 0 && step.value) {
        const WideRange range = range_of(field.type, bits);
        const WideInteger value = std::get<WideInteger>(*step.value);
        if (value < range.min || value > range.max) wire_.fail(Errc::d2, step.begin);
    }
    add(std::move(step));
}

// The field's own line comes first and gets its value when both parts have theirs.
void Explainer::walk_decimal_parts(const FieldDefinition& field, const Place& place, Step step) {
    const std::size_t index = add(std::move(step));
    Step exponent = begin_step(Step::Kind::part, place.depth + 1, "exponent");
    exponent.type = FieldType::i32;
    exponent.optional = field.optional;
    exponent.op = field.exponent.op;
    apply({field.exponent, FieldType::i32, field.optional, 0, true}, place, exponent);
    if (ok() && exponent.value) check_exponent(exponent);
    const std::optional<ExplainedValue> exponent_value = exponent.value;
    const Source exponent_source = exponent.source;
    add(std::move(exponent));
    if (!ok()) return;
    message_.steps[index].end = wire_.at();
    if (!exponent_value) {
        message_.steps[index].source = exponent_source;
        return;
    }
    Step mantissa = begin_step(Step::Kind::part, place.depth + 1, "mantissa");
    mantissa.type = FieldType::i64;
    mantissa.op = field.mantissa.op;
    apply({field.mantissa, FieldType::i64, false, 0, true}, place, mantissa);
    const std::optional<ExplainedValue> mantissa_value = mantissa.value;
    add(std::move(mantissa));
    if (!ok()) return;
    message_.steps[index].end = wire_.at();
    message_.steps[index].value = Decimal{static_cast<std::int64_t>(std::get<WideInteger>(*mantissa_value)),
                                          static_cast<std::int32_t>(std::get<WideInteger>(*exponent_value))};
}

void Explainer::check_exponent(const Step& step) {
    const WideInteger exponent = std::get<WideInteger>(*step.value);
    if (exponent < -exponent_max || exponent > exponent_max) wire_.fail(Errc::r1, step.begin);
}

Explainer::Map Explainer::read_map(const std::vector<FieldDefinition>& fields, bool is_template,
                                   unsigned depth) {
    Map map;
    Step step = begin_step(Step::Kind::presence_map, depth, "presence map");
    map.bits = wire_.read_map();
    step.map = map.bits;
    step.end = wire_.at();
    step.reports = wire_.take_reports();
    map.step = add(std::move(step));
    if (!is_template && map_bits(fields, names_) <= map_bits_in_register) check_far_bits(map);
    return map;
}

// R8 of bits beyond those a map of this segment could need.
void Explainer::check_far_bits(const Map& map) {
    for (std::size_t bit = map_bits_in_register; bit < map.bits.size(); ++bit)
        if (map.bits[bit]) return report_surplus(map);
}

void Explainer::report_surplus(const Map& map) {
    Step& step = message_.steps[map.step];
    wire_.report(Report::r8, step.begin);
    step.reports = static_cast<std::uint8_t>(step.reports | wire_.take_reports());
}

// The template identifier is a uInt32 with a copy operator of its own (§10). Whether it was on the wire.
bool Explainer::read_identifier(Map& map, unsigned depth) {
    if (!ok()) return false;
    Step step = begin_step(Step::Kind::template_id, depth, "template identifier");
    step.op = Operator::copy;
    step.bit = 1;
    step.bit_is_set = map.is_set(map.used++);
    if (template_id_) step.before = {EntryStatus::assigned, WideInteger{*template_id_}};
    step.source = step.bit_is_set ? Source::wire : Source::previous;
    if (step.bit_is_set) {
        const std::optional<WideInteger> id = wire_.read_integer(FieldType::u32, false);
        if (id) template_id_ = static_cast<std::uint32_t>(*id);
    } else if (!template_id_) {
        wire_.fail(Errc::d5, wire_.at());
    }
    if (ok()) step.value = WideInteger{*template_id_};
    if (ok()) step.after = {EntryStatus::assigned, *step.value};
    step.end = wire_.at();
    step.reports = wire_.take_reports();
    const bool was_sent = step.bit_is_set;
    add(std::move(step));
    return was_sent;
}

// R8: bits nobody used.
void Explainer::end_segment(const Map& map) {
    if (!ok()) return;
    for (std::size_t bit = map.used; bit < map.bits.size(); ++bit)
        if (map.bits[bit]) return report_surplus(map);
}

void Explainer::take_bit(const Place& place, Step& step) {
    step.bit_is_set = place.map->is_set(place.map->used++);
    step.bit = static_cast<unsigned>(place.map->used);
}

Step Explainer::begin_step(Step::Kind kind, unsigned depth, std::string name) const {
    Step step;
    step.kind = kind;
    step.depth = depth;
    step.begin = step.end = wire_.at();
    step.name = std::move(name);
    return step;
}

std::size_t Explainer::add(Step step) {
    if (message_.steps.size() > steps_per_slot_max * options_.limits.row_words_max)
        wire_.fail(Errc::limit, wire_.at());
    message_.steps.push_back(std::move(step));
    return message_.steps.size() - 1;
}

void Explainer::forget(std::string why) {
    add(begin_step(Step::Kind::dictionaries_reset, 0, std::move(why)));
    dictionary_.clear();
    template_id_.reset();
}

const TemplateDefinition* Explainer::find(std::uint32_t id) const {
    for (const TemplateDefinition& definition : definitions_)
        if (definition.id == id) return &definition;
    return nullptr;
}

bool Explainer::resets(const TemplateDefinition& definition) const {
    return definition.resets ||
           (options_.reset == ResetRule::template_id && definition.id == options_.reset_template_id);
}

}  // namespace tickpath::fast
