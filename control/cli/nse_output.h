// Prints what `tickpath decode` finds in an NSE feed, in the formats of every other feed. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/cli/decode_output.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::cli {

/// One message, decompressed.
struct NseMessage {
    std::span<const std::byte> bytes;  ///< prefix included
    std::size_t compressed_bytes = 0;  ///< 0 when it came raw
    const framing::nse::Layout* layout = nullptr;
};

class NseOutput {
public:
    virtual ~NseOutput() = default;

    /// True when everything has to be shown twice: first through on_occurrence, then through on_message.
    [[nodiscard]] virtual bool needs_two_passes() const { return false; }
    virtual void on_occurrence(const NseMessage&) {}
    virtual void begin(bool is_capture) { static_cast<void>(is_capture); }

    virtual void on_message(const DatagramPlace& place, const NseMessage& message) = 0;
    /// `offset` counts from the first byte of the UDP payload.
    virtual void on_error(const DatagramPlace& place, Errc error, std::size_t offset) = 0;
};

/// Null when there is no format of this name. Lines go to stdout.
[[nodiscard]] std::unique_ptr<NseOutput> make_nse_output(std::string_view format);

}  // namespace tickpath::cli
