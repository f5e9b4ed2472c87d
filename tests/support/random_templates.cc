#include "tests/support/random_templates.h"

namespace tickpath::test {
namespace {

using namespace std::string_literals;

const std::string scalar_types[] = {"int32",   "uInt32", "int64",   "uInt64",
                                    "decimal", "string", "unicode", "byteVector"};
// Of FAST 1.2: integers on the wire.
const std::string later_types[] = {"int8", "uInt8", "int16", "uInt16", "enum", "boolean", "set", "timestamp"};

bool is_text(const std::string& type) {
    return type == "string" || type == "unicode" || type == "byteVector";
}

std::string open_tag(const std::string& type, const std::string& name, bool is_optional) {
    const std::string element = type == "unicode" ? "string" : type;
    return '<' + element + " name=\"" + name + '"' + (type == "unicode" ? " charset=\"unicode\"" : "") +
           (is_optional ? " presence=\"optional\"" : "") + '>';
}

std::string close_tag(const std::string& type) {
    return "</" + (type == "unicode" ? "string"s : type) + ">";
}

}  // namespace

std::string RandomTemplates::xml() {
    is_wide_ = chance(10);
    std::string out = "<templates" + (chance(20) ? " dictionary=\"template\""s : "") + ">\n";
    out += "<template name=\"block\">" + (chance(30) ? "<typeRef name=\"B\"/>"s : "") + instructions(1, 3) +
           "</template>\n";
    for (unsigned id = 1; id <= 3; ++id) {
        out += "<template name=\"t" + std::to_string(id) + "\" id=\"" + std::to_string(id) + '"';
        if (id == 3 && chance(50)) out += " reset=\"Y\"";
        if (chance(20)) out += " dictionary=\"type\"";
        out += '>';
        if (chance(30)) out += "<typeRef name=\"T" + std::to_string(below(2)) + "\"/>";
        out += instructions(0, is_wide_ && id == 1 ? 80 : 1 + static_cast<unsigned>(below(8)));
        out += "</template>\n";
    }
    return out + "</templates>";
}

std::string RandomTemplates::instructions(unsigned depth, unsigned count) {
    std::string out;
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t kind = depth >= 3 ? 99 : below(100);
        const bool is_optional = chance(50);
        const unsigned inside = static_cast<unsigned>(below(4));
        if (kind < 8) {
            out +=
                open_tag("group", name(), is_optional) + instructions(depth + 1, inside) + close_tag("group");
        } else if (kind < 18) {
            out += open_tag("sequence", name(), is_optional);
            if (chance(60)) {
                const std::string name_attribute = chance(60) ? " name=\"" + name() + '"' : ""s;
                out += "<length" + name_attribute + '>' +
                       (chance(50) ? operator_xml("length", is_optional) : "") + "</length>";
            }
            out += instructions(depth + 1, inside) + close_tag("sequence");
        } else if (kind < 21 && depth == 0) {
            out += "<templateRef name=\"block\"/>";
        } else if (kind < 23 && depth == 0) {
            out += "<templateRef/>";
        } else {
            out += scalar();
        }
    }
    return out;
}

std::string RandomTemplates::scalar() {
    const std::string type = chance(15) ? later_types[below(8)] : scalar_types[below(8)];
    const bool is_optional = is_wide_ || chance(50);
    const std::string head = open_tag(type, name(), is_optional);
    if (type == "decimal" && chance(50)) return decimal_parts(head) + close_tag(type);
    const bool has_operator = is_wide_ || chance(75);
    const bool has_elements = type == "enum" || type == "set";
    return head + (has_elements ? "<element name=\"A\"/><element name=\"B\"/><element name=\"C\"/>" : "") +
           (has_operator ? operator_xml(type, is_optional) : "") + close_tag(type);
}

std::string RandomTemplates::decimal_parts(const std::string& head) {
    const bool is_optional = head.find("optional") != std::string::npos;
    std::string out = head;
    if (chance(80)) out += "<exponent>" + operator_xml("exponent", is_optional) + "</exponent>";
    if (chance(80)) out += "<mantissa>" + operator_xml("mantissa", false) + "</mantissa>";
    return out;
}

std::string RandomTemplates::operator_xml(const std::string& type, bool is_optional) {
    std::vector<std::string> operators = {"constant", "default", "copy"};
    if (type != "length" || chance(50)) operators.push_back("delta");
    if (is_text(type)) operators.push_back("tail");
    if (!is_text(type) && type != "decimal") operators.push_back("increment");
    const std::string op = operators[below(operators.size())];
    const bool needs_value = op == "constant" || (op == "default" && !is_optional);
    std::string out = '<' + op;
    if (needs_value || chance(60)) out += " value=\"" + initial(type) + '"';
    // Few keys, so that fields share entries, at times of another type.
    if (op != "constant" && op != "default" && chance(30)) out += " key=\"k" + std::to_string(below(4)) + '"';
    if (chance(15)) out += " dictionary=\"" + (chance(50) ? "global"s : "u"s) + '"';
    return out + "/>";
}

std::string RandomTemplates::initial(const std::string& type) {
    if (type == "byteVector") return chance(20) ? "" : "4142c3";
    if (is_text(type)) return chance(20) ? "" : chance(50) ? "ABC" : "2026";
    if (type == "decimal") return chance(50) ? "120.50" : "-7000";
    if (type == "exponent") return std::to_string(static_cast<int>(below(8)) - 4);
    if (type == "length") return std::to_string(below(4));
    if (type == "int8") return chance(30) ? "127" : std::to_string(static_cast<int>(below(256)) - 128);
    if (type == "uInt8") return chance(30) ? "255" : std::to_string(below(256));
    if (type == "int16" && chance(30)) return "32767";
    if (type == "uInt16" && chance(30)) return "65535";
    if (type == "enum" && chance(50)) return "C";
    if (type == "set" && chance(50)) return "A C";
    if (type == "boolean") return chance(50) ? "true" : "0";
    if (type == "uInt32" && chance(20)) return "4294967295";
    if (type == "uInt64" && chance(20)) return "18446744073709551615";
    if (type == "int32" && chance(20)) return "-2147483648";
    return std::to_string(below(300));
}

void RandomTemplates::message(std::vector<std::byte>& out) {
    const auto put = [&](std::uint64_t value) { out.push_back(static_cast<std::byte>(value)); };
    // The map: mostly one to three bytes, now and then one that does not end where it should.
    const std::uint64_t groups = is_wide_ ? 1 + below(13) : 1 + below(3);
    const bool has_identifier = chance(75);
    for (std::uint64_t i = 0; i < groups; ++i) {
        std::uint64_t bits = chance(50) ? 0x7F & random_() : 0x7F & random_() & random_();
        if (i == 0) bits = has_identifier ? bits | 0x40 : bits & 0x3F;
        put(bits | (i + 1 == groups ? 0x80 : 0));
    }
    if (has_identifier) put(0x80 | (chance(95) ? 1 + below(3) : below(6)));
    const std::uint64_t count = below(is_wide_ ? 200 : 40);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t kind = below(100);
        if (kind < 60) {
            put(0x80 | below(6));
        } else if (kind < 85) {
            put(0x80 | below(128));
        } else if (kind < 90) {
            put(chance(50) ? 0x00 : 0x7F);
        } else {
            put(below(256));
        }
    }
}

std::vector<std::byte> RandomTemplates::datagram() {
    std::vector<std::byte> out;
    for (std::uint64_t i = 0, count = 1 + below(3); i < count; ++i)
        message(out);
    return out;
}

}  // namespace tickpath::test
