#include "control/cli/message_json.h"

#include "decoders/fast/utf8.h"

namespace tickpath::cli {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Writes the value of one field.
class JsonValue {
public:
    explicit JsonValue(std::string& out) : out_(out) {}

    void operator()(const fast::Field&, std::uint64_t value) const { out_ += std::to_string(value); }
    void operator()(const fast::Field&, std::int64_t value) const { out_ += std::to_string(value); }
    void operator()(const fast::Field&, Decimal value) const {
        out_ += "{\"m\":" + std::to_string(value.mantissa) + ",\"e\":" + std::to_string(value.exponent) + '}';
    }
    void operator()(const fast::Field& field, const fast::Text& value) const {
        append_text(value.to_string(), field.ref.type);
    }
    void operator()(const fast::Field&, const fast::NamedRow& group) const {
        append_json_fields(out_, group);
    }
    void operator()(const fast::Field&, const fast::NamedRows& rows) const {
        out_ += '[';
        bool is_first = true;
        for (const fast::NamedRow row : rows) {
            if (!is_first) out_ += ',';
            is_first = false;
            append_json_fields(out_, row);
        }
        out_ += ']';
    }
    void operator()(const fast::Field&, const fast::NamedMessage& inner) const {
        out_ += "{\"template\":";
        append_json_string(out_, inner.tmpl.label());
        out_ += ",\"fields\":";
        append_json_fields(out_, inner.fields);
        out_ += '}';
    }

private:
    // A text that itself begins with "hex:" is the same JSON with its first letter escaped, and other bytes
    // for `encode`.
    void append_text(const std::string& bytes, fast::FieldType type) const {
        if (type == fast::FieldType::bytes || !fast::is_utf8(bytes)) {
            append_json_string(out_, hex_text(bytes));
        } else if (type == fast::FieldType::unicode && bytes.starts_with(hex_prefix)) {
            std::string rest;
            append_json_string(rest, std::string_view(bytes).substr(hex_prefix.size()));
            out_ += '"';
            out_ += escaped_hex_prefix;
            out_ += std::string_view(rest).substr(1);  // without its opening quote
        } else {
            append_json_string(out_, bytes);
        }
    }

    std::string& out_;
};

}  // namespace

void append_json_fields(std::string& out, const fast::NamedRow& row) {
    out += '{';
    const JsonValue print_value(out);
    bool is_first = true;
    for_each_field(row, [&](const fast::Field& field, const auto& value) {
        if (!is_first) out += ',';
        is_first = false;
        append_json_string(out, field.name);
        out += ':';
        print_value(field, value);
    });
    out += '}';
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += hex_digits[byte >> 4];
            out += hex_digits[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

std::string hex_text(std::string_view bytes) {
    std::string out(hex_prefix);
    for (const char c : bytes) {
        out += hex_digits[static_cast<unsigned char>(c) >> 4];
        out += hex_digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string printable_text(const fast::Text& text, fast::FieldType type) {
    std::string bytes = text.to_string();
    return type == fast::FieldType::bytes || !fast::is_utf8(bytes) ? hex_text(bytes) : bytes;
}

}  // namespace tickpath::cli
