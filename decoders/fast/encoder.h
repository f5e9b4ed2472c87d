// Encodes messages by the templates that decode them: a decoded row, or one built from values with
// MessageBuilder, to FAST bytes. Hot: once per message; nothing here allocates, locks, logs or throws after
// construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "decoders/base/error.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/message_builder.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

enum class EncodeMode : std::uint8_t {
    compact,    ///< nothing is sent that the decoder's dictionary knows
    explicit_,  ///< every field and the identifier are sent wherever the operator can: session messages. The
                ///< dictionary stays right, so that modes may alternate
};

/// Bounds on one message: the same as those of a decoder with its own defaults, which would refuse more.
struct EncodeLimits {
    std::uint32_t message_bytes_max = 65'536;
    std::uint32_t sequence_length_max = 65'536;
    std::uint32_t string_bytes_max = 16'384;
    std::uint32_t dynamic_depth_max = 16;
    /// One text in a dictionary that outlives its message. Where it does not (ResetRule::message) a text may
    /// be as long as string_bytes_max.
    std::uint32_t dictionary_text_bytes_max = 512;
};

struct EncoderOptions {
    ResetRule reset = ResetRule::message;  ///< the decoder's; see there
    std::uint32_t reset_template_id = 120;
    EncodeMode mode = EncodeMode::compact;
    bool identifies_always = false;  ///< the template identifier also where it has not changed
    /// Refuses what strict decoders refuse: Unicode that an operator puts together and is no UTF-8 (R2), and
    /// replacing a shared entry's value of another type (D4).
    bool strict = false;
    EncodeLimits limits = {};
};

struct [[nodiscard]] EncodeResult {
    std::size_t size_bytes = 0;  ///< written to the front of the caller's span; 0 on an error
    Errc error = Errc::ok;

    [[nodiscard]] explicit operator bool() const noexcept { return error == Errc::ok; }
};

/// What could not be encoded.
struct EncodeError {
    Errc error = Errc::ok;
    std::string_view template_label;
    std::string_view field;  ///< path; empty when it is not about one field
};

/// One per stream of messages, owned by one thread; any number share the Templates.
class Encoder {
public:
    Encoder(std::shared_ptr<const Templates> templates, EncoderOptions options);
    ~Encoder();
    Encoder(Encoder&&) noexcept;
    Encoder& operator=(Encoder&&) noexcept;

    /// Encodes one message. The row must be one of `tmpl`, from a decoder or a builder over these Templates
    /// or others loaded from the same XML.
    ///
    /// After an error nothing has been written, and the dictionary is as it was before the message: whoever
    /// leaves the message out goes on with the next. Errors: D9 for a template that is not among the
    /// encoder's; D3, D4, D6, R1, R2, R4 as FAST 1.1 names them; `unrepresentable` for a length that is not
    /// its constant or a text shorter than its tail operator can express; `limit` for EncodeLimits and for a
    /// span too small.
    EncodeResult encode(const Template& tmpl, Row row, std::span<std::byte> out) noexcept;
    EncodeResult encode(const Message& message, std::span<std::byte> out) noexcept {
        return encode(message.tmpl(), message.root(), out);
    }
    /// Of a finished message; `missing` when it is not.
    EncodeResult encode(const MessageBuilder& message, std::span<std::byte> out) noexcept;

    /// A message of the reset template's identifier alone, for feeds whose XML does not have that template.
    EncodeResult encode_reset(std::span<std::byte> out) noexcept;

    /// From here on; the dictionary stays.
    void set_mode(EncodeMode mode) noexcept;

    /// A datagram begins: with ResetRule::datagram its dictionaries do.
    void begin_datagram() noexcept;
    /// Forgets all dictionaries and the template identifier. The decoder has to do so at the same place.
    void reset() noexcept;

    [[nodiscard]] EncodeError error_place() const noexcept;  ///< of the last encode(); cold
    [[nodiscard]] const Templates& templates() const noexcept { return *templates_; }

private:
    struct State;
    EncodeResult finish(const std::uint8_t* begin, std::span<std::byte> out) noexcept;
    [[gnu::cold]] EncodeResult refuse(Errc error) noexcept;
    void begin_message() noexcept;

    std::shared_ptr<const Templates> templates_;
    EncoderOptions options_;
    std::unique_ptr<State> state_;
};

}  // namespace tickpath::fast
