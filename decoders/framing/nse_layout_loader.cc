// Layout files into tables. Everything wrong is reported with its line; what is accepted lies inside its
// message, at places that the exchange's packing rule allows.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "decoders/base/whole_file.h"
#include "decoders/framing/nse_layout.h"
#include "decoders/framing/presets.h"
#include "decoders/framing/xml_reader.h"

namespace tickpath::framing::nse {
namespace {

constexpr std::uint32_t message_length_max = message_bytes_max - prefix_bytes;
constexpr int repeats_deep_max = 2;

struct NumberType {
    std::string_view name;
    FieldType type;
    std::uint16_t bytes;
};
constexpr auto number_types = std::to_array<NumberType>({{"u8", FieldType::u8, 1},
                                                         {"i16", FieldType::i16, 2},
                                                         {"u16", FieldType::u16, 2},
                                                         {"i32", FieldType::i32, 4},
                                                         {"u32", FieldType::u32, 4},
                                                         {"i64", FieldType::i64, 8},
                                                         {"u64", FieldType::u64, 8},
                                                         {"f64", FieldType::f64, 8}});

/// One file. Offsets are judged against the room that is around them: the message, or a record's stride.
class LayoutReader {
public:
    explicit LayoutReader(XmlReader& in) : in_(in) {}

    [[nodiscard]] std::vector<Layout> read(pugi::xml_node root) {
        std::vector<Layout> layouts;
        in_.expect_children(root, {"message"});
        for (const pugi::xml_node node : root.children("message"))
            read_message(node, layouts);
        return layouts;
    }

private:
    void read_message(pugi::xml_node node, std::vector<Layout>& layouts) {
        in_.expect_attributes(node, {"segment", "code", "length", "header"});
        Layout layout;
        layout.line = in_.line(node);
        layout.length = static_cast<std::int16_t>(
            in_.number(node, "length", header_bytes, header_bytes, message_length_max));
        if (!node.attribute("length")) (void)in_.required_text(node, "length");
        layout.has_header =
            in_.choice<bool>(node, "header", {{"common", true}, {"own", false}}, std::optional(true));
        layout.body.count_max = 1;
        layout.body.stride = static_cast<std::uint16_t>(layout.length);
        message_ = &layout.body;
        read_content(node, layout.body, 0);
        for (const std::string& segment : words_of(in_.required_text(node, "segment"))) {
            for (const std::string& code : words_of(in_.required_text(node, "code"))) {
                layout.segment = segment_named(node, segment);
                layout.transcode = transcode_of(node, code);
                add(node, layout, layouts);
            }
        }
    }

    void add(pugi::xml_node node, const Layout& layout, std::vector<Layout>& layouts) {
        const auto is_same = [&](const Layout& other) {
            return other.segment == layout.segment && other.transcode == layout.transcode &&
                   other.length == layout.length;
        };
        if (std::ranges::any_of(layouts, is_same))
            in_.error(node, "a second layout of transcode " + std::to_string(layout.transcode) +
                                " at length " + std::to_string(layout.length));
        layouts.push_back(layout);
    }

    Segment segment_named(pugi::xml_node node, const std::string& name) {
        if (name == "fo") return Segment::fo;
        if (name == "cm") return Segment::cm;
        if (name == "cd") return Segment::cd;
        in_.error(node, "segment " + name + " is not one of fo, cm, cd");
        return Segment::unknown;
    }
    std::int16_t transcode_of(pugi::xml_node node, const std::string& text) {
        const std::optional<std::uint32_t> code = number_of(text);
        if (code && *code >= 1 && *code <= 32'767) return static_cast<std::int16_t>(*code);
        in_.error(node, "code " + text + " is not a number from 1 to 32767");
        return 0;
    }

    void read_content(pugi::xml_node node, Repeat& into, int depth) {
        in_.expect_children(node, {"field", "repeat"});
        std::vector<bool> taken(into.stride);
        for (const pugi::xml_node child : node.children()) {
            if (std::string_view(child.name()) == "field") {
                into.fields.push_back(read_field(child, into, taken));
            } else if (std::string_view(child.name()) == "repeat") {
                if (depth == repeats_deep_max) {
                    in_.error(child, "repeats lie at most " + std::to_string(repeats_deep_max) + " deep");
                } else {
                    into.repeats.push_back(read_repeat(child, into, taken, depth + 1));
                }
            }
        }
    }

    Field read_field(pugi::xml_node node, const Repeat& around, std::vector<bool>& taken) {
        in_.expect_attributes(node, {"name", "type", "offset"});
        Field field;
        field.name = new_name(node, around);
        read_type(node, field);
        field.offset = offset_of(node, around.stride);
        const bool is_number = field.type != FieldType::text && field.type != FieldType::bytes;
        if (is_number && field.bytes > 1 && field.offset % 2 != 0)
            in_.error(node, "offset " + std::to_string(field.offset) +
                                " is odd: by pragma pack(2) only characters lie at odd offsets");
        take(node, taken, field.offset, field.bytes);
        return field;
    }

    void read_type(pugi::xml_node node, Field& field) {
        const std::string type = in_.required_text(node, "type");
        for (const NumberType& known : number_types) {
            if (known.name != type) continue;
            field.type = known.type;
            field.bytes = known.bytes;
            return;
        }
        if (read_characters(type, "char", FieldType::text, field)) return;
        if (read_characters(type, "bytes", FieldType::bytes, field)) return;
        if (!type.empty())
            in_.error(node, "type " + type + " is not one of u8, i16, u16, i32, u32, i64, u64, f64, char, " +
                                "char[N], bytes[N]");
    }

    /// "char", "char[10]".
    static bool read_characters(std::string_view type, std::string_view name, FieldType meaning,
                                Field& field) {
        if (!type.starts_with(name)) return false;
        type.remove_prefix(name.size());
        std::uint32_t bytes = 1;
        if (!type.empty()) {
            if (type.front() != '[' || type.back() != ']' || type.size() < 3) return false;
            bytes = number_of(type.substr(1, type.size() - 2)).value_or(0);
        }
        if (bytes == 0 || bytes > message_length_max) return false;
        field.type = meaning;
        field.bytes = static_cast<std::uint16_t>(bytes);
        return true;
    }

    Repeat read_repeat(pugi::xml_node node, const Repeat& around, std::vector<bool>& taken, int depth) {
        in_.expect_attributes(node, {"name", "count", "max", "offset", "stride"});
        Repeat repeat;
        repeat.name = new_name(node, around);
        repeat.offset = offset_of(node, around.stride);
        repeat.stride = static_cast<std::uint16_t>(in_.number(node, "stride", 1, 1, message_length_max));
        if (!node.attribute("stride")) (void)in_.required_text(node, "stride");
        read_count(node, repeat);
        if (repeat.stride % 2 != 0 || repeat.offset % 2 != 0)
            in_.error(node, "records begin and end at even offsets (pragma pack(2))");
        take(node, taken, repeat.offset, std::size_t{repeat.stride} * repeat.count_max);
        read_content(node, repeat, depth);
        return repeat;
    }

    /// A number, or a field of the message that holds one, then with `max`.
    void read_count(pugi::xml_node node, Repeat& repeat) {
        const std::string count = in_.required_text(node, "count");
        const bool is_fixed = number_of(count).has_value();
        repeat.count_max = static_cast<std::uint16_t>(
            in_.number(node, is_fixed ? "count" : "max", 1, 1, message_length_max));
        if (is_fixed == !node.attribute("max").empty())
            in_.error(node, is_fixed ? "max goes with a count that is a field's name, and only with it"
                                     : "<repeat> needs max=\"…\": the records there is room for");
        if (is_fixed) return;
        const Field* const field = message_->find(count);
        if (field == nullptr || field->type == FieldType::f64 || field->type == FieldType::text ||
            field->type == FieldType::bytes) {
            in_.error(node, "count=\"" + count + "\" is neither a number nor an integer field of the " +
                                "message that stands before");
            return;
        }
        repeat.count_field = *field;
    }

    std::string new_name(pugi::xml_node node, const Repeat& around) {
        std::string name = in_.required_text(node, "name");
        if (around.find(name) != nullptr || around.find_repeat(name) != nullptr)
            in_.error(node, "a second " + name);
        return name;
    }
    std::uint16_t offset_of(pugi::xml_node node, std::uint16_t room) {
        if (!node.attribute("offset")) (void)in_.required_text(node, "offset");
        return static_cast<std::uint16_t>(in_.number(node, "offset", 0, 0, room));
    }

    /// Marks the bytes as used; outside the message or record, or used before, is an error.
    void take(pugi::xml_node node, std::vector<bool>& taken, std::size_t offset, std::size_t bytes) {
        if (offset + bytes > taken.size()) {
            in_.error(node, "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                                " lie outside: there are " + std::to_string(taken.size()));
            return;
        }
        const auto first = taken.begin() + static_cast<std::ptrdiff_t>(offset);
        const auto last = first + static_cast<std::ptrdiff_t>(bytes);
        if (std::find(first, last, true) != last)
            in_.error(node, "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                                " belong in part to an earlier field");
        std::fill(first, last, true);
    }

    XmlReader& in_;
    const Repeat* message_ = nullptr;
};

}  // namespace

bool Layouts::add(std::string_view xml, std::string_view file_name, Diagnostics& diagnostics) {
    std::vector<Layout> read;
    const auto read_all = [&](XmlReader& in, pugi::xml_node root) { read = LayoutReader(in).read(root); };
    if (!read_xml(xml, file_name, "messages", diagnostics, read_all)) return false;
    for (Layout& layout : read) {
        const auto is_same = [&](const Layout& other) {
            return other.segment == layout.segment && other.transcode == layout.transcode &&
                   other.length == layout.length;
        };
        std::erase_if(all_, is_same);
        all_.push_back(std::move(layout));
    }
    index_all();
    return true;
}

std::optional<Layouts> load_layouts(const std::string& file, Diagnostics& diagnostics) {
    Layouts layouts;
    bool is_good = true;
    for (const LayoutFile& preset : nse_layout_files())
        is_good = layouts.add(preset.xml, preset.name, diagnostics) && is_good;
    if (!file.empty()) {
        const FileContent content = read_whole_file(file, xml_bytes_max);
        if (!content) {
            diagnostics.error(file, 0, content.why, content.error);
            return std::nullopt;
        }
        is_good = layouts.add(content.bytes, file, diagnostics) && is_good;
    }
    if (!is_good) return std::nullopt;
    return layouts;
}

}  // namespace tickpath::framing::nse
