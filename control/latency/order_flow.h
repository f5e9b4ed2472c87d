// The orders in one direction of one TCP connection, from its segments as a capture shows them: lost, sent
// again, out of order. Pure: segments in, orders out. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/latency/observation.h"
#include "decoders/fix/reader.h"
#include "decoders/net/tcp.h"

namespace tickpath::latency {

struct FlowCounts {
    std::uint64_t retransmitted = 0;  ///< segments that brought bytes a second time
    std::uint64_t reordered = 0;      ///< segments that came before bytes that they follow
    std::uint64_t holes = 0;          ///< bytes that the capture never shows: orders in them are missing
    std::uint64_t garbled = 0;        ///< FIX messages that were dropped: wrong length or checksum
    std::uint64_t resent = 0;         ///< orders with PossDupFlag or PossResend: sent before
};

class OrderFlow {
public:
    OrderFlow();

    /// Appends the orders that the segment completes to `orders`, and adds to `counts`.
    void on_segment(const net::TcpSegment& segment, const Place& place, std::vector<Order>& orders,
                    FlowCounts& counts);

    /// No more segments will come: what waits behind a hole is read.
    void finish(std::vector<Order>& orders, FlowCounts& counts);

private:
    struct Held {
        std::string bytes;
        Place place;
    };
    /// Where bytes from `position` on were first seen.
    struct Mark {
        std::uint64_t position = 0;
        Place place;
    };

    void restart(std::uint32_t sequence);
    void hold(std::uint64_t position, std::string_view bytes, const Place& place);
    void take(std::string_view bytes, const Place& place);
    void append(std::string_view bytes, const Place& place);
    void take_held();
    void skip_hole(FlowCounts& counts);
    void read_messages(std::vector<Order>& orders, FlowCounts& counts);
    void consume(std::size_t bytes);
    [[nodiscard]] Place place_of(std::uint64_t position) const;

    fix::Reader reader_;
    bool is_started_ = false;
    bool is_foreign_ = false;            ///< carries something else than FIX
    bool has_message_ = false;           ///< one FIX message at least was found
    std::uint32_t next_sequence_ = 0;    ///< of the byte at `end_`
    std::uint64_t begin_ = 0, end_ = 0;  ///< positions of what is in `unread_`
    std::string unread_;
    std::deque<Mark> marks_;
    std::map<std::uint64_t, Held> held_;  ///< by position, behind a hole; none overlap
    std::size_t held_bytes_ = 0;
};

}  // namespace tickpath::latency
