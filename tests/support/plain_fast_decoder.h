// The plain twin of decoders/fast: decodes by walking the template definitions as the specification reads,
// one bit and one byte at a time, with exceptions and maps. Slow and obvious; the fast one is compared with
// it.
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
#include "tests/support/fast_values.h"

namespace tickpath::test {

class PlainFastDecoder {
public:
    PlainFastDecoder(std::vector<fast::TemplateDefinition> definitions, fast::DecoderOptions options);

    struct Outcome {
        std::vector<Json>
            messages;       ///< {"template","start","end","fields"} and "reports" where there are any
        std::string error;  ///< code, empty when the datagram was decoded to its end
    };
    [[nodiscard]] Outcome decode(std::span<const std::byte> datagram);
    void reset() {
        forget();
        poisoned_ = false;
    }

private:
    __extension__ using Int = __int128;
    struct Decimal {
        Int mantissa;
        Int exponent;
    };
    using Value = std::variant<Int, Decimal, std::string>;
    using Maybe = std::optional<Value>;  // nullopt: absent

    enum class State { undefined, empty, assigned };
    struct Entry {
        State state = State::undefined;
        Value value;
        fast::FieldType type = fast::FieldType::u32;
    };

    struct PresenceMap {
        std::vector<bool> bits;
        std::size_t used = 0;
        bool take() { return used < bits.size() ? bits[used++] : (++used, false); }
        [[nodiscard]] bool next() const { return used < bits.size() && bits[used]; }
        [[nodiscard]] bool has_more_set() const {
            for (std::size_t i = used; i < bits.size(); ++i)
                if (bits[i]) return true;
            return false;
        }
    };

    /// Whose dictionaries `template` and `type` mean.
    struct Context {
        std::string current_template;
        std::string current_type;
    };

    using Names = std::map<std::string, int>;  // how often each was met on this level

    Json decode_message();
    Json decode_body(const fast::TemplateDefinition& definition, PresenceMap& map);
    [[nodiscard]] const fast::TemplateDefinition* find(std::uint32_t id) const;
    void decode_fields(const std::vector<fast::FieldDefinition>& fields, PresenceMap& map,
                       const Context& context, Json& out, Names& seen);
    void decode_group(const fast::FieldDefinition& field, PresenceMap& map, const Context& context, Json& out,
                      const std::string& name);
    void decode_sequence(const fast::FieldDefinition& field, PresenceMap& map, const Context& context,
                         Json& out, const std::string& name);
    Maybe decode_scalar(const fast::FieldDefinition& field, PresenceMap& map, const Context& context);
    Maybe apply(const fast::OperatorDefinition& op, fast::FieldType type, bool optional, bool is_part,
                PresenceMap& map, const Context& context);
    Maybe without_wire(const fast::OperatorDefinition& op, fast::FieldType type, bool optional, Entry& entry);
    Maybe apply_delta(const fast::OperatorDefinition& op, fast::FieldType type, bool optional, bool is_part,
                      Entry& entry);
    Maybe apply_tail(const fast::OperatorDefinition& op, fast::FieldType type, bool optional, Entry& entry);
    Value delta_base(const fast::OperatorDefinition& op, fast::FieldType type, const Entry& entry);
    std::string text_delta(Int subtraction, const std::string& addition, const std::string& base);
    Entry& entry_of(const fast::OperatorDefinition& op, const Context& context);

    std::uint8_t read_byte();
    std::vector<std::uint8_t> read_groups(std::size_t most);
    Int read_raw_integer(bool is_signed);
    std::optional<Int> read_integer(fast::FieldType type, bool nullable);
    std::optional<Int> read_delta_integer(bool nullable);
    std::optional<std::string> read_text(fast::FieldType type, bool nullable);
    std::optional<std::string> read_ascii(bool nullable);
    Maybe read_value(fast::FieldType type, bool nullable);
    PresenceMap read_map(const std::vector<fast::FieldDefinition>& fields, bool is_message);
    void end_segment(const PresenceMap& map);
    void report(fast::Report what);
    void forget();

    [[nodiscard]] bool needs_map(const std::vector<fast::FieldDefinition>& fields) const;
    [[nodiscard]] bool is_wide(const std::vector<fast::FieldDefinition>& fields, bool is_message) const;
    [[nodiscard]] bool resets(const fast::TemplateDefinition& definition) const;

    std::vector<fast::TemplateDefinition> definitions_;
    fast::TemplateNames names_;
    fast::DecoderOptions options_;
    std::map<std::string, Entry> dictionary_;
    std::optional<std::uint32_t> template_id_;
    bool poisoned_ = false;
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    unsigned reports_ = 0;
    unsigned bits_ = 0;  ///< of the field being decoded, when FAST 1.2 makes it narrower than its wire form
    unsigned dynamic_depth_ = 0;
};

}  // namespace tickpath::test
