// tickpath templates: what a FAST template file says, what is doubtful about it, and decoders made of it.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/cpp_name.h"
#include "control/cli/input_file.h"
#include "control/cli/talk.h"
#include "control/cli/template_definitions.h"
#include "control/cli/template_show.h"
#include "control/cli/written_over.h"
#include "control/fast_decoders/generate_files.h"
#include "decoders/fast/template_lint.h"
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
        std::cout << tmpl.id() << '\t' << printable_in_line(tmpl.label()) << '\t'
                  << field_count(tmpl.fields()) << " fields" << (tmpl.resets() ? "\tresets dictionaries" : "")
                  << '\n';
    return exit_ok;
}

std::vector<const fast::TemplateDefinition*> chosen(const std::vector<fast::TemplateDefinition>& definitions,
                                                    const std::string& name) {
    std::vector<const fast::TemplateDefinition*> found;
    for (const fast::TemplateDefinition& definition : definitions) {
        const bool is_its_id = definition.id && std::to_string(*definition.id) == name;
        if (name.empty() || definition.name.local == name || is_its_id) found.push_back(&definition);
    }
    return found;
}

ExitCode show(const Options& options) {
    if (const auto refusal = settle_inputs({{options.file, exit_configuration}})) return *refusal;
    Diagnostics diagnostics;
    const auto templates = load(options, diagnostics);
    say(diagnostics);
    if (!templates) return exit_configuration;
    const std::vector<fast::TemplateDefinition> definitions = read_template_definitions(options.file);
    const std::vector<const fast::TemplateDefinition*> shown = chosen(definitions, options.name);
    if (shown.empty()) {
        std::vector<std::string_view> names;
        for (const fast::TemplateDefinition& known : definitions)
            names.emplace_back(known.name.local);
        const std::string_view near = nearest_spelling(options.name, names);
        std::cerr << "tickpath: " << printable(options.file) << " has no template "
                  << printable_in_line(options.name);
        if (!near.empty()) std::cerr << ", did you mean " << printable_in_line(near) << '?';
        std::cerr << " (tickpath templates list shows all)\n";
        return exit_failed;
    }
    const fast::TemplateNames names(definitions);
    for (const fast::TemplateDefinition* const one : shown)
        std::cout << (one == shown.front() ? "" : "\n") << show_template(*one, names);
    return exit_ok;
}

// Findings are what was asked for, so they go to stdout, in the order of the file. The file is the data.
ExitCode lint(const Options& options) {
    if (const auto refusal = settle_inputs({{options.file, exit_bad_data}})) return *refusal;
    Diagnostics diagnostics;
    const auto templates = load(options, diagnostics);
    if (templates) fast::lint_templates(read_template_definitions(options.file), diagnostics);
    std::vector<Diagnostic> findings = diagnostics.all();
    std::ranges::stable_sort(findings, {}, &Diagnostic::line);
    std::size_t errors = 0;
    for (const Diagnostic& finding : findings) {
        std::cout << printable_in_line(finding.format()) << '\n';
        errors += finding.severity == Severity::error ? 1 : 0;
    }
    std::cerr << "tickpath: " << printable(options.file) << ": " << errors << " errors, "
              << findings.size() - errors << " warnings\n";
    return errors == 0 ? exit_ok : exit_bad_data;
}

// Two files are to be named after it.
std::string why_no_output(const std::string& output) {
    const std::filesystem::path path(output);
    if (path.filename().empty() || path.filename() == "." || path.filename() == "..") return "names no file";
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return "is there and is no file";
    return {};
}

// Of what stopped the generation: the templates, as opposed to the files that were to be written.
bool is_file_at_fault(const std::string& file, const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& finding) {
        return finding.severity == Severity::error && finding.file == file;
    });
}

ExitCode generate(const Options& options) {
    if (!options.name_space.empty() && !is_namespace(options.name_space)) {
        say("--namespace " + options.name_space + " is not a name of C++, as in fast_demo or ours::decoders");
        return exit_usage;
    }
    if (const std::string why = why_no_output(options.output); !why.empty()) {
        say("-o " + options.output + ' ' + why + "; say OUT for OUT.h and OUT.cc");
        return exit_usage;
    }
    const fast_decoders::GeneratedFiles files = fast_decoders::files_of(options.output);
    if (writes_over(files.header.string(), {&options.file}) ||
        writes_over(files.source.string(), {&options.file}))
        return exit_usage;
    const fast_decoders::GenerateRequest request = {.templates = options.file,
                                                    .output = options.output,
                                                    .name_space = options.name_space,
                                                    .strict = options.strict};
    Diagnostics diagnostics;
    const auto generated = fast_decoders::generate_files(request, diagnostics);
    say(diagnostics);
    if (!generated) return is_file_at_fault(options.file, diagnostics) ? exit_configuration : exit_failed;
    std::cerr << "tickpath: " << fast_decoders::summary(request, *generated);
    return exit_ok;
}

CLI::App* add(CLI::App& app, const char* name, const char* summary, const std::shared_ptr<Options>& options,
              int& exit_code, ExitCode (*work)(const Options&), const char* example) {
    CLI::App* const sub = app.add_subcommand(name, summary);
    sub->add_option("file", options->file, "FAST template XML")->required()->check(CLI::ExistingFile);
    sub->add_flag("--strict", options->strict, "nothing is mended: what lint warns of is an error");
    sub->footer(std::string("Example:\n  ") + example);
    sub->callback([options, &exit_code, work] { exit_code = work(*options); });
    return sub;
}

void attach(CLI::App& app, int& exit_code) {
    const auto options = std::make_shared<Options>();
    app.require_subcommand(1);
    add(app, "list", "print id, name and size of each template", options, exit_code, list,
        "tickpath templates list templates/fast/demo/demo.xml");
    add(app, "show", "print fields, presence-map bits, operators and dictionary entries", options, exit_code,
        show, "tickpath templates show templates/fast/demo/demo.xml DemoIncremental")
        ->add_option("template", options->name, "name or id of one; all when left out");
    CLI::App* const generating =
        add(app, "generate", "write C++ that decodes the templates", options, exit_code, generate,
            "tickpath templates generate templates/fast/demo/demo.xml -o build/demo_decoders");
    generating->add_option("-o,--output", options->output, "OUT: writes OUT.h and OUT.cc")->required();
    generating->add_option("--namespace", options->name_space, "of the code (default: fast_OUT)");
    add(app, "lint", "print what is wrong or doubtful, with lines", options, exit_code, lint,
        "tickpath templates lint templates/fast/demo/demo.xml");
}

}  // namespace

Command templates_command() {
    return {.name = "templates",
            .summary = "list, show or lint FAST templates, or generate decoders of them",
            .example = "tickpath templates show templates/fast/demo/demo.xml DemoIncremental",
            .attach = attach};
}

}  // namespace tickpath::cli
