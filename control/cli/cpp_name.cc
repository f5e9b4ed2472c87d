#include "control/cli/cpp_name.h"

#include <algorithm>
#include <array>

namespace tickpath::cli {
namespace {

// [lex.key] and the alternative tokens of C++20.
bool is_keyword(std::string_view name) {
    static constexpr std::array<std::string_view, 92> keywords = {
        "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
        "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
        "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
        "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
        "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
        "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
        "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
        "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
        "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
        "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
        "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
        "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
        "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
        "xor_eq"};
    return std::ranges::find(keywords, name) != keywords.end();
}

}  // namespace

bool is_namespace(std::string_view text) {
    const auto is_start = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    bool begins_name = true;
    std::string_view name = text;  // which begins here
    while (!text.empty()) {
        if (!begins_name && text.starts_with("::")) {
            if (is_keyword(name.substr(0, name.size() - text.size()))) return false;
            begins_name = true;
            text.remove_prefix(2);
            name = text;
            continue;
        }
        const bool is_digit = text[0] >= '0' && text[0] <= '9';
        if (!is_start(text[0]) && (begins_name || !is_digit)) return false;
        begins_name = false;
        text.remove_prefix(1);
    }
    return !begins_name && !is_keyword(name);
}

}  // namespace tickpath::cli
