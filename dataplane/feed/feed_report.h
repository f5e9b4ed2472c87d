// What a feed path has to say about its lines and holes. Plain values, made off the hot path.
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/core/histogram.h"
#include "dataplane/model/timestamp.h"
#include "decoders/base/error.h"

namespace tickpath::feed {

/// One line of one channel against its twin. Numbers are packet numbers of the line's stream.
struct LineReport {
    std::uint16_t channel = 0;  ///< ChannelPlan::index
    std::uint8_t line = 0;      ///< as model::Tick::line
    std::uint64_t packets = 0;  ///< with a packet number
    std::uint64_t wins = 0;     ///< numbers this line delivered first
    std::uint64_t twins = 0;    ///< copies dropped because the number was there already
    std::uint64_t late = 0;     ///< copies dropped because the number had been given up
    std::uint64_t losses = 0;   ///< numbers between the line's first and last that it never delivered
    std::uint64_t last_number = 0;
    bool is_silent = false;   ///< nothing for line_silence_ms while the twin spoke
    core::Histogram lead_ns;  ///< how much earlier than the twin, over wins that have a twin
};

/// Packet numbers that no line delivered within the window.
struct Hole {
    std::uint16_t channel = 0;
    bool is_snapshot = false;  ///< in the snapshot stream: no book suffers
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    model::Timestamp at;  ///< receive stamp of the packet behind the hole
};

/// Where decoding failed last.
struct DecodeFailure {
    Errc error = Errc::ok;
    std::uint16_t channel = 0;
    std::uint8_t line = 0;
    std::uint64_t packet_number = 0;
    std::uint64_t frame_number = 0;
    std::uint32_t template_id = 0;
    std::uint32_t offset = 0;  ///< from the first byte of the UDP payload
};

/// Messages of one NSE transcode and length that no layout describes.
struct UnknownMessages {
    std::int16_t transcode = 0;
    std::int16_t length = 0;
    std::uint64_t count = 0;
};

/// What an NSE channel has to say besides its counters. Ages are as of the channel's newest datagram, but its
/// own.
struct NseReport {
    std::uint16_t channel = 0;
    bool suggests_other_variant = false;  ///< most blocks fail as those of LZO1X and LZO1Y do
    std::uint64_t datagram_at_ns = 0;   ///< arrival of the newest datagram with a good message; 0: none came
    std::uint64_t datagram_age_ns = 0;  ///< how long before the report it was received here
    std::uint64_t heartbeat_at_ns = 0;  ///< of the newest circuit check (6541); 0: none came
    std::uint64_t oldest_book_age_ns = 0;  ///< among books that are valid
    std::uint64_t median_book_age_ns = 0;
    std::vector<UnknownMessages> unknown;  ///< the kinds met first; the counter has all
};

/// Books of one channel that were met so far.
struct BookCounts {
    std::uint32_t valid = 0;
    std::uint32_t invalid = 0;
};

struct ChannelReport {
    std::uint16_t channel = 0;
    BookCounts books;  ///< none of either for a channel without books
};

struct FeedReport {
    std::vector<LineReport> lines;
    std::vector<ChannelReport> channels;
    std::vector<Hole> holes;  ///< the first holes_kept
    std::uint64_t hole_count = 0;
    std::vector<NseReport> nse;  ///< of channels that carry it
    DecodeFailure last_failure;  ///< error ok when there was none
};

}  // namespace tickpath::feed
