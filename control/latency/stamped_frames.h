// Reads a capture frame by frame with the best time there is of each: a switch's trailer, a capture card's
// record, or the capture's own. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/capture/reader.h"
#include "control/latency/observation.h"
#include "dataplane/model/timestamp.h"
#include "decoders/net/ipv4.h"
#include "decoders/net/trailer.h"

namespace tickpath::latency {

/// Which trailers to look for.
enum class TrailerChoice : std::uint8_t {
    automatic,  ///< those that most frames have, if more than half do
    none,
    metamako,
    exablaze,
};

/// nullopt for a word that is none of auto, none, metamako, exablaze.
[[nodiscard]] std::optional<TrailerChoice> parse_trailer_choice(std::string_view word);

/// Whose times they are.
struct StampSource {
    model::TimeDomain domain = model::TimeDomain::capture_ns;
    std::string_view device = "capture";  ///< "capture", "erf", "metamako", "exablaze"
};

/// One whole IPv4 packet.
struct StampedFrame {
    Place place;
    std::span<const std::byte> bytes;  ///< Ethernet header first; valid until the next call
    net::Ipv4Packet packet;            ///< in `bytes`

    /// With the check sequence, without trailers: what was on the wire between preamble and gap.
    [[nodiscard]] std::uint32_t wire_bytes() const noexcept;
};

struct FrameCounts {
    std::uint64_t frames = 0;
    std::uint64_t not_ipv4 = 0;       ///< other ethertypes, broken headers, records that hold no Ethernet
    std::uint64_t cut = 0;            ///< the capture kept only the beginning of the packet
    std::uint64_t without_stamp = 0;  ///< no trailer, where the capture's times are those of trailers
};

class StampedFrames {
public:
    /// Looks through the beginning of the file for trailers; look at error() before the first next().
    StampedFrames(const std::string& path, std::uint32_t capture, TrailerChoice trailers);

    [[nodiscard]] std::optional<StampedFrame> next();

    [[nodiscard]] const StampSource& source() const noexcept { return source_; }
    [[nodiscard]] const FrameCounts& counts() const noexcept { return counts_; }
    /// Empty, or why the file could not be read to its end: one sentence with its name.
    [[nodiscard]] const std::string& error() const noexcept {
        return error_.empty() ? reader_.error() : error_;
    }

private:
    [[nodiscard]] std::optional<StampedFrame> read(const capture::CapturedFrame& captured);
    void choose_source(const std::string& path, TrailerChoice trailers);

    std::uint32_t capture_;
    capture::Reader reader_;
    std::optional<net::TrailerLayout> layout_;
    StampSource source_;
    FrameCounts counts_;
    std::string error_;
};

}  // namespace tickpath::latency
