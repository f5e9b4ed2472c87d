// Compiles one template: emits its instructions and lays out its rows. Cold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "decoders/fast/definition.h"
#include "decoders/fast/program.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

/// One dictionary entry. Its number is given when the first template that uses it is complete.
struct EntryDefinition {
    std::set<FieldType> types;  ///< of all fields that use it, in all templates
    std::optional<std::uint16_t> number;
    std::string name;  ///< of the key; this and the next for messages
    std::string file;
    std::uint32_t line = 0;
};

/// By dictionary and key, in one string.
using EntryTable = std::map<std::string, EntryDefinition>;

class TemplateCompiler {
public:
    /// `index` is the template's place in Program::templates.
    TemplateCompiler(const TemplateNames& names, EntryTable& entries, Program& program, std::uint32_t index)
        : names_(names), entries_(entries), program_(program), template_index_(index) {}

    /// Appends to the program's code; returns the fields as a person sees them.
    [[nodiscard]] std::vector<Field> compile(const TemplateDefinition& definition);

    /// What is known after compile(). Entry numbers are filled into the code by the caller.
    struct EntryUse {
        std::size_t instruction = 0;
        EntryDefinition* entry = nullptr;
    };
    [[nodiscard]] const std::vector<EntryUse>& entry_uses() const noexcept { return entry_uses_; }
    [[nodiscard]] const TemplateCode& code() const noexcept { return code_; }
    [[nodiscard]] bool one_presence_word() const noexcept { return one_presence_word_; }
    [[nodiscard]] bool has_dynamic_reference() const noexcept { return has_dynamic_reference_; }
    /// Set when something does not fit an instruction: what it is, for the message.
    [[nodiscard]] const std::string& overflow() const noexcept { return overflow_; }

private:
    struct Row {
        std::uint32_t next_slot = 1;
        std::uint32_t next_presence = 1;  // bit 0 is always set: "present like its row"
    };
    /// Where the fields being compiled stand.
    struct Place {
        Row* row = nullptr;
        std::set<std::string>* names = nullptr;  ///< of the siblings so far
        std::uint32_t presence = 0;              ///< of the surrounding group
        bool wide_map = false;                   ///< the segment may use more than 63 bits
        std::string path = {};  ///< of the surrounding group or sequence, with a '/' at its end
        std::string dictionary_template = {};  ///< whose `template` dictionary is meant
        std::string dictionary_type = {};      ///< whose `type` dictionary is meant
    };

    void compile_fields(const std::vector<FieldDefinition>& fields, const Place& place,
                        std::vector<Field>& out);
    void compile_scalar(const FieldDefinition& field, const Place& place, Field& out);
    void compile_individual(const FieldDefinition& field, const Place& place, const Field& out);
    void compile_part(const OperatorDefinition& op, FieldType type, bool optional, FieldRef ref,
                      const Place& place);
    void compile_group(const FieldDefinition& field, const Place& place, Field& out);
    void compile_sequence(const FieldDefinition& field, const Place& place, Field& out);
    void compile_dynamic(const Place& place, Field& out);

    /// `bits`: Presentation::bits.
    void emit_operator(const OperatorDefinition& op, FieldType type, bool optional, FieldRef ref,
                       const Place& place, unsigned bits = 0);
    void emit_narrow(Opcode opcode, FieldType type, Operator op, FieldRef ref, unsigned bits);
    void emit_stored_constant(std::uint64_t value, bool optional, FieldRef ref, const Place& place);
    void emit_refill(const Place& place);
    Instruction& emit(Opcode opcode, FieldRef ref);
    void patch_jump(std::size_t instruction);
    void count_reads(std::uint32_t reads);
    void enter_segment();

    [[nodiscard]] std::uint16_t take_slots(Row& row, std::uint32_t count);
    [[nodiscard]] std::uint16_t take_presence(const FieldDefinition& field, const Place& place);
    [[nodiscard]] std::uint64_t initial_imm(const InitialValue& value, FieldType type);
    [[nodiscard]] std::uint16_t constant_slots(const InitialValue& value, FieldType type);
    [[nodiscard]] std::uint64_t text_constant(const std::string& text);
    [[nodiscard]] std::uint16_t narrowed(std::size_t value, const char* what);

    const TemplateNames& names_;
    EntryTable& entries_;
    Program& program_;
    std::uint32_t template_index_;
    TemplateCode code_;
    std::string file_;
    std::vector<EntryUse> entry_uses_;
    std::uint32_t path_ = 0;   ///< of what is being compiled, for InstructionPlace
    std::uint32_t depth_ = 1;  ///< of segments
    std::uint32_t reads_ = 0;  ///< since the input's end was last looked at
    bool one_presence_word_ = true;
    bool has_dynamic_reference_ = false;
    std::string overflow_;
};

}  // namespace tickpath::fast
