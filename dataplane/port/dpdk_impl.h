// What a DpdkPort is inside. Included by the dpdk_*.cc files only: DPDK's headers end here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_mempool.h>

#include "dataplane/core/cache_line.h"
#include "dataplane/core/counters.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/port/port_plan.h"
#include "dataplane/port/replay_pace.h"

namespace tickpath::port {

/// Frees a pool; all its buffers must be back.
struct PoolDeleter {
    void operator()(rte_mempool* pool) const noexcept { rte_mempool_free(pool); }
};
using Pool = std::unique_ptr<rte_mempool, PoolDeleter>;
using Burst = std::array<rte_mbuf*, burst_frames_max>;

class DpdkPort::Impl {
public:
    /// Used by the one thread that polls the queue.
    struct alignas(core::cache_line_bytes) Queue {
        Burst held{};  ///< frames of the last rx_burst
        std::uint16_t held_count = 0;
        std::uint16_t index = 0;
        std::uint64_t next_frame_number = 0;
        core::Counter frames{};
        core::Counter bytes{};
        core::Counter multi_segment{};
    };

    /// A capture being replayed: it has one queue.
    struct Replay {
        ReplayPace pace;
        CaptureIndex index;
        ReplaySeat seat;
        Burst pending{};  ///< read from the file, not due yet
        std::uint16_t pending_at = 0;
        std::uint16_t pending_count = 0;
        bool has_ended = false;  ///< the PMD has no more, whatever the index says
        core::Counter late_us_max{};
        core::Counter missing{};
    };

    /// Where the driver leaves a receive time in an mbuf, if it does.
    struct RxStamp {
        int offset = -1;
        std::uint64_t flag = 0;
        model::TimeDomain domain = model::TimeDomain::none;
        std::uint64_t ns_per_tick = 1;
    };

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    [[nodiscard]] std::size_t rx_burst(Queue& queue, std::span<model::Frame> out) noexcept;
    void release(Queue& queue) noexcept;

    PortFacts facts;
    std::uint16_t port_id = 0;       ///< DPDK's
    std::uint16_t config_index = 0;  ///< ours: Frame::port
    bool is_started = false;
    std::vector<Pool> rx_pools;  ///< one per queue
    Pool tx_pool;
    std::vector<Queue> queues;
    RxStamp stamp;
    std::optional<Replay> replay;

private:
    [[nodiscard]] std::size_t take_due(Replay& from, Queue& queue, std::size_t room) noexcept;
    [[nodiscard]] bool read_ahead(Replay& from, const Queue& queue) noexcept;
    [[nodiscard]] std::int64_t pending_time_ns(const Replay& from, const Queue& queue,
                                               std::size_t ahead) const noexcept;
    [[nodiscard]] std::size_t fill(Queue& queue, std::span<model::Frame> out) noexcept;
    [[nodiscard]] model::Timestamp time_of(const rte_mbuf& frame, std::uint64_t frame_number,
                                           std::uint64_t now_cycles) const noexcept;
};

/// Configures and starts the device DPDK found for `planned`; nullptr and a sentence when it refuses.
[[nodiscard]] std::unique_ptr<DpdkPort::Impl> start_device(const PortSettings& settings, PlannedPort planned,
                                                           std::uint16_t config_index, std::string& why_not);

}  // namespace tickpath::port
