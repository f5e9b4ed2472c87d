// What is seen in captures: events that may cause orders, and orders. Plain values; who sees them is in
// trigger_finder.h, quote_finder.h and order_finder.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decoders/base/decimal.h"

namespace tickpath::latency {

/// One frame of one capture, and the time on its stamp.
struct Place {
    std::uint32_t capture = 0;  ///< index of the file
    std::uint64_t frame = 0;    ///< counts from 0 over all frames of the file
    std::uint64_t time_ns = 0;  ///< nanoseconds since 1970, by the clock of the capture's stamps
};

/// A frame of the feed that an order may refer to.
struct Trigger {
    Place place;
    std::uint64_t key = 0;         ///< what orders refer to it by, as Order::key
    std::uint64_t identity = 0;    ///< equal for copies of one datagram, whatever capture or line they are on
    std::uint32_t wire_bytes = 0;  ///< of the frame with its check sequence, without trailers
};

/// A NewOrderSingle; its place is the frame that carried its first byte first.
struct Order {
    Place place;
    std::string sender;       ///< SenderCompID (49)
    std::string cl_ord_id;    ///< 11
    std::string symbol;       ///< 55; empty when absent
    std::string security_id;  ///< 48; empty when absent
    std::optional<Decimal> price;
    /// Of the triggers that may have caused it; empty when the order does not say what it refers to.
    std::optional<std::uint64_t> key;
};

}  // namespace tickpath::latency
