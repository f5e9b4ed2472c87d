// XML elements to template definitions: the schema of FAST 1.1 appendix 1 with the mends that real files
// need, and every static error but those of references. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/definition.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/type_definitions.h"
#include "decoders/fast/xml_element.h"

namespace tickpath::fast {

/// All templates of the files, before references are resolved. Errors are in `diagnostics`. Defined in
/// template_loader.cc, the one file that knows an XML parser.
[[nodiscard]] std::vector<TemplateDefinition> read_definitions(std::span<const TemplateSource> sources,
                                                               Diagnostics& diagnostics, LoadOptions options);

class TemplateReader {
public:
    TemplateReader(std::string_view file_name, Diagnostics& diagnostics, LoadOptions options)
        : file_(file_name), diagnostics_(diagnostics), options_(options) {}

    /// `root` is <templates> or a single <template>. Goes on after an error to find the others.
    [[nodiscard]] std::vector<TemplateDefinition> read(const XmlElement& root);

private:
    /// What an element inherits from those around it (§6.2.1).
    struct Scope {
        std::string ns;
        std::string template_ns;
        std::string dictionary = "global";
    };

    [[nodiscard]] TemplateDefinition read_template(const XmlElement& element, Scope scope);
    [[nodiscard]] std::optional<std::uint32_t> read_template_id(const XmlElement& element);
    [[nodiscard]] bool read_reset(const XmlElement& element);
    void read_fields(const XmlElement& parent, const Scope& scope, std::optional<Name>& type_ref,
                     std::vector<FieldDefinition>& out);
    [[nodiscard]] std::optional<FieldDefinition> read_field(const XmlElement& element, Scope scope);
    [[nodiscard]] std::optional<FieldDefinition> read_typed_field(const XmlElement& element,
                                                                  const Scope& scope);
    void read_scalar(const XmlElement& element, const Scope& scope, FieldDefinition& field);
    void read_presentation(const XmlElement& element, Presentation& presentation);
    void read_elements(const XmlElement& parent, Presentation& presentation);
    void read_time(const XmlElement& element, Presentation& presentation);
    void read_decimal_parts(const XmlElement& element, const Scope& scope, FieldDefinition& field);
    void read_sequence(const XmlElement& element, const Scope& scope, FieldDefinition& field);
    void read_reference(const XmlElement& element, const Scope& scope, FieldDefinition& field);
    /// What a value stands in: its type, whether it may be absent, and how a person writes it.
    struct ValueKind {
        FieldType type = FieldType::u32;
        bool optional = false;
        const Presentation* presentation = nullptr;  ///< null: plain
    };
    [[nodiscard]] OperatorDefinition read_operator(const XmlElement& parent, const Scope& scope,
                                                   const ValueKind& kind, const Name& field_name);
    void read_operator_value(const XmlElement& element, const ValueKind& kind, OperatorDefinition& op);
    void check_operator(const XmlElement& element, FieldType type, const OperatorDefinition& op);
    void read_definitions(const XmlElement& root);
    [[nodiscard]] Name read_key(const XmlElement& element, const Scope& scope, const Name& field_name);

    [[nodiscard]] std::optional<FieldType> scalar_type(const XmlElement& element);
    [[nodiscard]] bool read_presence(const XmlElement& element);
    [[nodiscard]] Name read_name(const XmlElement& element, const Scope& scope, bool required);
    [[nodiscard]] Scope inner(const XmlElement& element, Scope scope) const;
    void unknown_element(const XmlElement& element, std::string_view where);

    void error(const XmlElement& at, Errc code, const std::string& text);
    /// An error in strict mode, a warning otherwise.
    void mend(const XmlElement& at, Errc code, const std::string& text);

    std::string file_;
    Diagnostics& diagnostics_;
    LoadOptions options_;
    std::uint32_t private_keys_ = 0;
    TypeDefinitions types_;
    std::vector<std::string> open_types_;  ///< definitions whose inside is being read
    std::uint32_t typed_fields_ = 0;
};

}  // namespace tickpath::fast
