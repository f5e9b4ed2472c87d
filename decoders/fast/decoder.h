// Decodes FAST messages by running a compiled template program. Hot: once per datagram and message, on a
// receive core; nothing here allocates, locks, logs or throws after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/error.h"
#include "decoders/fast/entry_sink.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

/// When dictionaries and the remembered template identifier are forgotten. A feed's property, never guessed:
/// a missing reset gives wrong values and no error. A template's own reset attribute is honoured whatever the
/// rule.
enum class ResetRule : std::uint8_t {
    message,      ///< before each message
    datagram,     ///< at begin()
    never,        ///< only by reset attributes and reset()
    template_id,  ///< by a message with DecoderOptions::reset_template_id, known to the XML or not (T7: 120)
};

/// Bounds on what hostile input can cost. Memory for them is taken when the decoder is made.
struct Limits {
    std::uint32_t datagram_bytes_max = 65'536;  ///< longest input that is copied for want of tailroom
    std::uint32_t sequence_length_max = 65'536;
    std::uint32_t string_bytes_max = 16'384;        ///< ASCII strings of up to 8 bytes always pass
    std::uint32_t entity_bytes_max = 64;            ///< one stop-bit integer, overlong ones included
    std::uint32_t map_bytes_max = 64;               ///< one presence map; those of up to 2 bytes always pass
    std::uint32_t dynamic_depth_max = 16;           ///< dynamic references inside one another
    std::uint32_t row_words_max = 262'144;          ///< 8-byte slots of all rows of one message
    std::uint32_t scratch_bytes_max = 65'536;       ///< texts put together by delta and tail in one datagram
    std::uint32_t dictionary_text_bytes_max = 512;  ///< one text that outlives its datagram in a dictionary
};

struct DecoderOptions {
    ResetRule reset = ResetRule::message;
    std::uint32_t reset_template_id = 120;
    bool strict =
        false;  ///< reportable errors (R2, R6-R9) and overwriting a value of another type (D4) end a message
    Limits limits = {};
};

/// What went wrong, and where.
struct DecodeError {
    Errc error = Errc::ok;
    std::string_view template_label;  ///< name or id; empty when no template was known yet
    std::string_view field;           ///< path; empty when it is not about one field
    std::uint32_t template_id = 0;    ///< as read from the wire
    std::uint32_t offset = 0;         ///< byte of the datagram at which decoding stopped
};

/// Reports and messages since construction.
struct DecoderCounts {
    std::uint64_t messages = 0;
    std::array<std::uint64_t, report_count> reports{};  ///< by Report; of delivered messages
};

class Decoder {
public:
    Decoder(std::shared_ptr<const Templates> templates, DecoderOptions options);
    ~Decoder();
    Decoder(Decoder&&) noexcept;
    Decoder& operator=(Decoder&&) noexcept;

    /// Takes a datagram (framing removed). Its bytes must stay until the last next().
    ///
    /// `writable_tailroom_bytes` counts bytes right behind the datagram that may be overwritten; the caller
    /// passes 0 unless the buffer is its own. With at least 64 and enough for the templates, sentinels are
    /// written there; otherwise the datagram is copied. The datagram itself is never written to.
    void begin(std::span<const std::byte> datagram, std::size_t writable_tailroom_bytes) noexcept;

    /// Decodes one message. False at the end of the datagram, or on an error, after which the rest of the
    /// datagram is lost and error() says why.
    [[nodiscard]] bool next() noexcept;

    [[nodiscard]] const Message& message() const noexcept { return message_; }
    [[nodiscard]] Errc error() const noexcept { return error_; }
    [[nodiscard]] DecodeError error_place() const noexcept;  ///< cold

    /// Takes the elements of sequences as they are decoded, within next(). Only of templates made by
    /// Templates::with_entry_sinks.
    void set_entry_sink(EntrySink sink) noexcept;

    /// Forgets all dictionaries and the template identifier, and lifts `poisoned`.
    void reset() noexcept;

    /// Datagrams were lost that this decoder has not seen: where dictionaries outlive a datagram, what it
    /// remembers may be old, and every message is refused as `poisoned` until a reset.
    void poison() noexcept;

    /// After an error, where dictionaries outlive the message, every message is refused as `poisoned` until a
    /// reset (their values would be wrong without a sign). This lifts that alone and keeps the dictionaries:
    /// for conformance tests that look at the state behind an error. Texts that the failed message assigned
    /// are forgotten: they lie in its datagram.
    void lift_poison() noexcept;
    [[nodiscard]] bool poisoned() const noexcept { return poisoned_; }

    [[nodiscard]] const Templates& templates() const noexcept { return *templates_; }
    [[nodiscard]] const DecoderCounts& counts() const noexcept { return counts_; }

private:
    friend class StreamDecoder;
    struct State;
    void keep_undo_log();
    template <class RunOf>
    [[nodiscard]] bool next_with(RunOf run_of) noexcept;
    /// As next(), but a message that is not complete is taken back: false without an error.
    [[nodiscard]] bool next_in_stream() noexcept;
    void fail_in_stream(Errc error) noexcept;
    void deliver(const Template& tmpl, Row root) noexcept;
    [[gnu::cold]] void count_reports() noexcept;
    [[gnu::cold]] bool lifts_poison(bool has_identifier) noexcept;
    [[gnu::cold]] bool next_without_template(const std::uint8_t* at, std::uint64_t map) noexcept;
    [[gnu::cold]] bool fail(const std::uint8_t* at, Errc error) noexcept;
    [[nodiscard]] bool is_reset_without_template() const noexcept;

    std::shared_ptr<const Templates> templates_;
    DecoderOptions options_;
    Message message_;
    DecoderCounts counts_;
    Errc error_ = Errc::ok;
    bool poisoned_ = false;
    std::unique_ptr<State> state_;
};

}  // namespace tickpath::fast
