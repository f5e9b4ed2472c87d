// Order templates from XML. Cold.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <pugixml.hpp>

#include "decoders/base/whole_file.h"
#include "decoders/fix/message_template.h"
#include "decoders/fix/tags.h"

namespace tickpath::fix {
namespace {

struct SlotName {
    std::string_view name;
    Slot slot;
    std::uint32_t tag;
    bool is_required;  ///< ord_type and time_in_force may be constants
};
constexpr std::array<SlotName, 8> slot_names = {
    {{"cl_ord_id", Slot::cl_ord_id, tag::cl_ord_id, true},
     {"symbol", Slot::symbol, tag::symbol, true},
     {"side", Slot::side, tag::side, true},
     {"transact_time", Slot::transact_time, tag::transact_time, true},
     {"order_qty", Slot::order_qty, tag::order_qty, true},
     {"ord_type", Slot::ord_type, tag::ord_type, false},
     {"price", Slot::price, tag::price, true},
     {"time_in_force", Slot::time_in_force, tag::time_in_force, false}}};

// Written by the session or the template itself; a template that names one of them would send it twice.
constexpr std::array<std::uint32_t, 8> header_and_trailer = {8, 9, 10, 34, 35, 49, 52, 56};

class Loader {
public:
    Loader(std::string_view xml, std::string_view file_name, Diagnostics& diagnostics)
        : xml_(xml), file_name_(file_name), diagnostics_(diagnostics) {}

    std::optional<OrderTemplate> load() {
        pugi::xml_document document;
        const auto parsed = document.load_buffer(xml_.data(), xml_.size());
        if (!parsed) {
            error(parsed.offset, std::string("not well-formed XML: ") + parsed.description());
            return std::nullopt;
        }
        const pugi::xml_node root = document.child("order-template");
        if (!root) {
            error(0, "the root element must be <order-template>");
            return std::nullopt;
        }
        read_root(root);
        for (const pugi::xml_node node : root.children())
            if (node.type() == pugi::node_element) read_field(node);
        check_slots(root);
        if (failed_) return std::nullopt;
        return result_;
    }

private:
    void read_root(pugi::xml_node root) {
        allow_only(root, {"msgtype"});
        result_.msg_type = root.attribute("msgtype").as_string();
        if (result_.msg_type.empty() || result_.msg_type.find(soh) != std::string::npos)
            error(root.offset_debug(), "<order-template> needs msgtype, as in msgtype=\"D\"");
    }

    void read_field(pugi::xml_node node) {
        if (std::string_view(node.name()) != "field")
            return error(node.offset_debug(),
                         std::string("<") + node.name() + "> is not known here (expected <field>)");
        allow_only(node, {"tag", "name", "slot", "value"});
        TemplateField field;
        const auto tag = parse_unsigned(node.attribute("tag").as_string());
        if (!tag || *tag == 0 || *tag > 999'999'999)
            return error(node.offset_debug(), "<field> needs a tag number, as in tag=\"55\"");
        field.tag = static_cast<std::uint32_t>(*tag);
        const std::string place = "field " + std::to_string(field.tag);
        if (std::find(header_and_trailer.begin(), header_and_trailer.end(), field.tag) !=
            header_and_trailer.end())
            return error(node.offset_debug(),
                         place + " belongs to the session and must not be in a template");
        if (std::any_of(result_.fields.begin(), result_.fields.end(),
                        [&](const TemplateField& other) { return other.tag == field.tag; }))
            return error(node.offset_debug(), place + " is there twice");
        const pugi::xml_attribute slot = node.attribute("slot"), value = node.attribute("value");
        if (slot.empty() == value.empty())
            return error(node.offset_debug(), place + " needs either slot or value");
        if (!value.empty()) {
            field.constant = value.as_string();
            if (field.constant.empty() || field.constant.find(soh) != std::string::npos)
                return error(node.offset_debug(), place + ": the value must not be empty or hold SOH");
        } else if (!read_slot(node, slot.as_string(), field)) {
            return;
        }
        result_.fields.push_back(std::move(field));
    }

    bool read_slot(pugi::xml_node node, std::string_view name, TemplateField& field) {
        const auto known = std::find_if(slot_names.begin(), slot_names.end(),
                                        [&](const SlotName& entry) { return entry.name == name; });
        if (known == slot_names.end()) {
            std::vector<std::string_view> names;
            for (const SlotName& entry : slot_names)
                names.push_back(entry.name);
            const std::string_view near = nearest_spelling(name, names);
            error(node.offset_debug(),
                  "slot \"" + std::string(name) + "\" is not known" +
                      (near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?"));
            return false;
        }
        if (known->tag != field.tag) {
            error(node.offset_debug(), "slot \"" + std::string(name) + "\" is for field " +
                                           std::to_string(known->tag) + ", not " + std::to_string(field.tag));
            return false;
        }
        field.slot = known->slot;
        return true;
    }

    void check_slots(pugi::xml_node root) {
        for (const SlotName& entry : slot_names) {
            const bool is_there =
                std::any_of(result_.fields.begin(), result_.fields.end(),
                            [&](const TemplateField& field) { return field.slot == entry.slot; });
            if (entry.is_required && !is_there)
                error(root.offset_debug(), "field " + std::to_string(entry.tag) + " with slot=\"" +
                                               std::string(entry.name) + "\" is missing");
        }
    }

    void allow_only(pugi::xml_node node, const std::vector<std::string_view>& names) {
        for (const pugi::xml_attribute attribute : node.attributes()) {
            if (std::find(names.begin(), names.end(), attribute.name()) != names.end()) continue;
            const std::string_view near = nearest_spelling(attribute.name(), names);
            error(node.offset_debug(), std::string("attribute ") + attribute.name() + " is not known" +
                                           (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
        }
    }

    void error(std::ptrdiff_t offset, std::string text) {
        failed_ = true;
        const auto at = offset < 0 ? std::size_t{0} : static_cast<std::size_t>(offset);
        diagnostics_.error(file_name_, position_of(xml_, at).line, std::move(text));
    }

    std::string_view xml_;
    std::string_view file_name_;
    Diagnostics& diagnostics_;
    OrderTemplate result_;
    bool failed_ = false;
};

}  // namespace

std::optional<OrderTemplate> load_order_template(std::string_view xml, std::string_view file_name,
                                                 Diagnostics& diagnostics) {
    return Loader(xml, file_name, diagnostics).load();
}

std::optional<OrderTemplate> load_order_template_file(const std::string& path, Diagnostics& diagnostics) {
    const FileContent content = read_whole_file(path, xml_bytes_max);
    if (!content) {
        diagnostics.error(path, 0, content.why, content.error);
        return std::nullopt;
    }
    return load_order_template(content.bytes, path, diagnostics);
}

OrderTemplate default_order_template() {
    OrderTemplate order;
    for (const Slot slot : {Slot::cl_ord_id, Slot::symbol, Slot::side, Slot::transact_time, Slot::order_qty,
                            Slot::ord_type, Slot::price, Slot::time_in_force}) {
        const auto known = std::find_if(slot_names.begin(), slot_names.end(),
                                        [&](const SlotName& entry) { return entry.slot == slot; });
        order.fields.push_back({.tag = known->tag, .slot = slot, .constant = {}});
    }
    return order;
}

}  // namespace tickpath::fix
