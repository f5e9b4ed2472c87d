#include "control/cli/message_from_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "control/cli/message_json.h"
#include "decoders/base/printable.h"
#include "decoders/fast/utf8.h"

namespace tickpath::cli {
namespace {

using nlohmann::json;

std::optional<std::string> from_hex(std::string_view text) {
    if (!text.starts_with(hex_prefix) || text.size() % 2 != 0) return std::nullopt;
    text.remove_prefix(hex_prefix.size());
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        unsigned byte = 0;
        const char* const last = text.data() + i + 2;
        const auto [end, error] = std::from_chars(text.data() + i, last, byte, 16);
        if (error != std::errc{} || end != last) return std::nullopt;
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

std::string join(const std::string& path, const std::string& name) {
    std::string joined = path;
    if (!joined.empty()) joined += '/';
    joined += name;
    return joined;
}

// Sets fields of one message; remembers what is wrong, and where.
class Filler {
public:
    explicit Filler(fast::MessageBuilder& builder) : builder_(builder) {}

    bool fill(fast::RowBuilder row, const std::vector<fast::Field>& fields, const json& object,
              const std::string& path) {
        if (!object.is_object()) return refuse(path, "has to be an object");
        for (const auto& [name, value] : object.items()) {
            const auto field = std::find_if(fields.begin(), fields.end(),
                                            [&, key = std::string_view(name)](const fast::Field& candidate) {
                                                return candidate.name == key;
                                            });
            const std::string place = join(path, name);
            if (field == fields.end()) return refuse(place, "is no field of the template");
            if (!set(row, *field, value, place)) return false;
        }
        return true;
    }

    bool refuse(const std::string& path, const std::string& why) {
        if (problem_.empty()) problem_ = (path.empty() ? "the message" : printable_in_line(path)) + ' ' + why;
        return false;
    }
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] std::uint64_t texts_from_hex() const noexcept { return texts_from_hex_; }

private:
    // The builder's own objection: R4, D1, …
    bool refused(const std::string& path) {
        return refuse(path, "is refused: " + std::string(code(builder_.error())) + ", " +
                                std::string(describe(builder_.error())));
    }

    bool set(fast::RowBuilder row, const fast::Field& field, const json& value, const std::string& path) {
        switch (field.ref.type) {
            case fast::FieldType::u32:
            case fast::FieldType::i32:
            case fast::FieldType::u64:
            case fast::FieldType::i64:
                return set_integer(row, field.ref, value, path);
            case fast::FieldType::decimal:
                return set_decimal(row, field.ref, value, path);
            case fast::FieldType::ascii:
            case fast::FieldType::unicode:
            case fast::FieldType::bytes:
                return set_text(row, field.ref, value, path);
            case fast::FieldType::group:
                return (row.set_present(field.ref) || refused(path)) && fill(row, field.fields, value, path);
            case fast::FieldType::sequence:
                return set_sequence(row, field, value, path);
            case fast::FieldType::dynamic:
                return set_dynamic(row, field.ref, value, path);
        }
        return false;
    }

    bool set_integer(fast::RowBuilder row, fast::FieldRef ref, const json& value, const std::string& path) {
        if (!value.is_number_integer()) return refuse(path, "has to be a whole number");
        const bool ok = value.is_number_unsigned() ? row.set_u64(ref, value.get<std::uint64_t>())
                                                   : row.set_i64(ref, value.get<std::int64_t>());
        return ok || refused(path);
    }

    bool set_decimal(fast::RowBuilder row, fast::FieldRef ref, const json& value, const std::string& path) {
        const auto is_integer = [&](const char* key) {
            const auto part = value.find(key);
            return part != value.end() && part->is_number_integer() &&
                   (!part->is_number_unsigned() ||
                    part->get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
        };
        if (!value.is_object() || !is_integer("m") || !is_integer("e") || value.size() != 2)
            return refuse(path, "has to be a decimal {\"m\":mantissa,\"e\":exponent}");
        const auto exponent = value["e"].get<std::int64_t>();
        constexpr std::int64_t bound = std::numeric_limits<std::int32_t>::max();
        const Decimal decimal = {value["m"].get<std::int64_t>(),
                                 static_cast<std::int32_t>(std::clamp(exponent, -bound, bound))};
        return row.set_decimal(ref, decimal) || refused(path);
    }

    // {"text":…}: the characters, whatever they look like (json_line.h).
    static const std::string* plain_text(const json& value) {
        if (!value.is_object() || value.size() != 1) return nullptr;
        const auto text = value.find("text");
        return text == value.end() ? nullptr : text->get_ptr<const std::string*>();
    }

    // Byte vectors are printed as hexadecimal digits, and so are strings that are no UTF-8.
    bool set_text(fast::RowBuilder row, fast::FieldRef ref, const json& value, const std::string& path) {
        const std::string* const plain = plain_text(value);
        if (plain != nullptr && ref.type != fast::FieldType::bytes)
            return row.set_text(ref, *plain) || refused(path);
        if (!value.is_string()) return refuse(path, "has to be a string");
        const auto& text = value.get_ref<const std::string&>();
        const std::optional<std::string> bytes = from_hex(text);
        if (ref.type == fast::FieldType::bytes && !bytes)
            return refuse(path, "has to be bytes, \"hex:…\" with two digits each");
        const bool is_bytes = ref.type == fast::FieldType::bytes ||
                              (ref.type == fast::FieldType::unicode && bytes && !fast::is_utf8(*bytes));
        texts_from_hex_ += is_bytes && ref.type == fast::FieldType::unicode ? 1 : 0;
        const bool ok = is_bytes ? row.set_unchecked_text(ref, *bytes) : row.set_text(ref, text);
        return ok || refused(path);
    }

    bool set_sequence(fast::RowBuilder row, const fast::Field& field, const json& value,
                      const std::string& path) {
        if (!value.is_array()) return refuse(path, "has to be an array");
        if (!row.set_empty(field.ref)) return refused(path);
        std::size_t count = 0;
        for (const json& element : value) {
            const std::string place = path + '[' + std::to_string(count++) + ']';
            const fast::RowBuilder added = row.add_element(field.ref);
            if (!added) return refused(place);
            if (!fill(added, field.fields, element, place)) return false;
        }
        return true;
    }

    bool set_dynamic(fast::RowBuilder row, fast::FieldRef ref, const json& value, const std::string& path) {
        if (!value.is_object() || !value.contains("template") || !value["template"].is_string() ||
            !value.contains("fields"))
            return refuse(path, "has to be {\"template\":…,\"fields\":{…}}");
        const auto& label = value["template"].get_ref<const std::string&>();
        const fast::Template* const tmpl = find_by_label(builder_.templates(), label);
        if (tmpl == nullptr)
            return refuse(path, "names a template \"" + printable_in_line(label) + "\" that there is not");
        const fast::RowBuilder inner = row.set_dynamic(ref, *tmpl);
        if (!inner) return refused(path);
        return fill(inner, tmpl->fields(), value["fields"], path);
    }

    fast::MessageBuilder& builder_;
    std::string problem_;
    std::uint64_t texts_from_hex_ = 0;
};

}  // namespace

const fast::Template* find_by_label(const fast::Templates& templates, std::string_view label) {
    const auto& all = templates.all();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const fast::Template& tmpl) { return tmpl.label() == label; });
    return found == all.end() ? nullptr : &*found;
}

BuiltFromJson build_from_json(const json& fields, const fast::Template& tmpl, fast::MessageBuilder& builder) {
    Filler filler(builder);
    if (filler.fill(builder.begin(tmpl), tmpl.fields(), fields, {}) && !builder.finish()) {
        const std::string path(builder.error_field());
        filler.refuse(path, builder.error() == Errc::missing
                                ? "is mandatory and not there"
                                : "is refused: " + std::string(code(builder.error())));
    }
    return {filler.problem(), filler.texts_from_hex()};
}

}  // namespace tickpath::cli
