// What `tickpath decode` was asked to do: options of the command line and of a feed description brought
// together. Cold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/decoder.h"
#include "decoders/framing/description.h"

namespace tickpath::cli {

/// As typed; empty means not given.
struct DecodeOptions {
    std::string feed;
    std::string templates;
    std::string framing;
    std::string reset;
    std::string format = "jsonl";
    bool strict = false;
    std::optional<std::uint32_t> sequence_length_max, string_bytes_max, map_bytes_max;
    bool explain = false;
    std::string hex;                       ///< explain: bytes instead of a file
    std::optional<std::uint64_t> message;  ///< explain: only this one, from 1
    unsigned jobs = 1;
    std::string file;
};

/// What stands around FAST messages in a UDP payload or in a file.
struct DecodeFraming {
    framing::Preamble preamble = {};  ///< before each datagram
    bool has_length_prefix = false;   ///< blocks: four bytes little-endian, then so many bytes of messages
    bool is_one_message = false;      ///< a datagram carries one message, resets not counted
    bool ignores_trailing = false;    ///< what follows that message is of no interest
};

struct DecodeSettings {
    std::shared_ptr<const fast::Templates> templates;
    std::string templates_file;
    fast::DecoderOptions decoder;
    DecodeFraming framing;
};

/// What is wrong with the options themselves: one sentence that says what to do.
struct UsageError {
    std::string text;
};

/// "message", "datagram", "never" or "template:120" into `options`; false when it is none of them.
[[nodiscard]] bool parse_reset_rule(const std::string& text, fast::DecoderOptions& options);

/// nullopt when something is wrong: with the options (`usage` is set) or with a file (`diagnostics` has
/// errors).
[[nodiscard]] std::optional<DecodeSettings> resolve_decode_settings(const DecodeOptions& options,
                                                                    Diagnostics& diagnostics,
                                                                    std::optional<UsageError>& usage);

}  // namespace tickpath::cli
