// A source of frames that does to the packets of a capture what networks and venues do: loses, doubles,
// reorders, delays and silences them, and starts the numbers again. Everything follows from a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/dataplane/feed/feed_bench.h"

namespace tickpath::test {

enum class LineOf : std::uint8_t { a, b, snapshot };

/// A frame of the capture.
struct RecordedPacket {
    TestFrame frame;
    LineOf line = LineOf::a;
    std::uint64_t number = 0;  ///< of the packet
};

/// A frame as it arrives, and what the venue had done by then.
struct ArrivingFrame {
    TestFrame frame;               ///< numbered by its place among all that arrive
    std::uint32_t day = 0;         ///< that the venue was in when it sent this one
    std::uint32_t day_now = 0;     ///< that the venue was in when it arrived
    std::uint64_t venue_sent = 0;  ///< highest incremental number the venue had sent in day_now; 0: none
};

/// How the venue begins its second day: the capture once more, from its beginning.
enum class Restart : std::uint8_t {
    none,
    announced,    ///< by a SequenceReset on both lines
    unannounced,  ///< the numbers simply go back
};

/// Share of packets in 1/1000, times in milliseconds.
struct Troubles {
    std::uint32_t loss_a = 0, loss_b = 0, loss_snapshot = 0;
    std::uint32_t doubled = 0;
    std::uint32_t bursts = 0;             ///< runs of packets that neither line delivers
    std::uint32_t burst_packets_max = 1;  ///< of one
    std::uint32_t jitter_ms = 0;        ///< each frame is late by up to this much: frames overtake each other
    std::uint32_t lag_b_ms = 0;         ///< all of line B
    std::uint32_t lag_snapshot_ms = 0;  ///< all snapshots: older than what the lines bring
    std::optional<LineOf> silent{};     ///< for a third of the time
    Restart restart = Restart::none;
    std::uint32_t first_day_per_mille = 500;  ///< how much of the capture the first day is
    std::uint32_t night_ms = 0;               ///< between the days

    /// Any mixture, each with its own share of the seeds.
    [[nodiscard]] static Troubles of(std::uint64_t seed);
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::vector<ArrivingFrame> through_troubles(const std::vector<RecordedPacket>& packets,
                                                          const Troubles& troubles, std::uint64_t seed);

}  // namespace tickpath::test
