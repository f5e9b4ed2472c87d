// Takes a capture or a file apart: first into payloads, then each payload into the datagrams that a decoder
// sees. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "control/cli/decode_output.h"
#include "control/cli/decode_settings.h"
#include "decoders/framing/chunk_assembler.h"
#include "decoders/framing/datagram.h"

namespace tickpath::cli {

using Bytes = std::span<const std::byte>;

/// One UDP payload of a capture, one block of a file with lengths, or a whole file without.
struct Payload {
    Bytes bytes;                     ///< valid until PayloadReader::next()
    std::size_t tailroom_bytes = 0;  ///< behind them, free to be overwritten
    DatagramPlace place;
    Errc error = Errc::ok;     ///< the frame's own; then there are no bytes
    bool is_fragment = false;  ///< of a datagram that is not put together: there are no bytes either
    bool is_stream = false;    ///< datagrams follow one another and each ends where its message does
};

class PayloadReader {
public:
    PayloadReader(const std::string& path, const DecodeFraming& framing);
    PayloadReader(const PayloadReader&) = delete;
    PayloadReader& operator=(const PayloadReader&) = delete;
    ~PayloadReader();

    [[nodiscard]] std::optional<Payload> next();

    [[nodiscard]] std::uint64_t frames_passed_over() const noexcept { return frames_passed_over_; }
    /// Empty, or why the file could not be read to its end.
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// Of the file, for a progress bar: about what has been read so far.
    [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
    struct Input;
    [[nodiscard]] std::optional<Payload> next_of_capture();
    [[nodiscard]] std::optional<Payload> next_of_file();

    DecodeFraming framing_;
    std::unique_ptr<Input> input_;
    std::uint64_t frames_passed_over_ = 0;
    std::uint64_t bytes_read_ = 0;
    std::string error_;
};

/// What is done with datagrams: they are decoded and printed, or explained.
class DatagramHandler {
public:
    virtual ~DatagramHandler() = default;

    /// Handles the messages of `body` and returns the bytes they took; nullopt after an error, which was
    /// shown. `stops_after_one`: behind one message, resets not counted.
    virtual std::optional<std::size_t> on_datagram(Bytes body, std::size_t tailroom_bytes,
                                                   const DatagramPlace& place, bool stops_after_one) = 0;
    /// Something about the framing: `offset` counts from the place.
    virtual void on_framing_error(const DatagramPlace& place, Errc error, std::size_t offset,
                                  const std::string& template_text) = 0;
    /// A datagram that is passed over without an error of its own.
    virtual void on_loss(const DatagramPlace& place) = 0;
    /// Label of the message decoded last.
    [[nodiscard]] virtual std::string last_template() const = 0;
};

/// Cuts payloads into datagrams, and joins messages that come in chunks, group by group.
class PayloadHandler {
public:
    PayloadHandler(const DecodeFraming& framing, DatagramHandler& handler)
        : framing_(framing), handler_(handler) {}

    void on_payload(const Payload& payload);
    /// No more payloads will come: messages of which a chunk is missing are told.
    void finish();

private:
    struct Joined {
        framing::ChunkAssembler assembler;
        DatagramPlace newest;  ///< of a chunk, for what is missing
    };

    void handle_blocks(Bytes bytes, DatagramPlace place);
    void handle_datagram(const Payload& payload);
    void handle_body(Bytes body, std::size_t tailroom_bytes, const DatagramPlace& place);
    void handle_chunk(const framing::Datagram& datagram, DatagramPlace place);
    void handle_stream(const Payload& payload);
    void handle_whole(const Payload& payload);
    void handle_chunk_stream(const Payload& payload);
    void tell_incomplete(std::uint32_t messages, const DatagramPlace& place);
    [[nodiscard]] Joined* joined_of(const DatagramPlace& place);

    const DecodeFraming& framing_;
    DatagramHandler& handler_;
    std::map<std::string, Joined> joined_;  ///< by group; one empty name for a file
};

}  // namespace tickpath::cli
