#include "tests/support/plain_fast_decoder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "decoders/fast/segment_facts.h"
#include "decoders/fast/utf8.h"

namespace tickpath::test {
namespace {

using fast::FieldDefinition;
using fast::FieldType;
using fast::Operator;
using fast::OperatorDefinition;
using fast::Report;
using fast::TemplateDefinition;
using Kind = FieldDefinition::Kind;

__extension__ using Int = __int128;

struct Failure {
    std::string code;
};

struct Range {
    Int min;
    Int max;
};

// `bits`: 8 or 16 for the narrow integers of FAST 1.2, else 0.
Range range_of(FieldType type, unsigned bits) {
    if (bits != 0 && type == FieldType::u32) return {0, (Int{1} << bits) - 1};
    if (bits != 0) return {-(Int{1} << (bits - 1)), (Int{1} << (bits - 1)) - 1};
    switch (type) {
        case FieldType::u32:
            return {0, std::numeric_limits<std::uint32_t>::max()};
        case FieldType::i32:
            return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
        case FieldType::u64:
            return {0, std::numeric_limits<std::uint64_t>::max()};
        default:
            return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    }
}

std::string identity(const fast::Name& name) {
    return name.ns + " | " + name.local;
}

}  // namespace

PlainFastDecoder::PlainFastDecoder(std::vector<TemplateDefinition> definitions, fast::DecoderOptions options)
    : definitions_(std::move(definitions)), names_(definitions_), options_(options) {}

PlainFastDecoder::Outcome PlainFastDecoder::decode(std::span<const std::byte> datagram) {
    using fast::ResetRule;
    const bool outlives = options_.reset == ResetRule::never || options_.reset == ResetRule::template_id;
    bytes_ = datagram;
    at_ = 0;
    if (options_.reset == ResetRule::datagram) forget();
    Outcome outcome;
    try {
        while (at_ < bytes_.size())
            outcome.messages.push_back(decode_message());
    } catch (const Failure& failure) {
        outcome.error = failure.code;
        poisoned_ = outlives;
    }
    return outcome;
}

void PlainFastDecoder::forget() {
    dictionary_.clear();
    template_id_.reset();
}

bool PlainFastDecoder::resets(const TemplateDefinition& definition) const {
    return definition.resets ||
           (options_.reset == fast::ResetRule::template_id && definition.id == options_.reset_template_id);
}

Json PlainFastDecoder::decode_message() {
    if (options_.reset == fast::ResetRule::message) forget();
    reports_ = 0;
    bits_ = 0;
    dynamic_depth_ = 0;
    const std::size_t start = at_;
    PresenceMap map = read_map({}, true);
    bool has_identifier = false;
    Json message;
    has_identifier = map.take();
    if (has_identifier) template_id_ = static_cast<std::uint32_t>(*read_integer(FieldType::u32, false));
    if (!template_id_) throw Failure{"D5"};
    const TemplateDefinition* const definition = find(*template_id_);
    // The feed's reset message need not be in the XML; then it has no fields.
    const bool is_bare_reset = definition == nullptr && options_.reset == fast::ResetRule::template_id &&
                               *template_id_ == options_.reset_template_id;
    const bool is_reset = is_bare_reset || (definition != nullptr && resets(*definition));
    if (poisoned_ && !(has_identifier && is_reset)) throw Failure{"poisoned"};
    poisoned_ = false;
    if (is_bare_reset) {
        forget();
        template_id_ = options_.reset_template_id;
        end_segment(map);
        message = {{"template", std::to_string(options_.reset_template_id)}, {"fields", Json::object()}};
    } else if (definition == nullptr) {
        throw Failure{"D9"};
    } else {
        message = decode_body(*definition, map);
    }
    Json out = {
        {"template", message["template"]}, {"start", start}, {"end", at_}, {"fields", message["fields"]}};
    for (const Report one : {Report::r2, Report::r6, Report::r7, Report::r8, Report::r9})
        if (reports_ >> static_cast<unsigned>(one) & 1u)
            out["reports"].push_back(std::string(code(fast::errc_of(one))));
    return out;
}

const TemplateDefinition* PlainFastDecoder::find(std::uint32_t id) const {
    for (const TemplateDefinition& definition : definitions_)
        if (definition.id == id) return &definition;
    return nullptr;
}

// A message, or what a dynamic reference leads to.
Json PlainFastDecoder::decode_body(const TemplateDefinition& definition, PresenceMap& map) {
    if (resets(definition)) {
        const auto id = template_id_;
        forget();
        template_id_ = id;
    }
    // The fast decoder sees bits beyond its register before it decodes the fields.
    if (!is_wide(definition.fields, true) && map.bits.size() > 63 &&
        std::find(map.bits.begin() + 63, map.bits.end(), true) != map.bits.end())
        report(Report::r8);
    const std::string own =
        definition.name.local.empty() ? std::to_string(*definition.id) : identity(definition.name);
    const Context context{own, definition.type_ref ? identity(*definition.type_ref) : "any"};
    Json fields = Json::object();
    Names seen;
    decode_fields(definition.fields, map, context, fields, seen);
    end_segment(map);
    const std::string label =
        definition.name.local.empty() ? std::to_string(*definition.id) : definition.name.local;
    return {{"template", label}, {"fields", fields}};
}

void PlainFastDecoder::end_segment(const PresenceMap& map) {
    if (map.has_more_set()) report(Report::r8);
}

void PlainFastDecoder::report(Report what) {
    if (options_.strict) throw Failure{std::string(code(fast::errc_of(what)))};
    reports_ |= 1u << static_cast<unsigned>(what);
}

// ---- segments
// ------------------------------------------------------------------------------------------------

bool PlainFastDecoder::needs_map(const std::vector<FieldDefinition>& fields) const {
    return std::any_of(fields.begin(), fields.end(), [&](const FieldDefinition& field) {
        const auto bit = [&](Operator op, bool optional) {
            return op == Operator::default_ || op == Operator::copy || op == Operator::increment ||
                   op == Operator::tail || (op == Operator::constant && optional);
        };
        if (field.kind == Kind::static_reference) return needs_map(names_.find(field.name)->fields);
        if (field.kind == Kind::group) return field.optional;
        if (field.kind == Kind::dynamic_reference) return false;
        if (field.individual_operators)
            return bit(field.exponent.op, field.optional) || bit(field.mantissa.op, false);
        return bit(field.op.op, field.optional);
    });
}

bool PlainFastDecoder::is_wide(const std::vector<FieldDefinition>& fields, bool is_message) const {
    return fast::map_bits(fields, names_) + (is_message ? 1 : 0) > 63;
}

PlainFastDecoder::PresenceMap PlainFastDecoder::read_map(const std::vector<FieldDefinition>& fields,
                                                         bool is_message) {
    const std::vector<std::uint8_t> groups = read_groups(options_.limits.map_bytes_max);
    if (groups.size() > 1 && groups.back() == 0) report(Report::r7);
    PresenceMap map;
    for (const std::uint8_t group : groups)
        for (int bit = 6; bit >= 0; --bit)
            map.bits.push_back((group >> bit & 1) != 0);
    if (!is_message && !is_wide(fields, false) && map.bits.size() > 63 &&
        std::find(map.bits.begin() + 63, map.bits.end(), true) != map.bits.end())
        report(Report::r8);
    return map;
}

void PlainFastDecoder::decode_fields(const std::vector<FieldDefinition>& fields, PresenceMap& map,
                                     const Context& context, Json& out, Names& seen) {
    for (const FieldDefinition& field : fields) {
        if (field.kind == Kind::static_reference) {
            const TemplateDefinition& referred = *names_.find(field.name);
            Context inside{identity(referred.name), context.current_type};
            if (referred.type_ref) inside.current_type = identity(*referred.type_ref);
            decode_fields(referred.fields, map, inside, out, seen);
            continue;
        }
        // The second field of a name is "name#2", whether the first is there or not.
        std::string name = field.kind == Kind::dynamic_reference ? "<dyn>" : field.name.local;
        if (const int count = ++seen[name]; count > 1) name += '#' + std::to_string(count);
        if (field.kind == Kind::group) {
            decode_group(field, map, context, out, name);
        } else if (field.kind == Kind::sequence) {
            decode_sequence(field, map, context, out, name);
        } else if (field.kind == Kind::dynamic_reference) {
            if (++dynamic_depth_ > options_.limits.dynamic_depth_max) throw Failure{"limit"};
            PresenceMap own = read_map({}, true);
            if (own.take()) template_id_ = static_cast<std::uint32_t>(*read_integer(FieldType::u32, false));
            if (!template_id_) throw Failure{"D5"};
            const TemplateDefinition* const definition = find(*template_id_);
            if (definition == nullptr) throw Failure{"D9"};
            out[name] = decode_body(*definition, own);
            --dynamic_depth_;
        } else if (const Maybe value = decode_scalar(field, map, context)) {
            if (const Decimal* decimal = std::get_if<Decimal>(&*value)) {
                out[name] = {{"m", static_cast<std::int64_t>(decimal->mantissa)},
                             {"e", static_cast<std::int64_t>(decimal->exponent)}};
            } else if (const std::string* text = std::get_if<std::string>(&*value)) {
                out[name] = field.type == FieldType::bytes ? hex_text(*text) : *text;
            } else if (is_signed(field.type)) {
                out[name] = static_cast<std::int64_t>(std::get<Int>(*value));
            } else {
                out[name] = static_cast<std::uint64_t>(std::get<Int>(*value));
            }
        }
    }
}

void PlainFastDecoder::decode_group(const FieldDefinition& field, PresenceMap& map, const Context& context,
                                    Json& out, const std::string& name) {
    if (field.optional && !map.take()) return;
    Context inside = context;
    if (field.type_ref) inside.current_type = identity(*field.type_ref);
    Json fields = Json::object();
    Names seen;
    if (needs_map(field.fields)) {
        PresenceMap own = read_map(field.fields, false);
        decode_fields(field.fields, own, inside, fields, seen);
        end_segment(own);
    } else {
        PresenceMap none;
        decode_fields(field.fields, none, inside, fields, seen);
    }
    out[name] = fields;
}

void PlainFastDecoder::decode_sequence(const FieldDefinition& field, PresenceMap& map, const Context& context,
                                       Json& out, const std::string& name) {
    const Maybe length = apply(field.op, FieldType::u32, field.optional, false, map, context);
    if (!length) return;
    const Int count = std::get<Int>(*length);
    const bool has_map = needs_map(field.fields);
    if (count > options_.limits.sequence_length_max) throw Failure{"limit"};
    // §10 of spec/fast.md: more elements than the bytes that are left can hold.
    const Int shortest = fast::bytes_min(field.fields, names_) + (has_map ? 1 : 0);
    if (count * shortest > static_cast<Int>(bytes_.size() - at_)) throw Failure{"truncated"};
    Context inside = context;
    if (field.type_ref) inside.current_type = identity(*field.type_ref);
    Json rows = Json::array();
    for (Int i = 0; i < count; ++i) {
        Json element = Json::object();
        PresenceMap own;
        if (has_map) own = read_map(field.fields, false);
        Names seen;
        decode_fields(field.fields, own, inside, element, seen);
        if (has_map) end_segment(own);
        rows.push_back(element);
    }
    out[name] = rows;
}

// ---- operators
// -----------------------------------------------------------------------------------------------

PlainFastDecoder::Maybe PlainFastDecoder::decode_scalar(const FieldDefinition& field, PresenceMap& map,
                                                        const Context& context) {
    if (!field.individual_operators) {
        bits_ = field.presentation.bits;
        const Maybe value = apply(field.op, field.type, field.optional, false, map, context);
        if (bits_ != 0 && value) {
            const Range range = range_of(field.type, bits_);
            const Int number = std::get<Int>(*value);
            if (number < range.min || number > range.max) throw Failure{"D2"};
        }
        bits_ = 0;
        return value;
    }
    const Maybe exponent = apply(field.exponent, FieldType::i32, field.optional, true, map, context);
    if (!exponent) return std::nullopt;
    const Int value = std::get<Int>(*exponent);
    if (value < -63 || value > 63) throw Failure{"R1"};
    const Maybe mantissa = apply(field.mantissa, FieldType::i64, false, true, map, context);
    return Decimal{std::get<Int>(*mantissa), value};
}

PlainFastDecoder::Entry& PlainFastDecoder::entry_of(const OperatorDefinition& op, const Context& context) {
    std::string dictionary = "user " + op.dictionary;
    if (op.dictionary == "global") dictionary = "global";
    if (op.dictionary == "template") dictionary = "template " + context.current_template;
    if (op.dictionary == "type") dictionary = "type " + context.current_type;
    return dictionary_[dictionary + " / " + identity(op.key)];
}

PlainFastDecoder::Maybe PlainFastDecoder::apply(const OperatorDefinition& op, FieldType type, bool optional,
                                                bool is_part, PresenceMap& map, const Context& context) {
    const auto initial = [&]() -> Value {
        if (fast::is_text(type)) return op.initial->text;
        if (type == FieldType::decimal)
            return Decimal{op.initial->decimal.mantissa, op.initial->decimal.exponent};
        if (is_signed(type)) return Int{static_cast<std::int64_t>(op.initial->integer)};
        return Int{op.initial->integer};
    };
    if (op.op == Operator::none) return read_value(type, optional);
    if (op.op == Operator::constant) {
        if (optional && !map.take()) return std::nullopt;
        return initial();
    }
    if (op.op == Operator::default_) {
        if (map.take()) return read_value(type, optional);
        if (op.initial) return initial();
        if (optional) return std::nullopt;
        throw Failure{"D5"};
    }
    Entry& entry = entry_of(op, context);
    const bool replaces = (op.op == Operator::copy || op.op == Operator::increment) && map.next();
    if (entry.state == State::assigned && entry.type != type && (!replaces || options_.strict))
        throw Failure{"D4"};
    entry.type = type;
    if (op.op == Operator::delta) return apply_delta(op, type, optional, is_part, entry);
    if (!map.take()) return without_wire(op, type, optional, entry);
    if (op.op == Operator::tail) return apply_tail(op, type, optional, entry);
    const Maybe value = read_value(type, optional);
    entry.state = value ? State::assigned : State::empty;
    if (value) entry.value = *value;
    return value;
}

PlainFastDecoder::Maybe PlainFastDecoder::without_wire(const OperatorDefinition& op, FieldType type,
                                                       bool optional, Entry& entry) {
    const auto checked = [&](Value value) -> Maybe {
        if (type == FieldType::unicode && op.op == Operator::tail &&
            !fast::is_utf8(std::get<std::string>(value)))
            report(Report::r2);
        return value;
    };
    if (entry.state == State::assigned) {
        if (op.op != Operator::increment) return checked(entry.value);
        const Range range = range_of(type, bits_);
        const Int previous = std::get<Int>(entry.value);
        entry.value = previous == range.max ? range.min : previous + 1;
        return entry.value;
    }
    if (entry.state == State::empty) {
        if (optional) return std::nullopt;
        throw Failure{"D6"};
    }
    if (op.initial) {
        OperatorDefinition constant = op;
        constant.op = Operator::constant;
        PresenceMap none;
        entry.value = *apply(constant, type, false, false, none, {});
        entry.state = State::assigned;
        return checked(entry.value);
    }
    if (!optional) throw Failure{"D5"};
    entry.state = State::empty;
    return std::nullopt;
}

PlainFastDecoder::Value PlainFastDecoder::delta_base(const OperatorDefinition& op, FieldType type,
                                                     const Entry& entry) {
    if (entry.state == State::assigned) return entry.value;
    if (entry.state == State::empty) throw Failure{"D6"};
    if (op.initial) {
        OperatorDefinition constant = op;
        constant.op = Operator::constant;
        PresenceMap none;
        return *apply(constant, type, false, false, none, {});
    }
    if (fast::is_text(type)) return std::string();
    if (type == FieldType::decimal) return Decimal{0, 0};
    return Int{0};
}

PlainFastDecoder::Maybe PlainFastDecoder::apply_delta(const OperatorDefinition& op, FieldType type,
                                                      bool optional, bool is_part, Entry& entry) {
    Value result;
    if (fast::is_text(type)) {
        std::optional<Int> subtraction;
        try {
            subtraction = read_integer(FieldType::i32, optional);
        } catch (const Failure& failure) {
            throw failure.code == "D2" ? Failure{"D7"} : failure;
        }
        if (!subtraction) return std::nullopt;
        const std::string addition = *read_text(type, false);
        const std::string base = std::get<std::string>(delta_base(op, type, entry));
        result = text_delta(*subtraction, addition, base);
    } else if (type == FieldType::decimal) {
        const std::optional<Int> exponent = read_delta_integer(optional);
        if (!exponent) return std::nullopt;
        const Int mantissa = *read_delta_integer(false);
        const Decimal base = std::get<Decimal>(delta_base(op, type, entry));
        const Decimal sum{base.mantissa + mantissa, base.exponent + *exponent};
        const Range range = range_of(FieldType::i64, 0);
        if (sum.exponent < -63 || sum.exponent > 63 || sum.mantissa < range.min || sum.mantissa > range.max)
            throw Failure{"R1"};
        result = sum;
    } else {
        const std::optional<Int> delta = read_delta_integer(optional);
        if (!delta) return std::nullopt;
        const Int sum = std::get<Int>(delta_base(op, type, entry)) + *delta;
        const Range range = range_of(type, bits_);
        if (sum < range.min || sum > range.max) throw Failure{is_part ? "R1" : "R4"};
        result = sum;
    }
    entry.state = State::assigned;
    entry.value = result;
    if (type == FieldType::unicode && !fast::is_utf8(std::get<std::string>(result))) report(Report::r2);
    return result;
}

std::string PlainFastDecoder::text_delta(Int subtraction, const std::string& addition,
                                         const std::string& base) {
    const bool at_front = subtraction < 0;
    const Int removed = at_front ? -subtraction - 1 : subtraction;
    if (removed > static_cast<Int>(base.size())) throw Failure{"D7"};
    const auto count = static_cast<std::size_t>(removed);
    std::string result =
        at_front ? addition + base.substr(count) : base.substr(0, base.size() - count) + addition;
    if (result.size() > options_.limits.string_bytes_max) throw Failure{"limit"};
    return result;
}

PlainFastDecoder::Maybe PlainFastDecoder::apply_tail(const OperatorDefinition& op, FieldType type,
                                                     bool optional, Entry& entry) {
    const std::optional<std::string> tail = read_text(type, optional);
    if (!tail) {
        entry.state = State::empty;
        return std::nullopt;
    }
    std::string base = op.initial ? op.initial->text : "";
    if (entry.state == State::assigned) base = std::get<std::string>(entry.value);
    std::string result = *tail;
    if (tail->size() < base.size()) result = base.substr(0, base.size() - tail->size()) + *tail;
    if (result.size() > options_.limits.string_bytes_max) throw Failure{"limit"};
    entry.state = State::assigned;
    entry.value = result;
    if (type == FieldType::unicode && !fast::is_utf8(result)) report(Report::r2);
    return result;
}

// ---- wire forms
// ----------------------------------------------------------------------------------------------

std::uint8_t PlainFastDecoder::read_byte() {
    if (at_ >= bytes_.size()) throw Failure{"truncated"};
    return static_cast<std::uint8_t>(bytes_[at_++]);
}

// The seven-bit groups of one entity.
std::vector<std::uint8_t> PlainFastDecoder::read_groups(std::size_t most) {
    std::vector<std::uint8_t> groups;
    for (;;) {
        if (groups.size() == most) throw Failure{"limit"};
        const std::uint8_t byte = read_byte();
        groups.push_back(byte & 0x7F);
        if ((byte & 0x80) != 0) return groups;
    }
}

PlainFastDecoder::Int PlainFastDecoder::read_raw_integer(bool is_signed_value) {
    const std::vector<std::uint8_t> groups = read_groups(options_.limits.entity_bytes_max);
    // A group says nothing when it only repeats the sign of the one behind it.
    const auto says_nothing = [&](std::size_t i) {
        const bool negative = is_signed_value && (groups[i + 1] & 0x40) != 0;
        return groups[i] == (negative ? 0x7F : 0);
    };
    std::size_t first = 0;
    for (; groups.size() - first > 10; ++first)
        if (options_.strict || !says_nothing(first)) throw Failure{"D2"};
    if (groups.size() > 1 && says_nothing(0)) report(Report::r6);
    Int value = is_signed_value && (groups[first] & 0x40) != 0 ? -1 : 0;
    for (std::size_t i = first; i < groups.size(); ++i)
        value = value * 128 + groups[i];
    return value;
}

std::optional<PlainFastDecoder::Int> PlainFastDecoder::read_integer(FieldType type, bool nullable) {
    Int value = read_raw_integer(is_signed(type));
    if (nullable && value == 0) return std::nullopt;
    if (nullable && value > 0) --value;
    const Range range = range_of(type, 0);
    if (value < range.min || value > range.max) throw Failure{"D2"};
    return value;
}

std::optional<PlainFastDecoder::Int> PlainFastDecoder::read_delta_integer(bool nullable) {
    const Int value = read_raw_integer(true);
    if (nullable && value == 0) return std::nullopt;
    return nullable && value > 0 ? value - 1 : value;
}

std::optional<std::string> PlainFastDecoder::read_ascii(bool nullable) {
    std::vector<std::uint8_t> rest = read_groups(options_.limits.string_bytes_max);
    bool overlong = false;
    if (rest.front() == 0) {
        rest.erase(rest.begin());
        if (rest.empty()) return nullable ? std::nullopt : std::optional<std::string>("");
        overlong = rest.front() != 0;
        if (nullable && !overlong) {
            rest.erase(rest.begin());
            overlong = !rest.empty() && rest.front() != 0;
        }
    }
    if (overlong) report(Report::r9);
    return std::string(rest.begin(), rest.end());
}

std::optional<std::string> PlainFastDecoder::read_text(FieldType type, bool nullable) {
    if (type == FieldType::ascii) return read_ascii(nullable);
    const std::optional<Int> length = read_integer(FieldType::u32, nullable);
    if (!length) return std::nullopt;
    if (*length > static_cast<Int>(bytes_.size() - at_)) throw Failure{"truncated"};
    if (*length > options_.limits.string_bytes_max) throw Failure{"limit"};
    std::string text;
    for (Int i = 0; i < *length; ++i)
        text += static_cast<char>(read_byte());
    return text;
}

PlainFastDecoder::Maybe PlainFastDecoder::read_value(FieldType type, bool nullable) {
    if (fast::is_text(type)) {
        const std::optional<std::string> text = read_text(type, nullable);
        return text ? Maybe(*text) : std::nullopt;
    }
    if (type != FieldType::decimal) {
        const std::optional<Int> integer = read_integer(type, nullable);
        return integer ? Maybe(*integer) : std::nullopt;
    }
    const std::optional<Int> exponent = read_integer(FieldType::i32, nullable);
    if (!exponent) return std::nullopt;
    if (*exponent < -63 || *exponent > 63) throw Failure{"R1"};
    return Decimal{*read_integer(FieldType::i64, false), *exponent};
}

}  // namespace tickpath::test
