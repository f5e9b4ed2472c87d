#include "control/config/attribute_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace tickpath::config {
namespace {

constexpr int decimal_digits_accepted = 18;  // any such mantissa fits int64

std::string joined(std::span<const std::string_view> known) {
    std::string out;
    for (const std::string_view word : known)
        out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
}

bool is_separator(char c) {
    return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r';
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> found;
    auto at = text.begin();
    while (true) {
        at = std::find_if_not(at, text.end(), is_separator);
        if (at == text.end()) return found;
        const auto end = std::find_if(at, text.end(), is_separator);
        found.emplace_back(at, end);
        at = end;
    }
}

std::string describe(Range range) {
    std::string text = range.is_power_of_two ? "a power of two" : "a number";
    text += " from " + std::to_string(range.min) + " to " + std::to_string(range.max);
    return range.unit.empty() ? text : text + " (" + std::string(range.unit) + ')';
}

bool is_within(std::int64_t number, Range range) {
    if (number < range.min || number > range.max) return false;
    return !range.is_power_of_two || std::has_single_bit(static_cast<std::uint64_t>(number));
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) noexcept {
    Decimal decimal;
    int digits = 0;
    bool has_point = false;
    for (const char c : text) {
        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (c < '0' || c > '9' || ++digits > decimal_digits_accepted) return std::nullopt;
        decimal.mantissa = decimal.mantissa * 10 + (c - '0');
        if (has_point) --decimal.exponent;
    }
    if (digits == 0) return std::nullopt;
    return decimal;
}

AttributeReader::AttributeReader(Document& document, pugi::xml_node node, const std::filesystem::path& folder)
    : document_(document), node_(node), folder_(folder) {}

const char* AttributeReader::find(std::string_view name, Need need) {
    known_.push_back(name);
    for (const pugi::xml_attribute& attribute : node_.attributes())
        if (attribute.name() == name) return attribute.value();
    if (need == Need::required)
        document_.error(document_.line_of(node_),
                        "<" + std::string(node_.name()) + "> needs the attribute " + std::string(name));
    return nullptr;
}

void AttributeReader::error(std::string_view name, std::string_view found, std::string_view expected) {
    document_.error(document_.line_of(node_, name),
                    std::string(name) + "=\"" + std::string(found) + "\": expected " + std::string(expected));
}

void AttributeReader::text(std::string_view name, std::string& value, Need need) {
    const char* found = find(name, need);
    if (found == nullptr) return;
    if (need == Need::required && *found == '\0') return error(name, found, "a value, it is empty");
    value = found;
}

void AttributeReader::form(std::string_view name, std::string& value, Need need, std::string_view,
                           FormCheck check) {
    const char* found = find(name, need);
    if (found == nullptr) return;
    std::string why_not;
    if (!check(found, why_not))
        return document_.error(document_.line_of(node_, name), std::string(name) + ": " + why_not);
    value = found;
}

void AttributeReader::word(std::string_view name, std::string& value,
                           std::span<const std::string_view> known) {
    const char* found = find(name, Need::optional);
    if (found == nullptr) return;
    if (std::ranges::find(known, std::string_view(found)) == known.end())
        return error(name, found, "one of " + joined(known));
    value = found;
}

void AttributeReader::path(std::string_view name, std::filesystem::path& value, Need need) {
    const char* found = find(name, need);
    if (found == nullptr) return;
    if (*found == '\0') return error(name, found, "a path, it is empty");
    value = (folder_ / found).lexically_normal();
    if (!value.has_filename() && value.has_relative_path())
        value = value.parent_path();  // "store/" is "store"
}

void AttributeReader::yes_no(std::string_view name, bool& value) {
    const char* found = find(name, Need::optional);
    if (found == nullptr) return;
    const std::string_view word = found;
    if (word != "yes" && word != "no") return error(name, word, "yes or no");
    value = word == "yes";
}

void AttributeReader::decimal(std::string_view name, Decimal& value, std::string_view) {
    const char* found = find(name, Need::optional);
    if (found == nullptr) return;
    const std::optional<Decimal> parsed = parse_decimal(found);
    if (!parsed) return error(name, found, "a decimal number of at most 18 digits, like 107.15");
    value = *parsed;
}

void AttributeReader::words(std::string_view name, std::vector<std::string>& value, Need need) {
    const char* found = find(name, need);
    if (found == nullptr) return;
    value = split_words(found);
    if (value.empty()) return error(name, found, "a list of names, it is empty");
    for (auto word = value.begin(); word != value.end(); ++word)
        if (std::find(value.begin(), word, *word) != word)
            error(name, found, "different names, " + *word + " stands twice");
}

void AttributeReader::wide_number(std::string_view name, std::optional<std::int64_t>& value, Range range,
                                  Need need) {
    const char* found = find(name, need);
    if (found == nullptr) return;
    const std::string_view digits = found;
    std::int64_t parsed = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    const bool is_number = failure == std::errc() && end == digits.data() + digits.size();
    if (!is_number || !is_within(parsed, range)) return error(name, digits, describe(range));
    value = parsed;
}

std::vector<AttributeReader::Rest> AttributeReader::rest() {
    std::vector<std::string_view> seen;
    std::vector<Rest> unvisited;
    for (const pugi::xml_attribute& attribute : node_.attributes()) {
        const std::string_view name = attribute.name();
        const std::uint32_t line = document_.line_of(node_, name);
        const bool is_repeated = std::ranges::find(seen, name) != seen.end();
        if (is_repeated)
            document_.error(line,
                            "attribute " + std::string(name) + " stands twice in <" + node_.name() + ">");
        seen.push_back(name);
        if (!is_repeated && std::ranges::find(known_, name) == known_.end())
            unvisited.push_back({.name = std::string(name), .text = attribute.value(), .line = line});
    }
    return unvisited;
}

void AttributeReader::finish() {
    for (const Rest& unknown : rest()) {
        std::string text = "unknown attribute " + unknown.name + " of <" + node_.name() + ">";
        const std::string_view near = nearest_spelling(unknown.name, known_);
        if (!near.empty()) text += ", did you mean " + std::string(near) + "?";
        document_.error(unknown.line, std::move(text));
    }
}

}  // namespace tickpath::config
