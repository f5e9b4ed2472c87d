#include "control/cli/nse_values.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "control/cli/message_json.h"
#include "decoders/base/bytes.h"
#include "decoders/base/printable.h"
#include "decoders/fast/utf8.h"

namespace tickpath::cli {
namespace {

namespace nse = framing::nse;

std::string_view text_at(const std::byte* at, std::size_t bytes) {
    return {reinterpret_cast<const char*>(at), bytes};
}

// Texts are blank-padded; zeros stand where nothing was written.
std::string text_of(std::string_view padded) {
    const std::size_t end = padded.find_last_not_of(std::string_view(" \0", 2));
    const std::string_view text = padded.substr(0, end == std::string_view::npos ? 0 : end + 1);
    return fast::is_utf8(text) ? std::string(text) : hex_text(text);
}

std::string float_text(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end};
}

NseValue scalar(const nse::Field& field, const std::byte* base) {
    NseValue value{.name = field.name};
    const std::byte* const at = base + field.offset;
    switch (field.type) {
        case nse::FieldType::text:
            value.text = text_of(text_at(at, field.bytes));
            break;
        case nse::FieldType::bytes:
            value.text = hex_text(text_at(at, field.bytes));
            break;
        case nse::FieldType::f64:
            value.is_number = true;
            value.text = float_text(std::bit_cast<double>(load_big<std::uint64_t>(at)));
            break;
        case nse::FieldType::u64:
            value.is_number = true;
            value.text = std::to_string(load_big<std::uint64_t>(at));
            break;
        default:
            value.is_number = true;
            value.text = std::to_string(field.integer(base));
    }
    return value;
}

std::vector<NseValue> content(const nse::Repeat& repeat, const std::byte* message, const std::byte* base) {
    std::vector<NseValue> values;
    for (const nse::Field& field : repeat.fields)
        values.push_back(scalar(field, base));
    for (const nse::Repeat& inner : repeat.repeats) {
        NseValue rows{.name = inner.name, .has_rows = true};
        for (std::uint32_t i = 0; i < inner.count(message); ++i)
            rows.rows.push_back(content(inner, message, base + inner.offset + std::size_t{i} * inner.stride));
        values.push_back(std::move(rows));
    }
    return values;
}

}  // namespace

std::vector<NseValue> nse_values(std::span<const std::byte> message, const nse::Layout* layout) {
    const std::byte* const base = message.data() + nse::prefix_bytes;
    std::vector<NseValue> values;
    if (layout == nullptr || layout->has_header)
        for (const nse::Field& field : nse::header_fields())
            values.push_back(scalar(field, base));
    if (layout == nullptr) {
        const std::span<const std::byte> body = message.subspan(nse::message_bytes_min);
        values.push_back({.name = "Body", .text = hex_text(text_at(body.data(), body.size()))});
        return values;
    }
    for (NseValue& value : content(layout->body, base, base))
        values.push_back(std::move(value));
    return values;
}

void append_json(std::string& out, const std::vector<NseValue>& values) {
    out += '{';
    bool is_first = true;
    for (const NseValue& value : values) {
        if (!is_first) out += ',';
        is_first = false;
        append_json_string(out, value.name);
        out += ':';
        if (value.has_rows) {
            out += '[';
            for (std::size_t i = 0; i < value.rows.size(); ++i) {
                if (i != 0) out += ',';
                append_json(out, value.rows[i]);
            }
            out += ']';
        } else if (value.is_number) {
            out += value.text;
        } else {
            append_json_string(out, value.text);
        }
    }
    out += '}';
}

void append_text(std::string& out, const std::vector<NseValue>& values) {
    out += '<';
    bool is_first = true;
    for (const NseValue& value : values) {
        if (!is_first) out += '|';
        is_first = false;
        out += value.name + '=';
        if (!value.has_rows) out += printable_in_line(value.text);
        for (const std::vector<NseValue>& row : value.rows)
            append_text(out, row);
    }
    out += '>';
}

}  // namespace tickpath::cli
