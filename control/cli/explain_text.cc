#include "control/cli/explain_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "control/cli/message_json.h"
#include "decoders/base/printable.h"
#include "decoders/fast/utf8.h"

namespace tickpath::cli {
namespace {

using fast::EntryStatus;
using fast::FieldType;
using fast::Operator;
using fast::Source;
using fast::Step;

constexpr std::size_t shown_bytes_max = 10;  // the longest 64-bit integer
constexpr std::size_t shown_text_max = 32;

// ---- words
// ---------------------------------------------------------------------------------------------------

std::string integer_text(fast::WideInteger value) {
    if (value == 0) return "0";
    const bool is_negative = value < 0;
    std::string digits;
    for (; value != 0; value /= 10) {
        const auto digit = static_cast<int>(value % 10);
        digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    }
    if (is_negative) digits += '-';
    return {digits.rbegin(), digits.rend()};
}

std::string bytes_text(std::string_view bytes) {
    std::string out;
    for (const char byte : bytes.substr(0, shown_bytes_max))
        out += fmt::format("{}{:02X}", out.empty() ? "" : " ", static_cast<unsigned char>(byte));
    if (bytes.size() > shown_bytes_max) out += fmt::format(" … {} bytes", bytes.size());
    return out;
}

std::string text_text(const std::string& text, FieldType type) {
    if (type == FieldType::bytes || !fast::is_utf8(text)) return "bytes " + bytes_text(text);
    if (text.size() <= shown_text_max) return '"' + printable_in_line(text) + '"';
    std::size_t cut = shown_text_max;
    while ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)  // not inside a character
        --cut;
    return fmt::format("\"{}…\" ({} bytes)", printable_in_line(text.substr(0, cut)), text.size());
}

std::string value_text(const fast::ExplainedValue& value, FieldType type) {
    if (const auto* decimal = std::get_if<Decimal>(&value)) return to_text(*decimal);
    if (const auto* text = std::get_if<std::string>(&value)) return text_text(*text, type);
    return integer_text(std::get<fast::WideInteger>(value));
}

std::string entry_text(const fast::EntryContent& content, FieldType type) {
    switch (content.status) {
        case EntryStatus::undefined:
            return "nothing";
        case EntryStatus::empty:
            return "\"absent\"";
        case EntryStatus::assigned:
            return value_text(content.value, type);
    }
    return "";
}

bool same(const fast::EntryContent& a, const fast::EntryContent& b) {
    return a.status == b.status && (a.status != EntryStatus::assigned || a.value == b.value);
}

// ---- the columns
// -------------------------------------------------------------------------------------------

enum Column : std::size_t { byte_column, wire_column, field_column, type_column, value_column, entry_column };
constexpr std::size_t column_count = 6;
constexpr std::array<std::size_t, column_count> column_width_min = {6, 6, 12, 8, 6, 10};
// Wider cells push the rest of their own line to the right, and no other.
constexpr std::array<std::size_t, column_count> column_width_max = {8, 29, 40, 28, 28, 36};
constexpr std::array<std::string_view, column_count> headings = {"byte", "wire",  "field",
                                                                 "type", "value", "dictionary"};

struct Line {
    std::array<std::string, column_count> cells;
    std::string why;  ///< as long as it likes, at the end
};

std::string map_text(const std::vector<bool>& bits) {
    std::string out;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if (i != 0 && i % 7 == 0) out += ' ';
        out += bits[i] ? '1' : '0';
    }
    return out;
}

std::string type_text(const Step& step) {
    if (step.kind == Step::Kind::reference) return "reference";
    if (step.kind == Step::Kind::template_id) return "uInt32 copy";
    if (step.kind == Step::Kind::presence_map || step.kind == Step::Kind::element ||
        step.kind == Step::Kind::dictionaries_reset)
        return "";
    std::string out(step.kind == Step::Kind::field && step.definition != nullptr
                        ? fast::type_name(step.type, &step.definition->presentation)
                        : name_of(step.type));
    if (step.optional) out = "optional " + out;
    if (step.op != Operator::none) out += ' ' + std::string(name_of(step.op));
    return out;
}

std::string shown_value(const Step& step) {
    switch (step.kind) {
        case Step::Kind::presence_map:
            return map_text(step.map);
        case Step::Kind::group:
            return step.value ? "" : "absent";
        case Step::Kind::element:
        case Step::Kind::dictionaries_reset:
        case Step::Kind::end:
        case Step::Kind::error:
            return "";
        case Step::Kind::sequence:
            if (!step.value) return "absent";
            return value_text(*step.value, FieldType::u32) +
                   (std::get<fast::WideInteger>(*step.value) == 1 ? " entry" : " entries");
        case Step::Kind::reference:
            return step.value ? std::get<std::string>(*step.value) : "";
        case Step::Kind::template_id:
        case Step::Kind::field:
        case Step::Kind::part:
            break;
    }
    if (!step.value) return "absent";
    std::string out = value_text(*step.value, step.type);
    if (step.definition == nullptr || step.kind != Step::Kind::field) return out;
    const fast::Presentation& presentation = step.definition->presentation;
    if (presentation.kind == fast::PresentationKind::plain) return out;
    const std::string meaning =
        presentation.text(static_cast<std::uint64_t>(std::get<fast::WideInteger>(*step.value)));
    return meaning.empty() ? out : out + " (" + meaning + ')';
}

std::string dictionary_text(const Step& step) {
    if (!step.entry) return "";
    const FieldType type = step.kind == Step::Kind::sequence ? FieldType::u32 : step.type;
    const std::string before = entry_text(step.before, type);
    return same(step.before, step.after) ? before + ", kept" : before + " → " + entry_text(step.after, type);
}

std::string difference_text(const Step& step) {
    if (!step.sent || !step.base) return "a difference was sent";
    const std::string base = value_text(*step.base, step.type) +
                             (step.before.status == EntryStatus::assigned ? "" : ", for nothing came before");
    if (step.removed) {
        const bool at_front = *step.removed < 0;
        const fast::WideInteger count = at_front ? -*step.removed - 1 : *step.removed;
        return fmt::format("cut {} at the {}, put {} there: of {}", integer_text(count),
                           at_front ? "front" : "end", value_text(*step.sent, step.type), base);
    }
    if (const auto* decimal = std::get_if<Decimal>(&*step.sent))
        return fmt::format("exponent {:+} and mantissa {:+} to {}", decimal->exponent, decimal->mantissa,
                           base);
    const auto delta = std::get<fast::WideInteger>(*step.sent);
    return fmt::format("the difference {}{} to {}", delta < 0 ? "" : "+", integer_text(delta), base);
}

// Without the bit, which is told before it.
std::string source_text(const Step& step) {
    switch (step.source) {
        case Source::wire:
            return step.entry ? "sent, and remembered" : "sent";
        case Source::null:
            return "NULL was sent: the field is absent";
        case Source::constant:
            return "fixed by the template, never sent";
        case Source::initial:
            return step.entry ? "nothing came before: the template's initial value"
                              : "the template's default";
        case Source::previous:
            return step.kind == Step::Kind::template_id ? "the one before" : "the value before";
        case Source::previous_plus_one:
            return "the value before plus 1";
        case Source::difference:
            return difference_text(step);
        case Source::end_replaced:
            return fmt::format("the end of {} becomes {}", value_text(*step.base, step.type),
                               value_text(*step.sent, step.type));
        case Source::bit_clear:
            return "the field is absent";
    }
    return "";
}

std::string report_text(std::uint8_t reports) {
    std::string out;
    for (std::size_t i = 0; i < fast::report_count; ++i) {
        if ((reports >> i & 1u) == 0) continue;
        const Errc error = errc_of(static_cast<fast::Report>(i));
        out += fmt::format("; {}: {}", code(error), describe(error));
    }
    return out;
}

// The entry's name where it is not simply the field's own in the global dictionary.
std::string entry_note(const Step& step) {
    if (!step.entry || step.definition == nullptr) return "";
    const bool is_plain = step.entry->dictionary == "global" && step.entry->key == step.definition->name;
    const bool is_generated = !step.entry->key.local.empty() && step.entry->key.local.front() == '\x03';
    if (is_plain || is_generated) return "";
    return fmt::format("; entry {} of dictionary {}", shown_key(*step.entry), step.entry->dictionary);
}

std::string why_text(const Step& step) {
    std::string out;
    switch (step.kind) {
        case Step::Kind::dictionaries_reset:
            return "dictionaries are forgotten " + step.name;
        case Step::Kind::presence_map:
            return "a bit for each field below that names one" + report_text(step.reports);
        case Step::Kind::reference:
            return "a whole message inside this one";
        case Step::Kind::group:
            return step.bit == 0 ? "" : fmt::format("bit {} is {}", step.bit, step.bit_is_set ? 1 : 0);
        case Step::Kind::element:
        case Step::Kind::end:
        case Step::Kind::error:
            return "";
        case Step::Kind::field:
            if (step.definition->individual_operators) return step.value ? "from its two parts" : "absent";
            break;
        case Step::Kind::template_id:
        case Step::Kind::part:
        case Step::Kind::sequence:
            break;
    }
    if (step.bit != 0) out = fmt::format("bit {} is {}: ", step.bit, step.bit_is_set ? 1 : 0);
    return out + source_text(step) + entry_note(step) + report_text(step.reports);
}

std::string name_text(const Step& step) {
    std::string out(2 * std::size_t{step.depth}, ' ');
    if (step.kind == Step::Kind::dictionaries_reset) return "";  // told at the end of the line
    if (step.kind != Step::Kind::element) return out + step.name;
    return out + fmt::format("{} {} of {}", step.name, step.count + 1,
                             integer_text(std::get<fast::WideInteger>(*step.value)));
}

Line line_of(const Step& step, std::span<const std::byte> datagram, std::uint64_t offset) {
    const std::string_view bytes(reinterpret_cast<const char*>(datagram.data()), datagram.size());
    Line line;
    line.cells[byte_column] = fmt::format("{:>6}", offset + step.begin);
    const bool is_told_by_parts =
        step.kind == Step::Kind::field && step.definition != nullptr && step.definition->individual_operators;
    if (!is_told_by_parts)
        line.cells[wire_column] = bytes_text(bytes.substr(step.begin, step.end - step.begin));
    line.cells[field_column] = name_text(step);
    line.cells[type_column] = type_text(step);
    line.cells[value_column] = shown_value(step);
    line.cells[entry_column] = dictionary_text(step);
    line.why = why_text(step);
    return line;
}

// What was being decoded when decoding stopped has no value, not even the one of being absent.
void leave_open(Line& line) {
    if (line.cells[value_column] == "absent") line.cells[value_column] = "?";
    line.cells[entry_column].clear();
    line.why.clear();
}

// Cells are counted in characters, as they are seen.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::array<std::size_t, column_count> widths_of(const std::vector<Line>& lines) {
    std::array<std::size_t, column_count> widths = column_width_min;
    for (const Line& line : lines)
        for (std::size_t i = 0; i < column_count; ++i)
            widths[i] = std::clamp(width_of(line.cells[i]), widths[i], column_width_max[i]);
    return widths;
}

void append_line(std::string& out, const Line& line, const std::array<std::size_t, column_count>& widths) {
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < column_count; ++i) {
        out += line.cells[i];
        const std::size_t width = width_of(line.cells[i]);
        out.append(width < widths[i] ? widths[i] - width + 2 : 2, ' ');
    }
    out += line.why;
    while (out.size() > begin && out.back() == ' ')
        out.pop_back();
    out += '\n';
}

// The field that was being decoded: the last line before the error that is one.
std::string error_text(const fast::ExplainedMessage& message, std::span<const std::byte> datagram,
                       std::uint64_t offset) {
    const Step& stop = message.steps.back();
    std::string what = "the message";
    for (std::size_t i = message.steps.size() - 1; i-- > 0;) {
        const Step::Kind kind = message.steps[i].kind;
        if (kind == Step::Kind::end || kind == Step::Kind::element || kind == Step::Kind::dictionaries_reset)
            continue;
        what = message.steps[i].name;
        break;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(datagram.data()), datagram.size());
    const std::string_view rest = bytes.substr(std::min(stop.begin, bytes.size()));
    return fmt::format(
        "{:>6}  *** {} at {}: {}\n        bytes from there on: {}; nothing behind this is decoded\n",
        offset + stop.begin, code(stop.error), what, describe(stop.error),
        rest.empty() ? "none" : bytes_text(rest));
}

std::string heading(const fast::ExplainedMessage& message, std::uint64_t number, std::uint64_t offset,
                    const std::string& where) {
    std::string out = fmt::format("message {}: {}", number, where);
    out += message.end == message.start
               ? fmt::format("byte {}", offset + message.start)
               : fmt::format("bytes {} to {}", offset + message.start, offset + message.end - 1);
    if (message.tmpl != nullptr)
        out += fmt::format(", template {}, id {}, {}:{}", label_of(*message.tmpl), message.template_id,
                           message.tmpl->file, message.tmpl->line);
    return out + '\n';
}

}  // namespace

std::string explain_legend() {
    return "How to read this. A message is a presence map, the number of its template, and the template's "
           "fields in\n"
           "order. Each byte carries seven bits; the eighth, 80, is set in the last byte of a value. An "
           "operator lets a\n"
           "field do without bytes: then it has a bit in the map, 1 when bytes are there, 0 when its value "
           "comes from\n"
           "the template or from the dictionary, which remembers values from one message to the next.\n\n";
}

std::string explain_text(const fast::ExplainedMessage& message, std::span<const std::byte> datagram,
                         std::uint64_t number, std::uint64_t offset, const std::string& where) {
    std::vector<Line> lines;
    for (const Step& step : message.steps)
        if (step.kind != Step::Kind::end && step.kind != Step::Kind::error)
            lines.push_back(line_of(step, datagram, offset));
    if (!message.is_complete) leave_open(lines.back());
    const std::array<std::size_t, column_count> widths = widths_of(lines);
    std::string out = heading(message, number, offset, where);
    Line head;
    for (std::size_t i = 0; i < column_count; ++i)
        head.cells[i] = headings[i];
    head.cells[byte_column].insert(0, 2, ' ');
    head.why = "where the value comes from";
    append_line(out, head, widths);
    for (const Line& line : lines)
        append_line(out, line, widths);
    if (!message.is_complete) out += error_text(message, datagram, offset);
    return out;
}

}  // namespace tickpath::cli
