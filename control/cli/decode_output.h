// Prints what `tickpath decode` finds: messages and errors as JSON Lines, a table, or lines for people. Cold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "decoders/fast/decoder.h"

namespace tickpath::cli {

/// Where a datagram was found.
struct DatagramPlace {
    std::uint64_t offset = 0;  ///< of the datagram's first FAST byte in the UDP payload or the file

    struct InCapture {
        std::uint64_t packet = 0;
        std::uint64_t time_ns = 0;
        std::string group;
        bool knows_group = true;  ///< false: the frame's headers do not tell it
    };
    std::optional<InCapture> capture;
};

/// One message that could not be decoded. `error.offset` counts from the datagram's first FAST byte.
struct DecodeFailure {
    fast::DecodeError error;
    std::string template_text;  ///< name or id; empty when unknown
};

/// What is to be printed and has not been yet.
struct OutputText {
    std::string data;  ///< for stdout
    std::string talk;  ///< for stderr
};

class DecodeOutput {
public:
    virtual ~DecodeOutput() = default;

    /// Whoever runs the output prints it and takes it away.
    [[nodiscard]] OutputText& text() noexcept { return text_; }

    /// One of the same kind that knows what this one has learned, for another thread.
    [[nodiscard]] virtual std::unique_ptr<DecodeOutput> another() const = 0;

    /// True when everything has to be shown twice: first through on_occurrence, then through on_message.
    [[nodiscard]] virtual bool needs_two_passes() const { return false; }
    virtual void on_occurrence(const fast::Message&) {}
    virtual void begin(bool is_capture) { static_cast<void>(is_capture); }

    virtual void on_message(const DatagramPlace& place, const fast::Message& message) = 0;
    virtual void on_error(const DatagramPlace& place, const DecodeFailure& failure) = 0;

protected:
    DecodeOutput() = default;
    DecodeOutput(const DecodeOutput&) = default;
    DecodeOutput& operator=(const DecodeOutput&) = default;

private:
    OutputText text_;
};

/// Null when there is no format of this name.
[[nodiscard]] std::unique_ptr<DecodeOutput> make_decode_output(std::string_view format);

}  // namespace tickpath::cli
