// tickpath templates: what a FAST template file says, what is doubtful about it, and decoders made of it.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/talk.h"
#include "control/fast_decoders/generate_files.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::cli {
namespace {

struct Options {
    std::string file;
    std::string name;
    std::string output;
    std::string name_space;
    bool strict = false;
};

std::shared_ptr<const fast::Templates> load(const Options& options, Diagnostics& diagnostics) {
    return fast::load_template_file(options.file, diagnostics, {.strict = options.strict});
}

std::size_t field_count(const std::vector<fast::Field>& fields) {
    std::size_t count = fields.size();
    for (const fast::Field& field : fields)
        count += field_count(field.fields);
    return count;
}

ExitCode list(const Options& options) {
    Diagnostics diagnostics;
    const auto templates = load(options, diagnostics);
    say(diagnostics);
    if (!templates) return exit_configuration;
    for (const fast::Template& tmpl : templates->all())
        std::cout << tmpl.id() << '\t' << tmpl.label() << '\t' << field_count(tmpl.fields()) << " fields"
                  << (tmpl.resets() ? "\tresets dictionaries" : "") << '\n';
    return exit_ok;
}

// "copy", or "exponent default, mantissa delta"; nothing where there is no operator.
std::string operator_text(const fast::Field& field) {
    if (field.individual_operators)
        return "exponent " + std::string(name_of(field.exponent_op)) + ", mantissa " +
               std::string(name_of(field.mantissa_op));
    return field.op == fast::Operator::none ? "" : std::string(name_of(field.op));
}

void show_fields(const std::vector<fast::Field>& fields, const std::string& indent) {
    for (const fast::Field& field : fields) {
        std::cout << indent << field.name << "  " << field.type_name();
        if (field.optional) std::cout << ", optional";
        const std::string op = operator_text(field);
        const bool is_sequence = field.ref.type == fast::FieldType::sequence;
        if (!op.empty()) std::cout << ", " << (is_sequence ? "length " : "") << op;
        if (!field.id.empty()) std::cout << "  (" << field.id << ')';
        std::cout << '\n';
        show_fields(field.fields, indent + "  ");
    }
}

const fast::Template* find(const fast::Templates& templates, const std::string& name) {
    if (const fast::Template* const found = templates.find_template(name)) return found;
    for (const fast::Template& tmpl : templates.all())
        if (std::to_string(tmpl.id()) == name) return &tmpl;
    return nullptr;
}

ExitCode show(const Options& options) {
    Diagnostics diagnostics;
    const auto templates = load(options, diagnostics);
    say(diagnostics);
    if (!templates) return exit_configuration;
    const fast::Template* const tmpl = find(*templates, options.name);
    if (tmpl == nullptr) {
        std::vector<std::string_view> names;
        for (const fast::Template& known : templates->all())
            names.emplace_back(known.name());
        const std::string_view near = nearest_spelling(options.name, names);
        std::cerr << "tickpath: " << options.file << " has no template " << options.name;
        if (!near.empty()) std::cerr << ", did you mean " << near << '?';
        std::cerr << " (tickpath templates list shows all)\n";
        return exit_failed;
    }
    std::cout << tmpl->label() << "  id " << tmpl->id() << ", " << tmpl->file() << ':' << tmpl->line()
              << (tmpl->resets() ? ", resets dictionaries" : "") << '\n';
    show_fields(tmpl->fields(), "  ");
    return exit_ok;
}

// Findings are what was asked for, so they go to stdout.
ExitCode lint(const Options& options) {
    Diagnostics diagnostics;
    const auto templates = load(options, diagnostics);
    std::cout << diagnostics.format();
    if (!templates) return exit_configuration;
    std::cerr << "tickpath: " << options.file << ": " << templates->all().size() << " templates, "
              << diagnostics.all().size() << " warnings\n";
    return exit_ok;
}

ExitCode generate(const Options& options) {
    const fast_decoders::GenerateRequest request = {.templates = options.file,
                                                    .output = options.output,
                                                    .name_space = options.name_space,
                                                    .strict = options.strict};
    Diagnostics diagnostics;
    const auto generated = fast_decoders::generate_files(request, diagnostics);
    say(diagnostics);
    if (!generated) return exit_configuration;
    std::cerr << "tickpath: " << fast_decoders::summary(request, *generated);
    return exit_ok;
}

CLI::App* add(CLI::App& app, const char* name, const char* summary, const std::shared_ptr<Options>& options,
              int& exit_code, ExitCode (*work)(const Options&)) {
    CLI::App* const sub = app.add_subcommand(name, summary);
    sub->add_option("file", options->file, "FAST template XML")->required()->check(CLI::ExistingFile);
    sub->add_flag("--strict", options->strict, "nothing is mended: what lint warns of is an error");
    sub->callback([options, &exit_code, work] { exit_code = work(*options); });
    return sub;
}

void attach(CLI::App& app, int& exit_code) {
    const auto options = std::make_shared<Options>();
    app.require_subcommand(1);
    add(app, "list", "print id, name and size of each template", options, exit_code, list);
    add(app, "show", "print the fields of one template", options, exit_code, show)
        ->add_option("template", options->name, "its name or id")
        ->required();
    CLI::App* const generating =
        add(app, "generate", "write C++ that decodes the templates", options, exit_code, generate);
    generating->add_option("-o,--output", options->output, "OUT: writes OUT.h and OUT.cc")->required();
    generating->add_option("--namespace", options->name_space, "of the code (default: fast_OUT)");
    add(app, "lint", "print what is wrong or doubtful, with lines", options, exit_code, lint);
}

}  // namespace

Command templates_command() {
    return {.name = "templates",
            .summary = "list, show or lint FAST templates, or generate decoders of them",
            .example = "tickpath templates show templates/fast/demo/demo.xml DemoIncremental",
            .attach = attach};
}

}  // namespace tickpath::cli
