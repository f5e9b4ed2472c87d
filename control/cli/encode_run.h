// The lines that `tickpath decode` printed, back to the bytes of a file. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "decoders/fast/encoder.h"

namespace tickpath::cli {

/// What stands around messages; the same three as for `decode`.
enum class EncodeFraming : std::uint8_t {
    none,      ///< the whole file is one datagram
    length,    ///< a 4-byte length before each datagram: one message, or all lines of one "packet"
    sequence,  ///< a 4-byte number, from 1, before each message and the reset messages ahead of it
};

struct EncodeSettings {
    std::shared_ptr<const fast::Templates> templates;
    fast::EncoderOptions encoder;
    EncodeFraming framing = EncodeFraming::none;
};

struct EncodeTotals {
    std::uint64_t messages = 0;
    std::uint64_t datagrams = 0;
    std::uint64_t texts_from_hex = 0;  ///< unicode texts taken for the bytes after their "hex:"
    std::string problem;  ///< "in.jsonl:3: entries[0]/price is …"; empty when everything was encoded
};

/// Encodes all lines; stops at the first that cannot be. `on_bytes` is given each message in turn, with what
/// the framing puts before it.
[[nodiscard]] EncodeTotals run_encode(const EncodeSettings& settings, std::istream& in,
                                      std::string_view file_name,
                                      const std::function<void(std::string_view bytes)>& on_bytes);

}  // namespace tickpath::cli
