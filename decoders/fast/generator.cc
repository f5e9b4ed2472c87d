#include "decoders/fast/generator.h"

#include <algorithm>
#include <array>
#include <optional>

#include "decoders/fast/fingerprint.h"

namespace tickpath::fast {
namespace {

// A compiler takes about 5 ms for one; a template of this many is no longer worth its wait.
constexpr std::size_t instructions_max = 2'000;

/// How an instruction is written down.
enum class Shape : std::uint8_t {
    step,               // does its work and goes on with the next
    optional_exponent,  // guards the mantissa
    optional_group,     // guards the group's fields
    group,              // encloses instructions up to its group_end_
    sequence,           // repeats instructions up to its element_end_
    end,                // closes what is named above
    interpreted,        // nothing that generated code can do
};

// No default: who adds an opcode must say here what becomes of it.
Shape shape_of(Opcode opcode) {
    switch (opcode) {
#define TICKPATH_FAST_OP(op, type) \
    case Opcode::op##_##type##_m:  \
    case Opcode::op##_##type##_o:
        TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
        case Opcode::constant_:
        case Opcode::store_constant_:
        case Opcode::store_optional_:
        case Opcode::exponent_:
        case Opcode::check_utf8_:
        case Opcode::wrap_narrow_:
        case Opcode::check_narrow_:
        case Opcode::check_type_:
        case Opcode::map_refill_:
            return Shape::step;
        case Opcode::exponent_optional_:
            return Shape::optional_exponent;
        case Opcode::group_optional_:
            return Shape::optional_group;
        case Opcode::group_begin_:
            return Shape::group;
        case Opcode::sequence_begin_:
            return Shape::sequence;
        case Opcode::group_end_:
        case Opcode::element_end_:
        case Opcode::element_end_map_:
        case Opcode::message_end_:
            return Shape::end;
        case Opcode::dynamic_reference_:
        case Opcode::stop_:
        case Opcode::element_end_sink_:
        case Opcode::element_end_map_sink_:
            return Shape::interpreted;
    }
    return Shape::interpreted;
}

// NOLINTBEGIN(bugprone-suspicious-missing-comma): each name is put together of its parts
constexpr std::string_view opcode_names[] = {
#define TICKPATH_FAST_OP(op, type) #op "_" #type "_m", #op "_" #type "_o",
    TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
#define TICKPATH_FAST_OP(op) #op "_",
        TICKPATH_FAST_CONTROL_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
            "message_end_",
    "stop_",
    "element_end_sink_",
    "element_end_map_sink_",
};
// NOLINTEND(bugprone-suspicious-missing-comma)
static_assert(std::size(opcode_names) == static_cast<std::size_t>(Opcode::element_end_map_sink_) + 1);

std::string name_of(Opcode opcode) {
    return std::string(opcode_names[static_cast<std::size_t>(opcode)]);
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Names come from a file: none may end its comment, or its string literal, and go on as code.
std::string harmless(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\' || c == '"'; },
        '?');
    return out;
}

std::string text(std::uint64_t number) {
    return std::to_string(number);
}
std::string truth(bool is_true) {
    return is_true ? "true" : "false";
}

// Written once for a template file: what reads like the text that comes out is worth more than its speed.
// NOLINTBEGIN(performance-inefficient-string-concatenation)

/// Writes one template.
class TemplateWriter {
public:
    TemplateWriter(const Program& program, std::uint32_t index)
        : program_(program), template_(program.templates[index]), first_(template_.first) {
        while (at(size_).opcode != Opcode::message_end_ && at(size_).opcode != Opcode::stop_)
            ++size_;
        ++size_;
    }

    /// Why the template cannot be written; empty when it can.
    [[nodiscard]] std::string refusal() const {
        if (size_ > instructions_max)
            return "it has " + text(size_) + " instructions, more than " + text(instructions_max);
        for (std::size_t i = 0; i < size_; ++i) {
            if (shape_of(at(i).opcode) != Shape::interpreted) continue;
            return "field " + path(i) + " needs " + name_of(at(i).opcode) +
                   ", which only the interpreter runs";
        }
        return "";
    }

    [[nodiscard]] std::string write() {
        std::string message = fields(0, size_ - 1, "        ");
        return table() + segments_ +
               "struct Message {\n"
               "    static constexpr const auto& code = instructions;\n\n" +
               decode_function(message) + "};\n";
    }

    [[nodiscard]] std::string run_function(const std::string& name_space) const {
        return std::string("&straight::run<") + (template_.narrow ? "NarrowState" : "WideState") + ", " +
               name_space + "::Message>";
    }

private:
    [[nodiscard]] const Instruction& at(std::size_t i) const { return program_.code[first_ + i]; }
    [[nodiscard]] std::string path(std::size_t i) const {
        return harmless(program_.paths[program_.places[first_ + i].path]);
    }
    [[nodiscard]] std::size_t jump(std::size_t i) const { return at(i).jump() - first_; }

    std::string table() const {
        std::string out = "constexpr Instruction instructions[] = {\n";
        for (std::size_t i = 0; i < size_; ++i) {
            const Instruction& op = at(i);
            out += "    {Opcode::" + name_of(op.opcode) + ", " + text(op.flags) + ", " + text(op.slot) +
                   ", " + text(op.presence) + ", " + text(op.entry) + ", " + text(op.imm) + "u},  // " +
                   text(i) + ' ' + path(i) + '\n';
        }
        return out + "};\n\n";
    }

    static std::string decode_function(const std::string& body) {
        return "    template <class M>\n"
               "    [[nodiscard, gnu::always_inline]] static bool decode([[maybe_unused]] M& m) noexcept "
               "{\n" +
               body +
               "        return true;\n"
               "    }\n";
    }

    static std::string call(const std::string& function, const std::string& arguments) {
        return "straight::" + function + "<instructions, " + arguments + ">(m)";
    }
    static std::string must(const std::string& call, const std::string& comment) {
        return "if (!" + call + ") return false;  // " + comment + '\n';
    }

    // Instructions [begin, end) as statements.
    std::string fields(std::size_t begin, std::size_t end, const std::string& indent) {
        std::string out;
        for (std::size_t i = begin; i < end;) {
            const std::string number = text(i);
            switch (shape_of(at(i).opcode)) {
                case Shape::optional_exponent:
                    out += indent + "if (" + call("has_exponent", number) + ") {  // " + path(i) + '\n' +
                           indent + "    " + must(call("step", number), "exponent in range") +
                           fields(i + 1, jump(i), indent + "    ") + indent + "}\n";
                    i = jump(i);
                    break;
                case Shape::optional_group:
                    out += indent + "if (" + call("has_group", number) + ") {  // " + path(i) + '\n' +
                           fields(i + 1, jump(i), indent + "    ") + indent + "}\n";
                    i = jump(i);
                    break;
                case Shape::group:
                    out += indent + segment("group", i, group_end(i));
                    i = group_end(i) + 1;
                    break;
                case Shape::sequence:
                    out += indent + segment("sequence", i, jump(i) - 1);
                    i = jump(i);
                    break;
                default:
                    out += indent + must(call("step", number), path(i) + ": " + name_of(at(i).opcode));
                    ++i;
            }
        }
        return out;
    }

    std::size_t group_end(std::size_t begin) const {
        std::size_t depth = 1;
        std::size_t i = begin;
        while (depth != 0) {
            ++i;
            if (at(i).opcode == Opcode::group_begin_) ++depth;
            if (at(i).opcode == Opcode::group_end_) --depth;
        }
        return i;
    }

    // A struct for what lies between `begin` and `end`, and the call that runs it.
    std::string segment(const std::string& function, std::size_t begin, std::size_t end) {
        const std::string name = "Fields_" + text(begin);
        const std::string body = fields(begin + 1, end, "        ");
        const Segment& segment = program_.segments[at(begin).operand()];
        segments_ += "// " + path(begin) + "\nstruct " + name +
                     " {\n    static constexpr Segment segment = {.row_words = " + text(segment.row_words) +
                     ", .presence_words = " + text(segment.presence_words) +
                     ", .bytes_min = " + text(segment.bytes_min) + ", .has_map = " + truth(segment.has_map) +
                     ", .wide_map = " + truth(segment.wide_map) + "};\n\n" + decode_function(body) + "};\n\n";
        return must(call(function, text(begin) + ", " + text(end) + ", " + name), path(begin));
    }

    const Program& program_;
    const TemplateCode& template_;
    std::size_t first_;
    std::size_t size_ = 0;  // instructions
    std::string segments_;  // structs of groups and sequences, inner ones first
};

std::string head_comment(const GeneratorOptions& options, std::string_view what) {
    return "// " + std::string(what) + " of " + harmless(options.source_name) +
           ". Written by `tickpath templates generate`: generate again rather than edit.\n";
}

std::string header_text(const GeneratorOptions& options) {
    const std::string name_space(options.name_space);
    return head_comment(options, "FAST decoders") +
           "#pragma once\n\n"
           "#include \"decoders/fast/generated.h\"\n\n"
           "namespace " +
           name_space +
           " {\n\n"
           "/// For tickpath::fast::Templates::with.\n"
           "[[nodiscard]] const tickpath::fast::GeneratedDecoders& decoders() noexcept;\n\n"
           "}  // namespace " +
           name_space + '\n';
}

}  // namespace

GeneratedSource generate(const Templates& templates, const GeneratorOptions& options) {
    GeneratedSource out;
    out.header = header_text(options);
    std::string namespaces;
    std::string functions;
    for (std::uint32_t i = 0; i < templates.all().size(); ++i) {
        const Template& tmpl = templates.all()[i];
        TemplateWriter writer(templates.program(), i);
        const std::string title = harmless(tmpl.label()) + ", id " + text(tmpl.id());
        const std::string refusal = writer.refusal();
        if (!refusal.empty()) {
            out.interpreted.push_back({tmpl.label(), tmpl.id(), refusal});
            functions += "    nullptr,  // " + title + ": " + refusal + '\n';
            continue;
        }
        const std::string name_space = "template_" + text(tmpl.id());
        namespaces += "// " + title + "\nnamespace " + name_space + " {\n\n" + writer.write() +
                      "\n}  // namespace " + name_space + "\n\n";
        functions += "    " + writer.run_function(name_space) + ",  // " + title + '\n';
        ++out.generated_count;
    }
    const std::string outer(options.name_space);
    out.source = head_comment(options, "FAST decoders") + "#include \"" + harmless(options.header_name) +
                 "\"\n\n#include \"decoders/fast/straight_line.h\"\n\nnamespace " + outer +
                 " {\nnamespace {\n\nusing namespace tickpath::fast;\n\n" + namespaces +
                 "constexpr RunFunction run_functions[] = {\n" + functions +
                 "};\n\nconstexpr GeneratedDecoders all = {\"" + harmless(options.source_name) + "\", " +
                 text(fingerprint(templates.program())) +
                 "u, run_functions};\n\n}  // namespace\n\nconst GeneratedDecoders& decoders() noexcept {\n"
                 "    return all;\n}\n\n}  // namespace " +
                 outer + '\n';
    return out;
}

std::string namespace_of(std::string_view stem) {
    std::string out = "fast_" + std::string(stem);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return !is_plain(c); }, '_');
    return out;
}

// NOLINTEND(performance-inefficient-string-concatenation)

}  // namespace tickpath::fast
