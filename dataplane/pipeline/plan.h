// Which worker polls which queues, and so which channels it owns. A pure function of the configuration. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decoders/base/diagnostics.h"

namespace tickpath::pipeline {

/// One receive queue of one port, both by index.
struct QueueRef {
    std::uint16_t port = 0;
    std::uint16_t queue = 0;

    friend bool operator==(QueueRef, QueueRef) = default;
};

/// A configured receive worker. `cpu < 0` leaves the thread unpinned.
struct ReceiverRequest {
    std::string name;
    int cpu = -1;
    std::vector<std::uint16_t> ports;  ///< indices; polled alone, or shared with a queue for each worker
};

/// A channel and the ports on which its lines arrive.
struct ChannelRequest {
    std::string name;
    std::vector<std::uint16_t> ports;
};

struct PlanRequest {
    std::vector<std::string> port_names;
    std::vector<std::uint16_t> port_queue_counts;  ///< as long as port_names
    std::vector<ReceiverRequest> receivers;        ///< empty: one unpinned receiver polls everything
    std::vector<ChannelRequest> channels;
    bool split = false;  ///< trade on a core of its own, behind rings
    int trade_cpu = -1;
};

struct ReceiverPlan {
    std::string name;
    int cpu = -1;
    std::vector<QueueRef> queues;
    std::vector<std::uint16_t> channels;  ///< indices into PlanRequest::channels
};

struct Plan {
    std::vector<ReceiverPlan> receivers;
    bool split = false;
    int trade_cpu = -1;
};

/// Assigns queues and channels to workers. Who polls a port alone polls all its queues; workers that share
/// one have a queue of it each, in the order they stand, and steering.h says how the groups come there. A
/// channel goes to the worker with the fewest lines among those that poll all its ports.
///
/// Errors (all of them, under `file`): a port polled by none, or by more or fewer workers than it has queues;
/// a channel whose lines arrive at ports of different workers, because the first copy of a packet number must
/// win on one core; several receivers without `split`, because one trade stage cannot be called from two
/// cores.
[[nodiscard]] Plan make_plan(const PlanRequest& request, std::string_view file, Diagnostics& diagnostics);

}  // namespace tickpath::pipeline
