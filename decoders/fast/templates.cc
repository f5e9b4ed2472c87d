#include "decoders/fast/templates.h"

#include <algorithm>

#include "decoders/fast/fingerprint.h"

namespace tickpath::fast {
namespace {

[[nodiscard]] bool is_inside_sequence(const Template& tmpl, std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
        const Field* const outer = tmpl.find(path.substr(0, slash));
        if (outer != nullptr && outer->ref.type == FieldType::sequence) return true;
    }
    return false;
}

}  // namespace

std::string_view name_of(Operator op) noexcept {
    switch (op) {
        case Operator::none:
            return "none";
        case Operator::constant:
            return "constant";
        case Operator::default_:
            return "default";
        case Operator::copy:
            return "copy";
        case Operator::increment:
            return "increment";
        case Operator::delta:
            return "delta";
        case Operator::tail:
            return "tail";
    }
    return "";
}

// As the XML spells them.
std::string_view name_of(FieldType type) noexcept {
    switch (type) {
        case FieldType::u32:
            return "uInt32";
        case FieldType::i32:
            return "int32";
        case FieldType::u64:
            return "uInt64";
        case FieldType::i64:
            return "int64";
        case FieldType::decimal:
            return "decimal";
        case FieldType::ascii:
            return "string";
        case FieldType::unicode:
            return "unicode string";
        case FieldType::bytes:
            return "byteVector";
        case FieldType::group:
            return "group";
        case FieldType::sequence:
            return "sequence";
        case FieldType::dynamic:
            return "templateRef";
    }
    return "";
}

std::string_view type_name(FieldType type, const Presentation* presentation) noexcept {
    if (presentation == nullptr) return name_of(type);
    if (presentation->kind != PresentationKind::plain) return name_of(presentation->kind);
    const bool is_signed = type == FieldType::i32;
    if (presentation->bits == 8) return is_signed ? "int8" : "uInt8";
    if (presentation->bits == 16) return is_signed ? "int16" : "uInt16";
    return name_of(type);
}

const Field* find_field(const std::vector<Field>& fields, std::string_view path) noexcept {
    const std::vector<Field>* level = &fields;
    for (;;) {
        const std::size_t slash = path.find('/');
        const std::string_view name = path.substr(0, slash);
        const auto found = std::find_if(level->begin(), level->end(),
                                        [&](const Field& field) { return field.name == name; });
        if (found == level->end()) return nullptr;
        if (slash == std::string_view::npos) return &*found;
        level = &found->fields;
        path.remove_prefix(slash + 1);
    }
}

const Field* Template::find(std::string_view path) const noexcept {
    return find_field(fields_, path);
}

std::optional<FieldRef> Template::field(std::string_view path) const noexcept {
    const Field* const found = find(path);
    if (found == nullptr) return std::nullopt;
    return found->ref;
}

const Template* Templates::find_template(std::uint32_t id) const noexcept {
    const std::uint32_t index = program_.index_of(id);
    return index == Message::no_template ? nullptr : &all_[index];
}

const Template* Templates::find_template(std::string_view name) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const Template& tmpl) { return tmpl.name() == name; });
    return found == all_.end() ? nullptr : &*found;
}

std::shared_ptr<const Templates> Templates::with(const GeneratedDecoders& decoders,
                                                 Diagnostics& diagnostics) const {
    if (decoders.fingerprint != fingerprint(program_) || decoders.templates.size() != all_.size()) {
        diagnostics.error(all_.empty() ? std::string() : all_.front().file(), 0,
                          "the decoders that were generated from " + std::string(decoders.source) +
                              " are of other templates or of another version: generate them again "
                              "(tickpath templates generate)");
        return nullptr;
    }
    auto attached = std::make_shared<Templates>(*this);
    attached->generated_ = &decoders;
    return attached;
}

const GeneratedDecoders* Templates::generated() const noexcept {
    if (generated_ == nullptr || generated_->fingerprint != fingerprint(program_)) return nullptr;
    return generated_;
}

std::shared_ptr<const Templates> Templates::cut_behind(std::string_view path) const {
    auto cut = std::make_shared<Templates>(*this);
    Program& program = cut->program_;
    for (const Template& tmpl : all_) {
        const std::optional<FieldRef> field = tmpl.field(path);
        if (!field || !is_integer(field->type) || field->constant) continue;
        // The field's last instruction is its operator; what follows it becomes the end.
        for (std::size_t i = program_.code.size(); i-- > 0;) {
            const InstructionPlace& place = program_.places[i];
            if (place.template_index != index_of(tmpl) || program_.paths[place.path] != path) continue;
            program.code[i + 1].opcode = Opcode::stop_;
            break;
        }
    }
    return cut;
}

std::shared_ptr<const Templates> Templates::with_entry_sinks(
    const std::vector<std::string>& path_by_template) const {
    auto sinking = std::make_shared<Templates>(*this);
    Program& program = sinking->program_;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const InstructionPlace& place = program.places[i];
        const std::string& path = path_by_template[place.template_index];
        if (path.empty() || program.paths[place.path] != path) continue;
        if (is_inside_sequence(all_[place.template_index], path)) continue;
        Opcode& opcode = program.code[i].opcode;
        if (opcode == Opcode::element_end_) opcode = Opcode::element_end_sink_;
        if (opcode == Opcode::element_end_map_) opcode = Opcode::element_end_map_sink_;
    }
    return sinking;
}

}  // namespace tickpath::fast
