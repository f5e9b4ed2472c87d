#include "dataplane/port/bypass_tcp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

extern "C" {  // Debian's lwipopts.h declares C functions and does not say so
#include <lwip/opt.h>
}
#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/ip4_frag.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sys.h>
#include <lwip/tcp.h>
#include <lwip/tcpip.h>
#include <netif/ethernet.h>

#include "dataplane/port/byte_ring.h"
#include "dataplane/port/order_frame.h"
#include "dataplane/port/port.h"

namespace tickpath::port {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint16_t mtu_bytes = 1500;
constexpr std::size_t bursts_per_poll_max = 4;
constexpr std::size_t receive_bytes = 64 * 1024;
static_assert(receive_bytes > TCP_WND, "what the peer may send has a place");
constexpr std::uint16_t local_port_first = 49'152;  // RFC 6335: dynamic ports
constexpr std::uint16_t local_port_count = 16'384;
constexpr int bind_attempts_max = 64;  // more than connections that wait for their end (RFC 9293: TIME-WAIT)

/// lwIP's state is global; one link has it at a time.
bool is_stack_taken = false;

/// Debian's lwIP is built for threads: its entry points want the core lock to exist and to be held. Orders
/// have one thread, so it is taken once and kept (spec/dataplane.md §8).
void start_lwip_once() {
    static const bool is_started = [] {
        sys_mutex_new(&lock_tcpip_core);
        LOCK_TCPIP_CORE();
        lwip_init();
        return true;
    }();
    static_cast<void>(is_started);
}

/// Calls a timer of lwIP at its interval. A late caller does not get the calls it missed.
class Timer {
public:
    explicit Timer(std::uint64_t interval_ms) noexcept : interval_ns_(interval_ms * ns_per_ms) {}

    template <class Expired>
    void run(std::uint64_t now_ns, Expired&& expired) noexcept {
        if (now_ns < due_ns_) [[likely]]
            return;
        due_ns_ = std::max(due_ns_ + interval_ns_, now_ns + interval_ns_ / 2);
        expired();
    }

private:
    std::uint64_t interval_ns_;
    std::uint64_t due_ns_ = 0;
};

}  // namespace

class BypassTcp::Stack {
public:
    Stack(FrameWire& wire, const BypassTcpSettings& settings, core::CounterPage& counters,
          std::string_view owner)
        : wire_(wire),
          settings_(settings),
          backlog_(settings.backlog_bytes),
          received_(receive_bytes),
          backoff_ms_(settings.reconnect_ms_first),
          segments_out_(counters.add(owner, "segments_out")),
          segments_in_(counters.add(owner, "segments_in")),
          retransmissions_(counters.add(owner, "retransmissions")),
          tx_refused_(counters.add(owner, "tx_refused")),
          no_memory_(counters.add(owner, "no_memory")),
          arp_failures_(counters.add(owner, "arp_failures")),
          checksum_errors_(counters.add(owner, "checksum_errors")),
          fragments_(counters.add(owner, "fragments")),
          malformed_(counters.add(owner, "malformed")) {}

    ~Stack() {
        if (!has_stack_) return;
        leave_connection(Leave::abort);
        netif_remove(&netif_);  // aborts the connections that still say goodbye
        is_stack_taken = false;
    }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    [[nodiscard]] bool send(std::span<const std::byte> bytes) noexcept {
        if (state_ != model::LinkState::up || pcb_ == nullptr) return false;
        if (bytes.size() > backlog_.free_bytes()) return false;  // what lwIP leaves over must have a place
        if (backlog_.empty() && write(bytes)) [[likely]] {
            push_out();
            return true;
        }
        return backlog_.push(bytes);
    }

    [[nodiscard]] std::size_t receive(std::span<std::byte> buffer) noexcept {
        if (state_ != model::LinkState::up) return 0;
        std::size_t taken = 0;
        while (taken != buffer.size() && !received_.empty()) {
            const auto piece = received_.front();
            const std::size_t count = std::min(piece.size(), buffer.size() - taken);
            std::memcpy(buffer.data() + taken, piece.data(), count);
            received_.pop(count);
            taken += count;
        }
        if (taken != 0) {
            has_received_ = true;
            if (pcb_ != nullptr) tcp_recved(pcb_, static_cast<u16_t>(taken));
        } else {
            follow_end();
        }
        return taken;
    }

    void poll(std::uint64_t now_ns) noexcept {
        if (!has_stack_ && !start_stack()) return;
        take_frames();
        run_timers(now_ns);
        switch (state_) {
            case model::LinkState::up:
                if (!backlog_.empty()) flush_backlog();
                if (must_push_ && pcb_ != nullptr) push_out();
                if (received_.empty()) follow_end();
                return;
            case model::LinkState::connecting:
                finish_connect(now_ns);
                return;
            case model::LinkState::down:
                if (!may_connect_) return;
                if (must_plan_retry_) plan_retry(now_ns);
                if (now_ns >= retry_at_ns_) start_connect(now_ns);
                return;
        }
    }

    void close(bool stay_down) noexcept {
        if (stay_down) may_connect_ = false;
        if (state_ == model::LinkState::down) return;
        leave_connection(Leave::close);
        go_down();
    }

    [[nodiscard]] model::LinkState state() const noexcept { return state_; }
    [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_.size(); }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
    [[nodiscard]] std::string_view error_text() const noexcept { return error_text_.data(); }
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

private:
    enum class Leave : std::uint8_t { close, abort };

    // --- the interface ---

    /// False when another link of this process has lwIP.
    [[gnu::cold, gnu::noinline]] bool start_stack() noexcept {
        if (is_stack_taken) {
            std::snprintf(error_text_.data(), error_text_.size(),
                          "another order link of this process has the bypass stack: only one may");
            return false;
        }
        is_stack_taken = true;
        start_lwip_once();
        const ip4_addr_t address{settings_.address};
        const ip4_addr_t netmask{settings_.netmask};
        const ip4_addr_t gateway{settings_.gateway};
        netif_add(&netif_, &address, &netmask, &gateway, this, &Stack::on_netif_init, &ethernet_input);
        netif_set_default(&netif_);
        has_stack_ = true;
        netif_set_up(&netif_);  // says our address to the network (gratuitous ARP)
        return true;
    }

    static err_t on_netif_init(netif* interface) noexcept {
        const auto* self = static_cast<const Stack*>(interface->state);
        interface->name[0] = 't';
        interface->name[1] = 'p';
        interface->output = &etharp_output;
        interface->linkoutput = &Stack::on_output;
        interface->mtu = mtu_bytes;
        interface->hwaddr_len = ETH_HWADDR_LEN;
        for (std::size_t i = 0; i < ETH_HWADDR_LEN; ++i)
            interface->hwaddr[i] = static_cast<u8_t>(self->settings_.mac.bits >> (40 - 8 * i));
        interface->flags =
            NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
        return ERR_OK;
    }

    /// lwIP keeps a segment that was refused and sends it again when asked (push_out).
    static err_t on_output(netif* interface, pbuf* chain) noexcept {
        auto& self = *static_cast<Stack*>(interface->state);
        const std::span<std::byte> frame = self.wire_.tx_alloc(chain->tot_len);
        if (frame.empty()) [[unlikely]]
            return self.refused();
        pbuf_copy_partial(chain, frame.data(), chain->tot_len, 0);
        self.note_sent(place_of(frame));
        return self.wire_.tx_send() ? err_t{ERR_OK} : self.refused();
    }
    [[gnu::cold, gnu::noinline]] err_t refused() noexcept {
        tx_refused_.add();
        must_push_ = true;
        return ERR_MEM;
    }

    /// What starts below the highest number sent on this connection went before.
    void note_sent(const SegmentPlace& place) noexcept {
        if (!place.is_tcp) return;
        segments_out_.add();
        if (pcb_ == nullptr || place.source_port != pcb_->local_port || place.length == 0) return;
        const std::uint32_t end = place.sequence + place.length;
        if (has_sent_ && static_cast<std::int32_t>(place.sequence - sent_end_) < 0) retransmissions_.add();
        if (!has_sent_ || static_cast<std::int32_t>(end - sent_end_) > 0) sent_end_ = end;
        has_sent_ = true;
    }

    void take_frames() noexcept {
        for (std::size_t burst = 0; burst < bursts_per_poll_max; ++burst) {
            const std::size_t count = wire_.rx_burst(frames_);
            for (const model::Frame& frame : std::span(frames_).first(count))
                take({frame.data, frame.size_bytes});
            wire_.rx_free();
            if (count < frames_.size()) return;
        }
    }

    void take(std::span<const std::byte> frame) noexcept {
        switch (classify(frame, settings_.address)) {
            case OrderFrame::other:
                return;
            case OrderFrame::tcp:
                segments_in_.add();
                return feed(frame);
            case OrderFrame::arp:
            case OrderFrame::ping:
                return feed(frame);
            case OrderFrame::fragment:
                return fragments_.add();
            case OrderFrame::bad_checksum:
                return checksum_errors_.add();
            case OrderFrame::malformed:
                return malformed_.add();
        }
    }

    void feed(std::span<const std::byte> frame) noexcept {
        const auto size = static_cast<u16_t>(std::min<std::size_t>(frame.size(), mtu_bytes + SIZEOF_ETH_HDR));
        pbuf* const buffer = pbuf_alloc(PBUF_RAW, size, PBUF_RAM);
        if (buffer == nullptr) return no_memory_.add();  // as if lost on the wire: the peer sends it again
        pbuf_take(buffer, frame.data(), size);
        if (netif_.input(buffer, &netif_) != ERR_OK) pbuf_free(buffer);
    }

    void run_timers(std::uint64_t now_ns) noexcept {
        tcp_timer_.run(now_ns, [] { tcp_tmr(); });
        arp_timer_.run(now_ns, [] { etharp_tmr(); });
    }

    // --- the connection ---

    void start_connect(std::uint64_t now_ns) noexcept {
        pcb_ = tcp_new();
        if (pcb_ == nullptr) {
            no_memory_.add();
            return fail("cannot connect: no memory for a connection", "");
        }
        has_sent_ = is_connected_ = has_peer_closed_ = false;
        end_ = ERR_OK;
        tcp_nagle_disable(pcb_);
        tcp_arg(pcb_, this);
        tcp_recv(pcb_, &Stack::on_received);
        tcp_err(pcb_, &Stack::on_end);
        const ip_addr_t peer = IPADDR4_INIT(settings_.peer_address);
        state_ = model::LinkState::connecting;
        connect_deadline_ns_ = now_ns + settings_.connect_timeout_ms * ns_per_ms;
        if (!bind_local_port(now_ns) ||
            tcp_connect(pcb_, &peer, settings_.peer_port, &Stack::on_connected) != ERR_OK)
            fail_connect("the stack refuses", "");
    }

    /// One that no connection of ours has or had lately. A program that starts again begins elsewhere: the
    /// peer may still hold the connection it had.
    [[nodiscard]] bool bind_local_port(std::uint64_t now_ns) noexcept {
        const ip_addr_t ours = IPADDR4_INIT(settings_.address);
        if (local_port_ == 0) local_port_ = static_cast<std::uint16_t>(now_ns / 1000 % local_port_count);
        for (int attempt = 0; attempt < bind_attempts_max; ++attempt) {
            local_port_ = static_cast<std::uint16_t>((local_port_ + 1) % local_port_count);
            if (tcp_bind(pcb_, &ours, static_cast<u16_t>(local_port_first + local_port_)) == ERR_OK)
                return true;
        }
        return false;
    }

    static err_t on_connected(void* link, tcp_pcb*, err_t) noexcept {
        static_cast<Stack*>(link)->is_connected_ = true;
        return ERR_OK;
    }

    /// Only keeps the bytes: lwIP sends nothing from within this callback, and would not say so.
    static err_t on_received(void* link, tcp_pcb*, pbuf* chain, err_t) noexcept {
        auto& self = *static_cast<Stack*>(link);
        if (chain == nullptr) {
            self.has_peer_closed_ = true;
            return ERR_OK;
        }
        if (chain->tot_len > self.received_.free_bytes()) return ERR_MEM;  // lwIP keeps it and comes again
        for (const pbuf* piece = chain; piece != nullptr; piece = piece->next)
            static_cast<void>(
                self.received_.push({static_cast<const std::byte*>(piece->payload), piece->len}));
        pbuf_free(chain);
        return ERR_OK;
    }

    /// The connection is gone, and lwIP has freed it.
    static void on_end(void* link, err_t cause) noexcept {
        auto& self = *static_cast<Stack*>(link);
        self.pcb_ = nullptr;
        self.end_ = cause;
    }

    void finish_connect(std::uint64_t now_ns) noexcept {
        if (end_ != ERR_OK) {
            if (end_ == ERR_RST)
                return fail_connect("Connection refused",
                                    ": is the counterparty running and listening there?");
            return fail_connect("Connection timed out", ": check the address, the route and the firewall");
        }
        if (is_connected_) return came_up(now_ns);
        if (now_ns < connect_deadline_ns_) return;
        if (is_next_hop_known())
            return fail_connect("Connection timed out", ": check the address, the route and the firewall");
        arp_failures_.add();
        fail_connect("no answer to ARP",
                     settings_.gateway == 0 || is_neighbour()
                         ? ": is the peer on this network, and are address and netmask right?"
                         : " from the gateway: is its address right?");
    }

    [[nodiscard]] bool is_neighbour() const noexcept {
        return ((settings_.address ^ settings_.peer_address) & settings_.netmask) == 0;
    }
    [[nodiscard]] bool is_next_hop_known() noexcept {
        const ip4_addr_t next_hop{is_neighbour() ? settings_.peer_address : settings_.gateway};
        eth_addr* mac = nullptr;
        const ip4_addr_t* address = nullptr;
        return etharp_find_addr(&netif_, &next_hop, &mac, &address) >= 0;
    }

    void came_up(std::uint64_t now_ns) noexcept {
        up_since_ns_ = now_ns;
        state_ = model::LinkState::up;
        ++generation_;
        error_text_[0] = '\0';
    }

    /// What came before the end is read first.
    void follow_end() noexcept {
        if (end_ != ERR_OK)
            fail(end_ == ERR_RST ? "the peer reset the connection" : "the connection broke off", "");
        else if (has_peer_closed_)
            fail("the peer closed the connection", "");
    }

    [[nodiscard]] bool write(std::span<const std::byte> bytes) noexcept {
        if (bytes.size() > tcp_sndbuf(pcb_)) return false;
        return tcp_write(pcb_, bytes.data(), static_cast<u16_t>(bytes.size()), TCP_WRITE_FLAG_COPY) == ERR_OK;
    }
    void push_out() noexcept {
        must_push_ = false;
        if (tcp_output(pcb_) == ERR_MEM) no_memory_.add();
    }

    void flush_backlog() noexcept {
        if (pcb_ == nullptr) return;
        const auto oldest = backlog_.front();
        const std::size_t count = std::min<std::size_t>(oldest.size(), tcp_sndbuf(pcb_));
        if (count == 0 || !write(oldest.first(count))) return;
        backlog_.pop(count);
        push_out();
    }

    // --- the end of a connection ---

    /// See KernelTcp: a peer that only accepts gets ever longer pauses.
    void plan_retry(std::uint64_t now_ns) noexcept {
        must_plan_retry_ = false;
        const bool was_steady = has_received_ && now_ns - up_since_ns_ >= settings_.steady_ms * ns_per_ms;
        has_received_ = false;
        if (was_steady) backoff_ms_ = settings_.reconnect_ms_first;
        retry_at_ns_ = now_ns + backoff_ms_ * ns_per_ms;
        backoff_ms_ = std::min(backoff_ms_ * 2, settings_.reconnect_ms_max);
    }

    [[gnu::cold, gnu::noinline]] void fail_connect(const char* why, const char* advice) noexcept {
        ++failures_;
        std::array<char, 128> text{};
        std::snprintf(text.data(), text.size(), "cannot connect: %s", why);
        fail(text.data(), advice);
    }

    [[gnu::cold, gnu::noinline]] void fail(const char* what, const char* advice) noexcept {
        std::array<char, IP4ADDR_STRLEN_MAX> address{};
        const ip4_addr_t peer{settings_.peer_address};
        ip4addr_ntoa_r(&peer, address.data(), static_cast<int>(address.size()));
        std::snprintf(error_text_.data(), error_text_.size(), "%s:%u: %s%s", address.data(),
                      unsigned{settings_.peer_port}, what, advice);
        leave_connection(state_ == model::LinkState::connecting ? Leave::abort : Leave::close);
        go_down();
    }

    void go_down() noexcept {
        state_ = model::LinkState::down;
        must_plan_retry_ = true;
        must_push_ = false;
        end_ = ERR_OK;
        has_peer_closed_ = is_connected_ = false;
        backlog_.clear();
        received_.clear();
    }

    /// After a close lwIP still sends what it took and says goodbye, without telling us.
    void leave_connection(Leave how) noexcept {
        if (pcb_ == nullptr) return;
        tcp_pcb* const left = pcb_;
        pcb_ = nullptr;
        tcp_arg(left, nullptr);
        tcp_recv(left, nullptr);
        tcp_err(left, nullptr);
        if (how == Leave::abort || tcp_close(left) != ERR_OK) tcp_abort(left);
    }

    FrameWire& wire_;
    tcp_pcb* pcb_ = nullptr;
    model::LinkState state_ = model::LinkState::down;
    bool has_stack_ = false;
    bool may_connect_ = true;
    bool must_plan_retry_ = false;  ///< went down outside of poll, where the time is not known
    bool must_push_ = false;        ///< the wire refused a segment
    bool is_connected_ = false;     // the four below are set by lwIP's callbacks
    bool has_peer_closed_ = false;
    err_t end_ = ERR_OK;         ///< why lwIP freed the connection
    bool has_received_ = false;  ///< on this connection, by our user
    bool has_sent_ = false;
    std::uint32_t sent_end_ = 0;  ///< one behind the highest sequence number sent
    std::uint16_t local_port_ = 0;
    BypassTcpSettings settings_;
    ByteRing backlog_;
    ByteRing received_;
    std::array<model::Frame, burst_frames_max> frames_{};
    netif netif_{};
    Timer tcp_timer_{TCP_TMR_INTERVAL};
    Timer arp_timer_{ARP_TMR_INTERVAL};
    std::uint64_t generation_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t up_since_ns_ = 0;
    std::uint64_t connect_deadline_ns_ = 0;
    std::uint64_t retry_at_ns_ = 0;
    std::uint32_t backoff_ms_;
    core::Counter segments_out_;
    core::Counter segments_in_;
    core::Counter retransmissions_;
    core::Counter tx_refused_;
    core::Counter no_memory_;
    core::Counter arp_failures_;
    core::Counter checksum_errors_;
    core::Counter fragments_;
    core::Counter malformed_;
    std::array<char, 192> error_text_{};
};

BypassTcp::BypassTcp(FrameWire& wire, const BypassTcpSettings& settings, core::CounterPage& counters,
                     std::string_view owner)
    : stack_(std::make_unique<Stack>(wire, settings, counters, owner)) {}
BypassTcp::~BypassTcp() = default;

bool BypassTcp::send(std::span<const std::byte> bytes) noexcept {
    return stack_->send(bytes);
}
std::size_t BypassTcp::receive(std::span<std::byte> buffer) noexcept {
    return stack_->receive(buffer);
}
void BypassTcp::poll(std::uint64_t now_ns) noexcept {
    stack_->poll(now_ns);
}
void BypassTcp::close(bool stay_down) noexcept {
    stack_->close(stay_down);
}
model::LinkState BypassTcp::state() const noexcept {
    return stack_->state();
}
std::size_t BypassTcp::backlog_bytes() const noexcept {
    return stack_->backlog_bytes();
}
std::uint64_t BypassTcp::generation() const noexcept {
    return stack_->generation();
}
std::string_view BypassTcp::error_text() const noexcept {
    return stack_->error_text();
}
std::uint64_t BypassTcp::failures() const noexcept {
    return stack_->failures();
}

}  // namespace tickpath::port
