#include "decoders/fast/encoder.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "decoders/fast/encode_segments.h"

namespace tickpath::fast {
namespace {

constexpr std::size_t identifier_message_bytes_max = 6;  // one of map, five of uInt32

}  // namespace

struct Encoder::State {
    State(const Templates& templates, const EncoderOptions& options)
        : program(templates),
          dictionary(templates.program(), options.limits.dictionary_text_bytes_max,
                     options.reset == ResetRule::message),
          buffer(std::max<std::size_t>(options.limits.message_bytes_max, identifier_message_bytes_max) +
                 writer_slack_bytes) {
        for (const TemplateCode& code : templates.program().templates)
            resets.push_back(code.resets ? 1 : 0);
        const std::uint32_t reset_index = templates.program().index_of(options.reset_template_id);
        if (options.reset == ResetRule::template_id && reset_index != Message::no_template)
            resets[reset_index] = 1;
        machine.program = &program;
        machine.dictionary = &dictionary;
        machine.string_bytes_max = options.limits.string_bytes_max;
        machine.sequence_length_max = options.limits.sequence_length_max;
        machine.dynamic_depth_max = options.limits.dynamic_depth_max;
        machine.is_strict = options.strict;
        rules.resets = resets.data();
    }

    [[nodiscard]] WireWriter writer() noexcept {
        return {buffer.data(), buffer.data() + buffer.size() - writer_slack_bytes};
    }

    EncodeProgram program;
    EncodeDictionary dictionary;
    std::vector<std::uint8_t> buffer;
    std::vector<std::uint8_t> resets;
    EncodeMachine machine;
    TemplateRules rules;
    bool had_template_id = false;  ///< before the message, as is the next
    std::uint32_t template_id_before = 0;
};

Encoder::Encoder(std::shared_ptr<const Templates> templates, EncoderOptions options)
    : templates_(std::move(templates)),
      options_(options),
      state_(std::make_unique<State>(*templates_, options_)) {
    set_mode(options.mode);
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

void Encoder::set_mode(EncodeMode mode) noexcept {
    options_.mode = mode;
    state_->machine.sends_all = mode == EncodeMode::explicit_;
    state_->rules.identifies_always = options_.identifies_always || mode == EncodeMode::explicit_;
}

void Encoder::begin_datagram() noexcept {
    if (options_.reset == ResetRule::datagram) reset();
}

void Encoder::reset() noexcept {
    state_->dictionary.forget();
    state_->machine.has_template_id = false;
}

EncodeResult Encoder::encode(const Template& tmpl, Row row, std::span<std::byte> out) noexcept {
    EncodeMachine& machine = state_->machine;
    const std::uint32_t index = templates_->program().index_of(tmpl.id());
    begin_message();
    if (index == Message::no_template) {
        const bool is_reset =
            options_.reset == ResetRule::template_id && tmpl.id() == options_.reset_template_id;
        return is_reset ? encode_reset(out) : refuse(Errc::d9);
    }
    machine.row = row;
    const std::uint8_t* begin = nullptr;
    if (!encode_message(machine, state_->rules, index, begin)) [[unlikely]]
        return refuse(machine.error);
    return finish(begin, out);
}

EncodeResult Encoder::encode(const MessageBuilder& message, std::span<std::byte> out) noexcept {
    if (!message.is_finished()) {
        begin_message();
        return refuse(Errc::missing);
    }
    return encode(message.tmpl(), message.row(), out);
}

// One map byte that holds the identifier's bit alone, and the identifier.
EncodeResult Encoder::encode_reset(std::span<std::byte> out) noexcept {
    begin_message();
    EncodeMachine& machine = state_->machine;
    const std::uint8_t* const begin = machine.out.at();
    machine.out.write_unsigned(EncodeMachine::first_map_bit);
    machine.out.write_unsigned(options_.reset_template_id);
    reset();
    machine.has_template_id = true;
    machine.template_id = options_.reset_template_id;
    return finish(begin, out);
}

void Encoder::begin_message() noexcept {
    EncodeMachine& machine = state_->machine;
    if (options_.reset == ResetRule::message) reset();
    state_->dictionary.begin_message();
    state_->had_template_id = machine.has_template_id;
    state_->template_id_before = machine.template_id;
    machine.out = state_->writer();
    machine.op = nullptr;
    machine.dynamic_depth = 0;
    machine.error = Errc::ok;
}

EncodeResult Encoder::finish(const std::uint8_t* begin, std::span<std::byte> out) noexcept {
    const auto size_bytes = static_cast<std::size_t>(state_->machine.out.at() - begin);
    if (size_bytes > out.size()) {
        state_->machine.op = nullptr;
        return refuse(Errc::limit);
    }
    std::memcpy(out.data(), begin, size_bytes);
    return {.size_bytes = size_bytes, .error = Errc::ok};
}

EncodeResult Encoder::refuse(Errc error) noexcept {
    EncodeMachine& machine = state_->machine;
    machine.error = error;
    machine.has_template_id = state_->had_template_id;
    machine.template_id = state_->template_id_before;
    state_->dictionary.roll_back();
    return {.size_bytes = 0, .error = error};
}

EncodeError Encoder::error_place() const noexcept {
    const EncodeMachine& machine = state_->machine;
    EncodeError place;
    place.error = machine.error;
    if (machine.error == Errc::ok || machine.op == nullptr) return place;
    const Program& program = templates_->program();
    const InstructionPlace& at =
        program.places[static_cast<std::size_t>(machine.op - state_->program.code.data())];
    place.template_label = templates_->all()[at.template_index].label();
    place.field = program.paths[at.path];
    return place;
}

}  // namespace tickpath::fast
