// A checked template file to Templates: resolves references, compiles each template, and numbers dictionary
// entries over all of them. Cold.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/definition.h"
#include "decoders/fast/template_compiler.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

class Compiler {
public:
    Compiler(std::span<const TemplateDefinition> definitions, Diagnostics& diagnostics);

    /// Null when there was an error: D8, a cycle of references, an identifier used twice, or more of
    /// something than an instruction can address.
    [[nodiscard]] std::shared_ptr<const Templates> compile();

private:
    void check_names();
    void warn_without_identifiers();
    /// One template with everything it refers to.
    struct Walk {
        std::vector<const TemplateDefinition*> open;  ///< the template and the references that led here
        std::size_t instructions = 0;
        unsigned depth = 0;
        bool is_over = false;
    };
    void check_references(const TemplateDefinition& of, const std::vector<FieldDefinition>& fields,
                          Walk& walk);
    [[nodiscard]] std::shared_ptr<Templates> compile_all(EntryTable& entries);
    void number_entries(TemplateCompiler& compiler, Program& program);
    void finish(Templates& templates, const EntryTable& entries);
    void list_text_entries(Program& program) const;

    std::span<const TemplateDefinition> definitions_;
    Diagnostics& diagnostics_;
    TemplateNames names_;
    std::size_t entry_count_ = 0;  ///< numbers given so far
    struct Use {
        std::vector<EntryDefinition*> entries;
        bool has_dynamic_reference = false;
    };
    std::vector<Use> uses_;  ///< by template
};

}  // namespace tickpath::fast
