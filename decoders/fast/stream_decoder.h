// Decodes messages from a stream of bytes that arrive in pieces (TCP). Hot: once per piece and message;
// nothing here allocates, locks, logs or throws after construction.
//
//     std::size_t kept = 0;                          // bytes in `buffer` that are not decoded yet
//     while (receive more behind them, raising kept) {
//         stream.begin({buffer, kept}, 0);
//         while (stream.next()) use(stream.message());
//         if (stream.error() != Errc::ok) return;    // a stream cannot be resumed behind an error
//         kept -= stream.consumed();                 // move the rest to the front
//     }
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "decoders/fast/decoder.h"

namespace tickpath::fast {

/// Like Decoder, but a message that is not complete yet is no error: next() returns false, error() is ok, and
/// dictionaries, template identifier and position are as if it had not been looked at. Once its other bytes
/// are there it decodes from its first byte.
///
/// Cost: a piece that does not complete a message costs one decoding of what is there of it, so a message of
/// n bytes that arrives in p pieces costs at most p times its decoding. Limits::datagram_bytes_max bounds a
/// message: one that is longer is `limit`.
///
/// A stream has no datagrams: ResetRule::datagram means never here.
class StreamDecoder {
public:
    StreamDecoder(std::shared_ptr<const Templates> templates, DecoderOptions options);

    /// Takes everything received and not consumed so far; the first byte begins a message. The bytes must
    /// stay until the last next(). Tailroom as in Decoder::begin. Any size: where it has to copy, it copies
    /// one stretch of datagram_bytes_max after the other.
    void begin(std::span<const std::byte> received, std::size_t writable_tailroom_bytes) noexcept;

    /// Decodes one message. False when the next one is not complete, or on an error.
    [[nodiscard]] bool next() noexcept;

    /// Bytes of begin()'s span that delivered messages took: what the caller may forget.
    [[nodiscard]] std::size_t consumed() const noexcept { return window_begin_ + window_used_; }

    [[nodiscard]] const Message& message() const noexcept { return decoder_.message(); }
    /// Of begin()'s span; Message::start and Message::end count from the stretch it was decoded in.
    [[nodiscard]] std::size_t message_start() const noexcept { return window_begin_ + message().start(); }
    [[nodiscard]] Errc error() const noexcept { return decoder_.error(); }
    [[nodiscard]] DecodeError error_place() const noexcept;  ///< cold; offset in begin()'s span

    /// Forgets all dictionaries and the template identifier, and lifts `poisoned`.
    void reset() noexcept { decoder_.reset(); }
    [[nodiscard]] bool poisoned() const noexcept { return decoder_.poisoned(); }

    [[nodiscard]] const Templates& templates() const noexcept { return decoder_.templates(); }
    [[nodiscard]] const DecoderCounts& counts() const noexcept { return decoder_.counts(); }

private:
    void open_window() noexcept;

    Decoder decoder_;
    std::size_t message_bytes_max_;
    std::span<const std::byte> received_;
    std::size_t tailroom_bytes_ = 0;
    std::size_t window_begin_ = 0;  ///< of `received_`: what the decoder was given last
    std::size_t window_bytes_ = 0;
    std::size_t window_used_ = 0;  ///< by delivered messages
};

}  // namespace tickpath::fast
