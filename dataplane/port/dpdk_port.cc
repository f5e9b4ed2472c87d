#include "dataplane/port/dpdk_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/port/dpdk_flow.h"
#include "dataplane/port/dpdk_impl.h"

namespace tickpath::port {

DpdkPort::DpdkPort(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
DpdkPort::~DpdkPort() = default;

std::size_t DpdkPort::rx_burst(std::uint16_t queue, std::span<model::Frame> out) noexcept {
    return impl_->rx_burst(impl_->queues[queue], out);
}

void DpdkPort::release(std::uint16_t queue) noexcept {
    impl_->release(impl_->queues[queue]);
}

bool DpdkPort::finished() const noexcept {
    if (!impl_->replay) return false;
    const Impl::Replay& replay = *impl_->replay;
    const Impl::Queue& queue = impl_->queues.front();
    const bool is_read = replay.has_ended || queue.next_frame_number == replay.index.frame_count;
    return is_read && replay.pending_at == replay.pending_count && queue.held_count == 0;
}

std::size_t DpdkPort::tx(std::span<const std::byte> frame) noexcept {
    rte_mbuf* buffer = rte_pktmbuf_alloc(impl_->tx_pool.get());
    if (buffer == nullptr) [[unlikely]]
        return 0;
    char* const to = frame.size() <= UINT16_MAX
                         ? rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(frame.size()))
                         : nullptr;
    if (to != nullptr) [[likely]] {
        std::memcpy(to, frame.data(), frame.size());
        if (rte_eth_tx_burst(impl_->port_id, 0, &buffer, 1) == 1) [[likely]]
            return frame.size();
    }
    rte_pktmbuf_free(buffer);
    return 0;
}

Steered DpdkPort::steer(std::span<const FlowRule> rules, bool isolate, std::string& why_not) {
    const std::uint16_t id = impl_->port_id;
    if (isolate)
        if (const Steered outcome = set_isolated(id, true, why_not); outcome != Steered::done) return outcome;
    if (make_rules(id, rules, why_not)) return Steered::done;
    std::string why_not_back;
    if (!isolate || set_isolated(id, false, why_not_back) == Steered::done) return Steered::refused;
    why_not += "; " + why_not_back;
    return Steered::broken;  // isolated and without rules it would receive nothing
}

void DpdkPort::count_into(core::CounterPage& page, std::uint16_t queue, std::string_view owner) {
    Impl::Queue& counted = impl_->queues[queue];
    counted.frames = page.add(owner, "rx_frames");
    counted.bytes = page.add(owner, "rx_bytes");
    counted.multi_segment = page.add(owner, "rx_multi_segment");
    if (!impl_->replay) return;
    impl_->replay->late_us_max = page.add(owner, "rx_late_us_max");
    impl_->replay->missing = page.add(owner, "rx_replay_missing");
}

std::uint16_t DpdkPort::queue_count() const noexcept {
    return impl_->facts.queue_count;
}

const PortFacts& DpdkPort::facts() const noexcept {
    return impl_->facts;
}

DeviceStats DpdkPort::device_stats() const {
    rte_eth_stats stats{};
    if (rte_eth_stats_get(impl_->port_id, &stats) != 0) return {};
    return {.frames = stats.ipackets,
            .missed = stats.imissed,
            .errors = stats.ierrors,
            .no_buffer = stats.rx_nombuf};
}

DpdkPort::Impl::~Impl() {
    for (Queue& queue : queues)
        release(queue);
    if (replay)
        rte_pktmbuf_free_bulk(replay->pending.data() + replay->pending_at,
                              static_cast<unsigned>(replay->pending_count - replay->pending_at));
    if (is_started) {
        rte_eth_dev_stop(port_id);
        rte_eth_dev_close(port_id);
    }
}

std::size_t DpdkPort::Impl::rx_burst(Queue& queue, std::span<model::Frame> out) noexcept {
    if (queue.held_count != 0) release(queue);  // a burst of which no frame could be delivered
    const std::size_t room = std::min(out.size(), burst_frames_max);
    if (replay) {
        if (take_due(*replay, queue, room) == 0) return 0;
    } else {
        queue.held_count =
            rte_eth_rx_burst(port_id, queue.index, queue.held.data(), static_cast<std::uint16_t>(room));
        if (queue.held_count == 0) return 0;
    }
    return fill(queue, out);
}

void DpdkPort::Impl::release(Queue& queue) noexcept {
    rte_pktmbuf_free_bulk(queue.held.data(), queue.held_count);
    queue.held_count = 0;
}

// Moves what is due, and whose turn it is, from pending to held.
std::size_t DpdkPort::Impl::take_due(Replay& from, Queue& queue, std::size_t room) noexcept {
    ReplayOrder& order = *from.seat.order;
    if (from.pending_at == from.pending_count && !read_ahead(from, queue)) {
        order.announce(from.seat.member, ReplayOrder::no_more);
        return 0;
    }
    const std::uint64_t now_cycles = core::cycles_now();
    if (!from.pace.is_started())
        from.pace.start(order.begin(now_cycles), static_cast<std::uint64_t>(order.first_time_ns()));
    const std::int64_t first_ns = pending_time_ns(from, queue, 0);
    const std::int64_t due_ns = from.pace.due_time_ns(now_cycles);
    const std::int64_t until_ns = std::min(due_ns, order.turn_until(from.seat.member));
    const std::size_t pending = from.pending_count - from.pending_at;
    std::size_t count = 0;
    std::int64_t next_ns = first_ns;
    while (count < std::min(room, pending) && next_ns <= until_ns)
        if (++count < pending) next_ns = pending_time_ns(from, queue, count);
    const bool is_last = queue.next_frame_number + count == from.index.frame_count;
    order.announce(from.seat.member, is_last ? ReplayOrder::no_more : next_ns);
    std::copy_n(from.pending.data() + from.pending_at, count, queue.held.data());
    from.pending_at = static_cast<std::uint16_t>(from.pending_at + count);
    queue.held_count = static_cast<std::uint16_t>(count);
    if (count != 0 && !from.pace.is_max() && due_ns > first_ns)
        from.late_us_max.raise_to(static_cast<std::uint64_t>(due_ns - first_ns) / 1000);
    return count;
}

std::int64_t DpdkPort::Impl::pending_time_ns(const Replay& from, const Queue& queue,
                                             std::size_t ahead) const noexcept {
    return static_cast<std::int64_t>(
        time_of(*from.pending[from.pending_at + ahead], queue.next_frame_number + ahead, 0).value);
}

// The PMD returns 0 only at the end of its file: of buffers there are always enough, we hold at most two
// bursts.
bool DpdkPort::Impl::read_ahead(Replay& from, const Queue& queue) noexcept {
    const std::uint64_t left = from.index.frame_count - queue.next_frame_number;
    if (left == 0 || from.has_ended) return false;
    from.pending_at = 0;
    from.pending_count =
        rte_eth_rx_burst(port_id, queue.index, from.pending.data(),
                         static_cast<std::uint16_t>(std::min<std::uint64_t>(left, burst_frames_max)));
    if (from.pending_count != 0) return true;
    from.has_ended = true;
    from.missing.set(left);
    return false;
}

std::size_t DpdkPort::Impl::fill(Queue& queue, std::span<model::Frame> out) noexcept {
    const std::uint64_t now_cycles = core::cycles_now();
    const std::span<rte_mbuf*> held(queue.held.data(), queue.held_count);
    for (rte_mbuf* const buffer : held)
        __builtin_prefetch(rte_pktmbuf_mtod(buffer, const void*));
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (rte_mbuf* const buffer : held) {
        const std::uint64_t frame_number = queue.next_frame_number++;
        if (buffer->nb_segs != 1) [[unlikely]] {  // freed with the others on release
            queue.multi_segment.add();
            bytes += buffer->pkt_len;
            continue;
        }
        const bool is_ours_alone = rte_mbuf_refcnt_read(buffer) == 1 && RTE_MBUF_DIRECT(buffer);
        out[count++] = {.data = rte_pktmbuf_mtod(buffer, const std::byte*),
                        .size_bytes = buffer->data_len,
                        .tailroom_bytes = is_ours_alone ? rte_pktmbuf_tailroom(buffer) : 0u,
                        .frame_number = frame_number,
                        .rx_time = time_of(*buffer, frame_number, now_cycles),
                        .rx_cycles = now_cycles,
                        .port = config_index,
                        .queue = queue.index};
        bytes += buffer->data_len;
    }
    queue.frames.add(held.size());
    queue.bytes.add(bytes);
    return count;
}

model::Timestamp DpdkPort::Impl::time_of(const rte_mbuf& frame, std::uint64_t frame_number,
                                         std::uint64_t now_cycles) const noexcept {
    if (replay && !replay->index.times_ns.empty())
        return {replay->index.times_ns[frame_number], model::TimeDomain::capture_ns};
    if (stamp.offset < 0 || (frame.ol_flags & stamp.flag) == 0)
        return {now_cycles, model::TimeDomain::cycles};
    const auto ticks = *RTE_MBUF_DYNFIELD(&frame, stamp.offset, const rte_mbuf_timestamp_t*);
    return {ticks * stamp.ns_per_tick, stamp.domain};
}

}  // namespace tickpath::port
