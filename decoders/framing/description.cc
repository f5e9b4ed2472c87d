#include "decoders/framing/description.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <span>
#include <utility>

#include "decoders/base/whole_file.h"
#include "decoders/framing/presets.h"
#include "decoders/framing/xml_reader.h"

namespace tickpath::framing {
namespace {

using Reader = XmlReader;

constexpr std::uint32_t chunk_numbers_bytes = 6;  // three numbers of 16 bits

void read_chunks(Reader& in, pugi::xml_node node, Preamble& preamble) {
    if (!node.attribute("chunk_offset")) return;
    preamble.form = PreambleForm::chunked;
    preamble.chunk_offset = in.number(node, "chunk_offset", 0, 0, 63);
    if (preamble.chunk_offset + chunk_numbers_bytes > preamble.bytes)
        in.error(node, "the numbers of chunks, 6 bytes from chunk_offset, do not lie inside the preamble");
    if (preamble.sequence_bytes == 0)
        in.error(node, "chunks are told apart by the packet number: sequence_bytes is missing",
                 Errc::missing);
}

void read_preamble(Reader& in, pugi::xml_node node, Preamble& preamble) {
    preamble.bytes = in.number(node, "preamble_bytes", 0, 0, 64);
    preamble.sequence_offset = in.number(node, "sequence_offset", 0, 0, 63);
    preamble.sequence_bytes = in.number(node, "sequence_bytes", 0, 0, 8);
    if (std::popcount(preamble.sequence_bytes) > 1) in.error(node, "sequence_bytes is 1, 2, 4 or 8");
    if (preamble.sequence_offset + preamble.sequence_bytes > preamble.bytes)
        in.error(node,
                 "the packet number does not lie inside the preamble: sequence_offset + sequence_bytes is " +
                     std::to_string(preamble.sequence_offset + preamble.sequence_bytes) +
                     ", preamble_bytes is " + std::to_string(preamble.bytes));
    if (preamble.sequence_bytes != 0)
        preamble.sequence_order = in.choice<ByteOrder>(
            node, "sequence_order", {{"little", ByteOrder::little}, {"big", ByteOrder::big}});
    read_chunks(in, node, preamble);
}

void read_packet_header(Reader& in, pugi::xml_node node, Preamble& preamble) {
    preamble.form = PreambleForm::header;
    preamble.header_template = in.number(node, "header_template", 0, 1, 0x7FFF'FFFF);
    if (node.attribute("sender")) preamble.sender = in.number(node, "sender", 0, 0, 0xFFFF'FFFF);
    for (const char* name :
         {"preamble_bytes", "sequence_offset", "sequence_bytes", "sequence_order", "chunk_offset"})
        if (node.attribute(name))
            in.error(node, std::string(name) + " has no meaning beside header_template: the header says it");
}

void read_framing(Reader& in, pugi::xml_node node, FeedDescription& feed) {
    in.expect_attributes(node, {"preamble_bytes", "sequence_offset", "sequence_bytes", "sequence_order",
                                "chunk_offset", "header_template", "sender", "messages", "trailing"});
    if (node.attribute("header_template")) {
        read_packet_header(in, node, feed.preamble);
    } else {
        if (node.attribute("sender")) in.error(node, "sender goes with header_template only");
        read_preamble(in, node, feed.preamble);
    }
    feed.messages = in.choice<MessagesPerDatagram>(
        node, "messages", {{"one", MessagesPerDatagram::one}, {"many", MessagesPerDatagram::many}});
    feed.trailing = in.choice<TrailingBytes>(
        node, "trailing", {{"error", TrailingBytes::error}, {"ignore", TrailingBytes::ignore}},
        TrailingBytes::error);
}

// Below the lower ends the decoder's short paths do not look; the upper ones are what its memory could hold.
void read_fast_limits(Reader& in, pugi::xml_node node, FastLimits& limits) {
    limits.sequence_length_max =
        in.number(node, "sequence_length_max", limits.sequence_length_max, 1, 262'144);
    limits.string_bytes_max = in.number(node, "string_bytes_max", limits.string_bytes_max, 8, 65'536);
    limits.map_bytes_max = in.number(node, "map_bytes_max", limits.map_bytes_max, 2, 65'536);
}

void read_fast(Reader& in, pugi::xml_node node, FeedDescription& feed) {
    in.expect_attributes(node, {"templates", "reset", "reset_template", "sequence_length_max",
                                "string_bytes_max", "map_bytes_max"});
    feed.templates_file = in.text(node, "templates");
    feed.reset = in.choice<ResetRule>(node, "reset",
                                      {{"message", ResetRule::message},
                                       {"datagram", ResetRule::datagram},
                                       {"template", ResetRule::template_id},
                                       {"never", ResetRule::never}});
    feed.reset_template_id = in.number(node, "reset_template", 0, 0, 0xFFFF'FFFF);
    const bool has_template = !node.attribute("reset_template").empty();
    if (node && has_template != (feed.reset == ResetRule::template_id))
        in.error(node, "reset_template goes with reset=\"template\", and only with it");
    read_fast_limits(in, node, feed.fast_limits);
}

void read_numbering(Reader& in, pugi::xml_node node, FeedDescription& feed) {
    in.expect_attributes(node, {"source", "field", "restart_backward"});
    feed.number_source = in.choice<NumberSource>(
        node, "source", {{"preamble", NumberSource::preamble}, {"field", NumberSource::field}});
    feed.restart.backward_packets =
        in.number(node, "restart_backward", feed.restart.backward_packets, 1, 1'000'000'000);
    if (!node) return;
    if (feed.number_source == NumberSource::preamble) {
        if (!in.text(node, "field").empty()) in.error(node, "field=\"…\" goes with source=\"field\" only");
        if (!feed.preamble.has_sequence())
            in.error(node, "source=\"preamble\" needs sequence_bytes in <framing>", Errc::missing);
        return;
    }
    if (feed.preamble.form == PreambleForm::chunked)
        in.error(node, "source=\"field\" cannot tell chunks apart; their number is in the preamble");
    feed.number_field = in.required_text(node, "field");
    if (feed.messages == MessagesPerDatagram::many)
        in.error(node, "source=\"field\" numbers packets only where <framing> says messages=\"one\"");
}

void read_window(Reader& in, pugi::xml_node node, Window& window) {
    in.expect_attributes(node, {"packets", "time_us", "line_silence_ms", "reorder_packets"});
    window.packets = in.number(node, "packets", window.packets, 1, 65'536);
    if (!std::has_single_bit(window.packets)) in.error(node, "packets is a power of two");
    window.time_us = in.number(node, "time_us", window.time_us, 0, 60'000'000);
    window.line_silence_ms = in.number(node, "line_silence_ms", window.line_silence_ms, 1, 3'600'000);
    window.reorder_packets = in.number(node, "reorder_packets", window.reorder_packets, 0, 65'536);
}

void read_learned(Reader& in, pugi::xml_node node, LearnedScale& scale) {
    in.expect_attributes(node, {"price_places", "quantity_places"});
    scale.price_places = static_cast<std::int8_t>(in.number(node, "price_places", 0, 0, 18));
    scale.quantity_places = static_cast<std::int8_t>(in.number(node, "quantity_places", 0, 0, 18));
    for (const char* name : {"price_places", "quantity_places"})
        if (node) (void)in.required_text(node, name);
}

/// Values of coded fields: the normaliser looks them up by a byte (dataplane/feed/compiled_feed.h).
std::vector<std::string> read_values(Reader& in, pugi::xml_node node, const char* name) {
    std::vector<std::string> values = words_of(in.text(node, name));
    for (const std::string& value : values) {
        const std::optional<std::uint32_t> number = number_of(value);
        if (value.size() != 1 && (!number || *number > 255))
            in.error(node, std::string(name) + ": \"" + value +
                               "\" is neither one character nor a number below 256");
    }
    return values;
}

void read_action(Reader& in, pugi::xml_node node, ActionMap& action) {
    if (!node) return;
    in.expect_attributes(node, {"field", "add", "change", "remove"});
    action = {in.required_text(node, "field"), read_values(in, node, "add"), read_values(in, node, "change"),
              read_values(in, node, "remove")};
}

void read_type(Reader& in, pugi::xml_node node, EntryTypeMap& type) {
    if (!node) return;
    in.expect_attributes(node, {"field", "bid", "ask", "trade", "empty_book"});
    type = {in.required_text(node, "field"), read_values(in, node, "bid"), read_values(in, node, "ask"),
            read_values(in, node, "trade"), read_values(in, node, "empty_book")};
}

void read_aggressor(Reader& in, pugi::xml_node node, AggressorMap& aggressor) {
    if (!node) return;
    in.expect_attributes(node, {"field", "buy", "sell"});
    aggressor = {in.required_text(node, "field"), read_values(in, node, "buy"),
                 read_values(in, node, "sell")};
}

/// Attributes that name one field, with the member each fills.
struct FieldAttribute {
    const char* name;
    std::string MessageMapping::*field;
};
constexpr auto field_attributes = std::to_array<FieldAttribute>({
    {"number", &MessageMapping::number},
    {"price", &MessageMapping::price},
    {"quantity", &MessageMapping::quantity},
    {"level", &MessageMapping::level},
    {"entry_id", &MessageMapping::entry_id},
    {"instrument_sequence", &MessageMapping::instrument_sequence},
    {"entry_time", &MessageMapping::entry_time},
    {"sending_time", &MessageMapping::sending_time},
    {"last_number_processed", &MessageMapping::last_number_processed},
    {"fragment_first", &MessageMapping::fragment_first},
    {"fragment_last", &MessageMapping::fragment_last},
    {"next_number", &MessageMapping::next_number},
});

void check_restart(Reader& in, pugi::xml_node node) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (name != "kind" && name != "templates" && name != "number" && name != "next_number" &&
            name != "sending_time")
            in.error(node, std::string(name) + " has no meaning in a message of kind restart");
    }
}

void check_entries(Reader& in, pugi::xml_node node, const MessageMapping& message) {
    (void)in.required_text(node, "entries");
    (void)in.required_text(node, "key");
    (void)in.child(node, "type", true);
    if (message.key.size() > 4) in.error(node, "a key has at most 4 fields");
    if (message.fragment_first.empty() != message.fragment_last.empty())
        in.error(node, "fragment_first and fragment_last go together");
    if (!message.next_number.empty()) in.error(node, "next_number has a meaning in kind restart only");
    if (message.kind == MessageKind::incremental) {
        (void)in.child(node, "action", true);
        if (!message.last_number_processed.empty() || !message.fragment_first.empty())
            in.error(node, "last_number_processed and fragments have a meaning in kind snapshot only");
    } else if (message.last_number_processed.empty() && message.instrument_sequence.empty()) {
        in.error(node,
                 "a snapshot needs last_number_processed or instrument_sequence: without one nobody can "
                 "tell whether it is new enough",
                 Errc::missing);
    }
}

MessageMapping read_message(Reader& in, pugi::xml_node node) {
    Names known = {"kind", "templates", "entries", "key"};
    for (const FieldAttribute& attribute : field_attributes)
        known.push_back(attribute.name);
    in.expect_attributes(node, known);
    in.expect_children(node, {"action", "type", "aggressor"});

    MessageMapping message;
    message.line = in.line(node);
    message.kind = in.choice<MessageKind>(node, "kind",
                                          {{"incremental", MessageKind::incremental},
                                           {"snapshot", MessageKind::snapshot},
                                           {"restart", MessageKind::restart}});
    for (std::string& word : words_of(in.required_text(node, "templates"))) {
        const std::optional<std::uint32_t> id = number_of(word);
        message.templates.push_back({std::move(word), id});
    }
    for (const FieldAttribute& attribute : field_attributes)
        message.*attribute.field = in.text(node, attribute.name);
    message.entries = in.text(node, "entries");
    message.key = words_of(in.text(node, "key"));
    read_action(in, in.child(node, "action", false), message.action);
    read_type(in, node.child("type"), message.type);
    read_aggressor(in, in.child(node, "aggressor", false), message.aggressor);
    if (message.kind == MessageKind::restart) {
        check_restart(in, node);
    } else {
        check_entries(in, node, message);
    }
    return message;
}

Line read_line(Reader& in, pugi::xml_node node) {
    in.expect_attributes(node, {"role", "copy", "group"});
    Line line;
    line.role =
        in.choice<Role>(node, "role", {{"incremental", Role::incremental}, {"snapshot", Role::snapshot}});
    line.copy = in.choice<Copy>(node, "copy", {{"A", Copy::a}, {"B", Copy::b}});
    const std::string text = in.required_text(node, "group");
    std::string why_not;
    if (const std::optional<net::MulticastGroup> group = net::parse_group(text, why_not)) {
        line.group = *group;
    } else if (!text.empty()) {
        in.error(node, "group " + why_not);
    }
    return line;
}

Channel read_channel(Reader& in, pugi::xml_node node) {
    in.expect_attributes(node, {"name", "book", "depth", "start"});
    in.expect_children(node, {"line"});
    Channel channel;
    channel.name = in.required_text(node, "name");
    channel.book.model = in.choice<BookModel>(
        node, "book", {{"none", BookModel::none}, {"level", BookModel::level}, {"order", BookModel::order}});
    channel.book.depth = in.number(node, "depth", 0, 0, 255);
    if (channel.book.model != BookModel::none)
        channel.book.start = in.choice<BookStart>(
            node, "start", {{"empty", BookStart::empty}, {"unsynchronised", BookStart::unsynchronised}});
    for (const pugi::xml_node child : node.children("line")) {
        const Line line = read_line(in, child);
        const auto same_place = [&](const Line& other) { return other.index() == line.index(); };
        if (std::ranges::any_of(channel.lines, same_place))
            in.error(child, "channel " + channel.name + " has a second line of this role and copy");
        channel.lines.push_back(line);
    }
    return channel;
}

void read_channels(Reader& in, pugi::xml_node root, FeedDescription& feed) {
    for (const pugi::xml_node node : root.children("channel")) {
        Channel channel = read_channel(in, node);
        if (feed.find_channel(channel.name) != nullptr) in.error(node, "a second channel " + channel.name);
        for (const Line& line : channel.lines)
            for (const Channel& other : feed.channels)
                for (const Line& taken : other.lines)
                    if (taken.group == line.group && line.group.port != 0)
                        in.error(node, "group " + net::to_text(line.group) + " belongs to channel " +
                                           other.name + " already");
        feed.channels.push_back(std::move(channel));
    }
    if (feed.channels.empty()) in.error(root, "<feed> needs a <channel>", Errc::missing);
}

void read_nse(Reader& in, pugi::xml_node node, FeedDescription& feed) {
    in.expect_attributes(node, {"segment", "price_places", "interest", "layouts"});
    feed.codec = Codec::nse;
    feed.nse.segment = in.choice<nse::Segment>(
        node, "segment", {{"fo", nse::Segment::fo}, {"cm", nse::Segment::cm}, {"cd", nse::Segment::cd}});
    // Spec nse-broadcast §6: paise, but currencies, whose scale on the broadcast nobody has confirmed.
    const std::uint32_t usual_places = feed.nse.segment == nse::Segment::cd ? 7 : 2;
    feed.nse.price_places = static_cast<std::int8_t>(in.number(node, "price_places", usual_places, 0, 18));
    feed.nse.interest = in.choice<Interest>(
        node, "interest", {{"all", Interest::all}, {"known", Interest::known}}, Interest::all);
    feed.nse.layouts_file = in.text(node, "layouts");
}

/// The broadcast is complete in each message: books need no snapshot stream and no numbering.
void check_nse_channels(Reader& in, pugi::xml_node root, const FeedDescription& feed) {
    for (const Channel& channel : feed.channels) {
        if (channel.book.model == BookModel::order)
            in.error(root, "channel " + channel.name + ": an NSE book is of levels, or none");
        for (const Line& line : channel.lines)
            if (line.role == Role::snapshot)
                in.error(root, "channel " + channel.name + ": NSE has no snapshot lines");
    }
}

FeedDescription read_nse_feed(Reader& in, pugi::xml_node root, FeedDescription feed) {
    in.expect_children(root, {"nse", "window", "learned", "channel"});
    feed.window.line_silence_ms = 18'000;  // twice the silence after which a circuit check is sent
    read_nse(in, in.child(root, "nse", true), feed);
    read_window(in, in.child(root, "window", false), feed.window);
    read_learned(in, in.child(root, "learned", true), feed.scale);
    read_channels(in, root, feed);
    check_nse_channels(in, root, feed);
    return feed;
}

FeedDescription read_feed(Reader& in, pugi::xml_node root) {
    in.expect_attributes(root, {"name"});
    FeedDescription feed;
    feed.name = in.required_text(root, "name");
    feed.file = in.file();
    if (root.child("nse")) return read_nse_feed(in, root, std::move(feed));
    in.expect_children(root, {"framing", "fast", "numbering", "instrument_numbering", "window", "learned",
                              "message", "channel"});
    read_framing(in, in.child(root, "framing", true), feed);
    read_fast(in, in.child(root, "fast", true), feed);
    read_numbering(in, in.child(root, "numbering", true), feed);

    const pugi::xml_node instruments = in.child(root, "instrument_numbering", true);
    in.expect_attributes(instruments, {"contiguous"});
    feed.instrument_sequence_contiguous =
        in.choice<bool>(instruments, "contiguous", {{"yes", true}, {"no", false}});

    read_window(in, in.child(root, "window", false), feed.window);
    read_learned(in, in.child(root, "learned", true), feed.scale);
    for (const pugi::xml_node node : root.children("message"))
        feed.messages_mapped.push_back(read_message(in, node));
    if (feed.messages_mapped.empty()) in.error(root, "<feed> needs a <message>", Errc::missing);
    read_channels(in, root, feed);
    return feed;
}

}  // namespace

std::optional<Preamble> preamble_named(std::string_view name) noexcept {
    if (name == "u32le-sequence") return Preamble{.bytes = 4, .sequence_bytes = 4};
    if (name == "cme") return Preamble{.bytes = 5, .sequence_bytes = 4, .sequence_order = ByteOrder::big};
    if (name == "umdf")
        return Preamble{.form = PreambleForm::chunked,
                        .bytes = 10,
                        .sequence_bytes = 4,
                        .sequence_order = ByteOrder::big,
                        .chunk_offset = 4};
    if (name == "t7") return Preamble{.form = PreambleForm::header};
    return std::nullopt;
}

bool TemplateSelector::matches(std::string_view name, std::uint32_t template_id) const noexcept {
    if (id && *id == template_id) return true;
    if (!text.empty() && text.back() == '*')
        return name.starts_with(std::string_view(text).substr(0, text.size() - 1));
    return name == text;
}

const Channel* FeedDescription::find_channel(std::string_view channel_name) const noexcept {
    const auto found = std::ranges::find(channels, channel_name, &Channel::name);
    return found == channels.end() ? nullptr : &*found;
}

std::string layouts_path(const FeedDescription& feed) {
    if (feed.nse.layouts_file.empty()) return {};
    return (std::filesystem::path(feed.file).parent_path() / feed.nse.layouts_file).string();
}

std::optional<FeedDescription> parse_description(std::string_view xml, std::string_view file_name,
                                                 Diagnostics& diagnostics) {
    FeedDescription feed;
    const auto read = [&](Reader& in, pugi::xml_node root) { feed = read_feed(in, root); };
    if (!read_xml(xml, file_name, "feed", diagnostics, read)) return std::nullopt;
    return feed;
}

std::optional<FeedDescription> load_description(const std::string& preset_or_file, Diagnostics& diagnostics) {
    if (const std::optional<std::string_view> preset = preset_text(preset_or_file))
        return parse_description(*preset, preset_or_file, diagnostics);
    const FileContent content = read_whole_file(preset_or_file, xml_bytes_max);
    if (content) return parse_description(content.bytes, preset_or_file, diagnostics);
    std::error_code unknown;
    if (std::filesystem::exists(preset_or_file, unknown)) {
        diagnostics.error(preset_or_file, 0, content.why, content.error);
        return std::nullopt;
    }
    const Names known = preset_names();
    std::string text = "neither a preset nor a readable file (presets: " + joined(known) + ")";
    const std::string_view near = nearest_spelling(preset_or_file, known);
    if (!near.empty()) text += "; did you mean " + std::string(near) + "?";
    diagnostics.error(preset_or_file, 0, text, Errc::unknown);
    return std::nullopt;
}

}  // namespace tickpath::framing
