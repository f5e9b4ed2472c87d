// The bytes that a check is about: UDP payloads of a capture, or a plain file as one payload. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickpath::doctor {

struct Payload {
    std::uint64_t packet = 0;  ///< frame of the capture, from 0; 0 for a file
    std::uint32_t group = 0;   ///< index in Recording::groups
    std::vector<std::byte> bytes;
};

struct Recording {
    std::string file;
    bool is_capture = false;
    std::vector<std::string> groups;  ///< "239.0.0.1:9000"; one empty name for a file
    std::vector<Payload> payloads;
    std::uint64_t frames_passed_over = 0;  ///< without a whole UDP datagram over IPv4
    bool is_limited = false;               ///< there is more in the file than was read
    std::string error;                     ///< why the file was not read to its end; empty when it was
};

/// Reads a capture's first `payloads_max` UDP payloads, or the whole of a file that is no capture.
[[nodiscard]] Recording read_recording(const std::string& path, std::size_t payloads_max);

/// What is left of it without some of its groups, given by their indices.
[[nodiscard]] Recording without_groups(const Recording& recording, const std::vector<std::uint32_t>& groups);

}  // namespace tickpath::doctor
