// Decodes FAST messages slowly and tells each step: which bytes, which bit of which presence map, which
// operator, what the dictionary held before and holds after, and the value. For `tickpath decode --explain`
// and whoever wants to show messages to people. Walks the template definitions as the specification reads;
// values and errors are the decoder's (tests/decoders/fast/explain_test.cc). Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "decoders/fast/decoder.h"
#include "decoders/fast/definition.h"
#include "decoders/fast/entry_name.h"
#include "decoders/fast/explain_wire.h"

namespace tickpath::fast {

/// A value of any scalar type; a text without its stop bit.
using ExplainedValue = std::variant<WideInteger, Decimal, std::string>;

enum class EntryStatus : std::uint8_t { undefined, empty, assigned };
struct EntryContent {
    EntryStatus status = EntryStatus::undefined;
    ExplainedValue value;  ///< of an assigned one
};

/// Where a value comes from; with Step::value empty, why the field is absent.
enum class Source : std::uint8_t {
    wire,      ///< stood there
    null,      ///< NULL stood there
    constant,  ///< the template's
    initial,   ///< the operator's initial value
    previous,  ///< as before
    previous_plus_one,
    difference,    ///< delta: Step::sent and what came before
    end_replaced,  ///< tail: Step::sent replaces as much of what came before
    bit_clear,     ///< nothing stood there, and that is what it means
};

/// One line of an explanation.
struct Step {
    enum class Kind : std::uint8_t {
        dictionaries_reset,
        presence_map,
        template_id,
        field,      ///< a scalar; with individual operators its two parts follow, one level deeper
        part,       ///< exponent or mantissa
        group,      ///< its fields follow, one level deeper, until `end`
        sequence,   ///< its length; elements follow
        element,    ///< its fields follow, one level deeper
        reference,  ///< a dynamic one; the other template's segment follows, one level deeper, until `end`
        end,        ///< of a group, sequence or reference that was there
        error,      ///< decoding stopped at byte `begin`
    };
    Kind kind = Kind::field;
    unsigned depth = 0;
    std::size_t begin = 0;  ///< bytes of the datagram; none when end is the same
    std::size_t end = 0;

    std::string name = {};                        ///< "Price", "Price#2"; what is decoded, for the others
    const FieldDefinition* definition = nullptr;  ///< of a field, group or sequence
    FieldType type = FieldType::u32;
    Operator op = Operator::none;
    bool optional = false;
    unsigned bit = 0;  ///< which one of its presence map it took, from 1; 0: none
    bool bit_is_set = false;
    std::vector<bool> map = {};  ///< of a presence map

    std::optional<EntryName> entry = {};
    EntryContent before = {};
    EntryContent after = {};
    Source source = Source::wire;
    std::optional<ExplainedValue> sent = {};   ///< of a delta or tail: what stood on the wire
    std::optional<WideInteger> removed = {};   ///< of a text delta: subtraction length
    std::optional<ExplainedValue> base = {};   ///< of a delta or tail: what it is applied to
    std::optional<ExplainedValue> value = {};  ///< nullopt: absent
    std::uint64_t count = 0;                   ///< element: which one, from 0
    std::uint8_t reports = 0;                  ///< reportable errors met here, as bits by Report
    Errc error = Errc::ok;
};

struct ExplainedMessage {
    std::size_t start = 0;
    std::size_t end = 0;
    const TemplateDefinition* tmpl = nullptr;  ///< null when unknown, or a reset message that the XML lacks
    std::uint32_t template_id = 0;
    bool is_complete = false;  ///< else the last step is the error
    std::uint8_t reports = 0;  ///< reportable errors, as bits by Report
    std::vector<Step> steps;
};

/// A template's name, or its id when it has none.
[[nodiscard]] std::string label_of(const TemplateDefinition& definition);

class Explainer {
public:
    /// `definitions` must have passed load_templates: references resolve, initial values convert.
    Explainer(std::vector<TemplateDefinition> definitions, const DecoderOptions& options);

    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    /// Takes a datagram; its bytes must stay until the last next(). Dictionaries are carried over as the
    /// reset rule says.
    void begin(std::span<const std::byte> datagram);

    /// Explains one message; valid until the next call. Null at the end of the datagram, and after a message
    /// that is not complete: what follows it cannot be found.
    [[nodiscard]] const ExplainedMessage* next();
    [[nodiscard]] Errc error() const noexcept { return wire_.error(); }

    /// Datagrams were lost that were not handed in: as Decoder::poison().
    void poison();

private:
    static constexpr std::int32_t exponent_max = 63;  ///< R1

    struct Entry {
        EntryContent content;
        FieldType type = FieldType::u32;
    };
    /// Bits of one segment.
    struct Map {
        std::vector<bool> bits;
        std::size_t used = 0;
        std::size_t step = 0;  ///< that shows it
        [[nodiscard]] bool is_set(std::size_t bit) const { return bit < bits.size() && bits[bit]; }
    };
    /// What the fields being walked have in common.
    struct Place {
        Map* map = nullptr;
        std::map<std::string, unsigned>* names = nullptr;  ///< how often each was met on this level
        DictionaryScope scope = {};
        unsigned depth = 0;
    };
    struct Operand {
        const OperatorDefinition& op;
        FieldType type;
        bool optional = false;
        unsigned bits = 0;             ///< of a narrow integer
        bool is_decimal_part = false;  ///< out of range is R1, not R4
    };

    void explain_message();
    void finish_message();
    [[nodiscard]] bool lifts_poison(bool has_identifier, bool is_bare_reset);
    void walk_bare_reset(const Map& map);
    void walk_template(const TemplateDefinition& definition, Map& map, unsigned depth);
    void walk_fields(const std::vector<FieldDefinition>& fields, const Place& place);
    void walk_group(const FieldDefinition& field, const Place& place, Step step);
    void walk_sequence(const FieldDefinition& field, const Place& place, Step step);
    void walk_reference(const Place& place, Step step);
    void walk_scalar(const FieldDefinition& field, const Place& place, Step step);
    void walk_decimal_parts(const FieldDefinition& field, const Place& place, Step step);
    void check_exponent(const Step& step);

    // Each fills source, value, bit and dictionary of a step.
    void apply(const Operand& operand, const Place& place, Step& step);
    void apply_without_bit(const Operand& operand, Step& step);
    void apply_default(const Operand& operand, Step& step);
    void apply_dictionary(const Operand& operand, const Place& place, Step& step);
    void take_previous(const Operand& operand, Entry& entry, Step& step);
    void apply_delta(const Operand& operand, Entry& entry, Step& step);
    void apply_text_delta(const Operand& operand, Entry& entry, Step& step);
    void apply_decimal_delta(const Operand& operand, Entry& entry, Step& step);
    void apply_tail(const Operand& operand, Entry& entry, Step& step);
    void read_value(FieldType type, bool nullable, Step& step);
    [[nodiscard]] std::optional<ExplainedValue> delta_base(const Operand& operand, const Entry& entry);
    void assign(const Operand& operand, Entry& entry, ExplainedValue value, Step& step);

    [[nodiscard]] Map read_map(const std::vector<FieldDefinition>& fields, bool is_template, unsigned depth);
    [[nodiscard]] bool read_identifier(Map& map, unsigned depth);
    void end_segment(const Map& map);
    void check_far_bits(const Map& map);
    void report_surplus(const Map& map);
    void take_bit(const Place& place, Step& step);
    [[nodiscard]] Step begin_step(Step::Kind kind, unsigned depth, std::string name) const;
    std::size_t add(Step step);
    void forget(std::string why);
    [[nodiscard]] const TemplateDefinition* find(std::uint32_t id) const;
    [[nodiscard]] bool resets(const TemplateDefinition& definition) const;
    [[nodiscard]] bool ok() const { return wire_.ok(); }

    std::vector<TemplateDefinition> definitions_;
    TemplateNames names_;
    DecoderOptions options_;
    std::map<EntryName, Entry> dictionary_;
    std::optional<std::uint32_t> template_id_;
    bool poisoned_ = false;
    WireReader wire_;
    ExplainedMessage message_;
    unsigned dynamic_depth_ = 0;
    bool is_first_ = true;  ///< message of its datagram
};

}  // namespace tickpath::fast
