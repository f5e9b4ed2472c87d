#include "decoders/fast/sequence_peek.h"

namespace tickpath::fast {
namespace {

// What a datagram says alone: nothing is carried over, and what an earlier one left is not known here.
DecoderOptions alone(DecoderOptions options) {
    if (options.reset == ResetRule::never) options.reset = ResetRule::datagram;
    return options;
}

// A field of an element is there once per element, not once per packet.
bool is_top_level(std::string_view path) {
    return path.find('/') == std::string_view::npos;
}

}  // namespace

SequencePeek::SequencePeek(const std::shared_ptr<const Templates>& templates, std::string_view path,
                           DecoderOptions options)
    : decoder_(templates->cut_behind(path), alone(options)) {
    for (const Template& tmpl : templates->all()) {
        std::optional<FieldRef> field = tmpl.field(path);
        if (field && (!is_integer(field->type) || !is_top_level(path))) field.reset();
        usable_ = usable_ || field.has_value();
        field_by_template_.push_back(field);
    }
}

std::optional<std::uint64_t> SequencePeek::read(std::span<const std::byte> datagram,
                                                std::size_t writable_tailroom_bytes) noexcept {
    decoder_.reset();
    decoder_.begin(datagram, writable_tailroom_bytes);
    while (decoder_.next()) {
        const Message& message = decoder_.message();
        if (message.template_index() == Message::no_template) continue;  // the feed's reset message
        const std::optional<FieldRef>& field = field_by_template_[message.template_index()];
        if (!field) continue;
        if (!message.root().has(*field)) return std::nullopt;
        return message.root().u64(*field);
    }
    return std::nullopt;
}

}  // namespace tickpath::fast
