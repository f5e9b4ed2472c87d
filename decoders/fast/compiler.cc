#include "decoders/fast/compiler.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tickpath::fast {
namespace {

constexpr std::size_t entries_max = 65'536;  // an instruction addresses them with 16 bits
constexpr std::size_t instructions_max = 100'000;
constexpr unsigned depth_max = 64;

std::string quoted(const Name& name) {
    return '"' + name.local + '"';
}

void index_identifiers(Templates& templates, Program& program) {
    std::size_t slots = 2;
    while (slots < 2 * templates.all().size() + 1)
        slots *= 2;
    program.ids.assign(slots, {});
    for (const Template& tmpl : templates.all()) {
        std::size_t at = Program::hash(tmpl.id()) & (slots - 1);
        while (program.ids[at].index != Message::no_template)
            at = (at + 1) & (slots - 1);
        program.ids[at] = {.id = tmpl.id(), .index = templates.index_of(tmpl)};
    }
}

// Entries of one template in the order of their first use.
std::vector<EntryDefinition*> distinct_entries(const TemplateCompiler& compiled) {
    std::vector<EntryDefinition*> distinct;
    for (const TemplateCompiler::EntryUse& use : compiled.entry_uses())
        if (std::find(distinct.begin(), distinct.end(), use.entry) == distinct.end())
            distinct.push_back(use.entry);
    return distinct;
}

bool holds_text(const EntryDefinition& entry) {
    return std::any_of(entry.types.begin(), entry.types.end(), is_text);
}

}  // namespace

Compiler::Compiler(std::span<const TemplateDefinition> definitions, Diagnostics& diagnostics)
    : definitions_(definitions), diagnostics_(diagnostics), names_(definitions) {}

std::shared_ptr<const Templates> Compiler::compile() {
    check_names();
    warn_without_identifiers();
    for (const TemplateDefinition& definition : definitions_) {
        Walk walk = {.open = {&definition}};
        check_references(definition, definition.fields, walk);
        if (walk.is_over) break;
    }
    if (diagnostics_.has_errors()) return nullptr;

    // Twice: whether fields of several types share an entry (D4) is known only when all are compiled.
    EntryTable entries;
    static_cast<void>(compile_all(entries));
    for (auto& [key, entry] : entries)
        entry.number.reset();
    std::shared_ptr<Templates> templates = compile_all(entries);
    finish(*templates, entries);
    return diagnostics_.has_errors() ? nullptr : templates;
}

void Compiler::check_names() {
    std::map<std::uint32_t, const TemplateDefinition*> by_id;
    std::map<Name, const TemplateDefinition*> by_name;
    for (const TemplateDefinition& definition : definitions_) {
        const auto place = [](const TemplateDefinition& of) {
            return of.file + ':' + std::to_string(of.line);
        };
        if (definition.id) {
            const auto [first, is_new] = by_id.emplace(*definition.id, &definition);
            if (!is_new)
                diagnostics_.error(definition.file, definition.line,
                                   "S1: template id " + std::to_string(*definition.id) +
                                       " is already used at " + place(*first->second),
                                   Errc::s1);
        }
        if (definition.name.local.empty()) continue;
        const auto [first, is_new] = by_name.emplace(definition.name, &definition);
        if (!is_new)
            diagnostics_.warning(definition.file, definition.line,
                                 "S1: template name " + quoted(definition.name) + " is already used at " +
                                     place(*first->second) + "; static references mean that one",
                                 Errc::s1);
    }
}

// Building blocks for other files; alone they decode nothing.
void Compiler::warn_without_identifiers() {
    const bool has_identifier =
        std::any_of(definitions_.begin(), definitions_.end(),
                    [](const TemplateDefinition& definition) { return definition.id; });
    if (!definitions_.empty() && !has_identifier)
        diagnostics_.warning(definitions_.front().file, 0,
                             "D9: no template has an id, so that no message can be one of these", Errc::d9);
}

// Walks the template as it will be once its references are inlined. Stops at the first thing that is too
// much: a few lines of XML can double themselves forty times over.
void Compiler::check_references(const TemplateDefinition& of, const std::vector<FieldDefinition>& fields,
                                Walk& walk) {
    walk.instructions += fields.size();
    if (walk.is_over) return;
    if (walk.instructions > instructions_max || walk.depth > depth_max) {
        walk.is_over = true;
        diagnostics_.error(of.file, walk.open.front()->line,
                           "limit: template " + quoted(walk.open.front()->name) + " has more than " +
                               std::to_string(instructions_max) + " instructions, or nests more than " +
                               std::to_string(depth_max) + " deep",
                           Errc::limit);
        return;
    }
    ++walk.depth;
    for (const FieldDefinition& field : fields) {
        check_references(of, field.fields, walk);
        if (field.kind != FieldDefinition::Kind::static_reference) continue;
        const TemplateDefinition* const referred = names_.find(field.name);
        if (referred == nullptr) {
            diagnostics_.error(of.file, field.line,
                               "D8: there is no template " + quoted(field.name) + " to refer to", Errc::d8);
        } else if (std::find(walk.open.begin(), walk.open.end(), referred) != walk.open.end()) {
            diagnostics_.error(
                of.file, field.line,
                "S1: the reference to template " + quoted(field.name) + " leads back to itself", Errc::s1);
        } else {
            walk.open.push_back(referred);
            check_references(*referred, referred->fields, walk);
            walk.open.pop_back();
        }
    }
    --walk.depth;
}

std::shared_ptr<Templates> Compiler::compile_all(EntryTable& entries) {
    auto templates = std::make_shared<Templates>();
    Program& program = templates->program_;
    program.paths.emplace_back();
    uses_.clear();
    entry_count_ = 0;
    for (const TemplateDefinition& definition : definitions_) {
        if (!definition.id) continue;
        TemplateCompiler compiler(names_, entries, program,
                                  static_cast<std::uint32_t>(templates->all_.size()));
        Template& tmpl = templates->all_.emplace_back();
        tmpl.name_ = definition.name.local;
        tmpl.label_ = tmpl.name_.empty() ? std::to_string(*definition.id) : tmpl.name_;
        tmpl.file_ = definition.file;
        tmpl.id_ = *definition.id;
        tmpl.line_ = definition.line;
        tmpl.resets_ = definition.resets;
        tmpl.fields_ = compiler.compile(definition);
        if (!compiler.overflow().empty())
            diagnostics_.error(definition.file, definition.line,
                               "template " + tmpl.label_ + " has more than 65535 " + compiler.overflow(),
                               Errc::limit);
        number_entries(compiler, program);
    }
    return templates;
}

// Templates whose entries all lie in one word of state bits decode with that word in a register, so a new
// word is begun where that keeps a template's entries together.
void Compiler::number_entries(TemplateCompiler& compiler, Program& program) {
    const std::vector<EntryDefinition*> used = distinct_entries(compiler);
    const auto fresh = static_cast<std::size_t>(
        std::count_if(used.begin(), used.end(), [](const EntryDefinition* entry) { return !entry->number; }));
    const std::size_t left_in_word = 64 - entry_count_ % 64;
    if (fresh == used.size() && fresh > left_in_word && fresh <= 64) entry_count_ += left_in_word;

    std::set<unsigned> words;
    for (EntryDefinition* entry : used) {
        if (!entry->number) entry->number = static_cast<std::uint16_t>(entry_count_++);
        words.insert(*entry->number / 64u);
    }
    for (const TemplateCompiler::EntryUse& use : compiler.entry_uses())
        program.code[use.instruction].entry = *use.entry->number;
    TemplateCode code = compiler.code();
    code.narrow = words.size() <= 1 && compiler.one_presence_word() && !compiler.has_dynamic_reference();
    code.dictionary_word = static_cast<std::uint16_t>(words.empty() ? 0 : *words.begin());
    program.templates.push_back(code);
    uses_.push_back({used, compiler.has_dynamic_reference()});
}

// A dynamic reference may lead to any template, and so touch any entry.
void Compiler::list_text_entries(Program& program) const {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
        std::vector<std::uint16_t> listed;
        for (const EntryDefinition* entry : uses_[i].entries)
            if (holds_text(*entry)) listed.push_back(*entry->number);
        if (uses_[i].has_dynamic_reference) listed = program.all_text_entries;
        program.templates[i].texts_first = static_cast<std::uint32_t>(program.text_entries.size());
        program.templates[i].texts_count = static_cast<std::uint32_t>(listed.size());
        program.text_entries.insert(program.text_entries.end(), listed.begin(), listed.end());
    }
}

void Compiler::finish(Templates& templates, const EntryTable& entries) {
    Program& program = templates.program_;
    if (entry_count_ > entries_max)
        diagnostics_.error(definitions_.front().file, 0,
                           "the templates need more than 65536 dictionary entries", Errc::limit);
    program.entry_count = static_cast<std::uint32_t>(entry_count_);
    program.dictionary_words = std::max<std::uint32_t>(1, (program.entry_count + 63) / 64);
    program.entry_types.resize(entry_count_);
    for (const auto& [key, entry] : entries) {
        program.entry_types[*entry.number] = static_cast<std::uint8_t>(*entry.types.begin());
        if (holds_text(entry)) program.all_text_entries.push_back(*entry.number);
        if (entry.types.size() > 1)
            diagnostics_.warning(entry.file, entry.line,
                                 "D4: fields of different types share the dictionary entry \"" + entry.name +
                                     "\"; using the value of one for the other is an error (D4)",
                                 Errc::d4);
    }
    list_text_entries(program);
    index_identifiers(templates, program);
}

}  // namespace tickpath::fast
