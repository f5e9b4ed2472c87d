// The floor of scripts/bench --tick-to-trade: receives by the same port and sends by the same kernel call as
// tickpath run, and does nothing between but name the datagram in bytes that are otherwise fixed. Without
// that no capture could join the two.
//
//     wire-floor INTERFACE ADDRESS PORT CPU WARM_US
//
// Connects to ADDRESS:PORT, polls af_packet on INTERFACE, answers each datagram of the trigger source port,
// and sends the same bytes to itself each WARM_US without one (0: never), as the warm path does. Ends with
// SIGINT or SIGTERM and prints how many it answered.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "bench/path/wire_ports.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/port/membership.h"
#include "dataplane/trade/loopback_pair.h"
#include "dataplane/trade/order_id.h"
#include "decoders/base/bytes.h"
#include "decoders/net/headers.h"

namespace tickpath::bench {
namespace {

std::atomic<bool> wants_stop{false};

struct Wishes {
    std::string interface;
    sockaddr_in peer{};
    unsigned cpu = 0;
    std::uint64_t warm_us = 0;
};

/// A NewOrderSingle as long as hit-quote's, in which ClOrdID and CheckSum alone change.
class FixedOrder {
public:
    FixedOrder() {
        const std::string body =
            "35=D\00149=TICKPATH\00156=EXCHANGE\00134=2\00152=20261201-00:00:00.000000\00111=" +
            std::string(model::cl_ord_id_chars, '0') +
            "\00155=FUT-0-12.26\00154=2\00160=20261201-00:00:00.000000\00138=50\00140=2\00144=22450.50\00159="
            "3\001";
        bytes_ = "8=FIX.4.4\0019=" + std::to_string(body.size()) + '\001' + body;
        token_at_ = bytes_.find("\00111=") + 4;
        for (const char c : bytes_)
            fixed_sum_ += static_cast<unsigned char>(c);
        fixed_sum_ -= static_cast<unsigned>('0') * model::cl_ord_id_chars;
        bytes_ += "10=000\001";
    }

    [[nodiscard]] std::span<const std::byte> naming(std::uint32_t packet_sequence) noexcept {
        const model::ClOrdId id = trade::encode({.packet_sequence = packet_sequence, .counter = ++counter_});
        unsigned sum = fixed_sum_;
        for (const char c : id)
            sum += static_cast<unsigned char>(c);
        std::copy(id.begin(), id.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(token_at_));
        char* const check = bytes_.data() + bytes_.size() - 4;
        check[0] = static_cast<char>('0' + sum % 256 / 100);
        check[1] = static_cast<char>('0' + sum % 256 / 10 % 10);
        check[2] = static_cast<char>('0' + sum % 256 % 10);
        return std::as_bytes(std::span(bytes_));
    }

private:
    std::string bytes_;
    std::size_t token_at_ = 0;
    unsigned fixed_sum_ = 0;
    std::uint32_t counter_ = 0;
};

/// Connected with TCP_NODELAY; -1 when nobody listens.
int connect_to(const sockaddr_in& peer) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0 ? socket : -1;
}

/// The packet number of a trigger, nothing of any other frame.
std::optional<std::uint32_t> trigger_number(const model::Frame& frame) noexcept {
    const net::UdpParse parsed = net::parse_udp({frame.data, frame.size_bytes});
    if (parsed.outcome != net::UdpOutcome::ok || parsed.udp.source_port != trigger_source_port ||
        parsed.udp.payload.size() < 4)
        return std::nullopt;
    return load_little<std::uint32_t>(parsed.udp.payload.data());
}

class Floor {
public:
    Floor(port::DpdkPort& port, int order_socket, std::uint64_t warm_us)
        : port_(port), order_socket_(order_socket), warm_cycles_(clock_.to_cycles(warm_us * 1'000)) {
        if (warm_us != 0) loopback_.emplace();
    }

    void run() noexcept {
        std::array<model::Frame, port::burst_frames_max> frames;
        std::array<std::byte, 4'096> answers;
        while (!wants_stop.load(std::memory_order_relaxed)) {
            const std::size_t count = port_.rx_burst(0, frames);
            for (std::size_t i = 0; i < count; ++i)
                if (const auto number = trigger_number(frames[i])) send(order_.naming(*number));
            port_.release(0);
            if (count != 0) continue;
            (void)::recv(order_socket_, answers.data(), answers.size(), MSG_DONTWAIT);
            warm();
        }
    }
    [[nodiscard]] std::uint64_t orders() const noexcept { return orders_; }
    [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

private:
    void send(std::span<const std::byte> bytes) noexcept {
        const ssize_t sent = ::send(order_socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        ++(sent == static_cast<ssize_t>(bytes.size()) ? orders_ : refused_);
        last_cycles_ = core::cycles_now();
    }
    void warm() noexcept {
        const std::uint64_t now_cycles = core::cycles_now();
        if (!loopback_ || now_cycles - last_cycles_ < warm_cycles_) return;
        last_cycles_ = now_cycles;
        loopback_->send(order_.naming(0));
    }

    port::DpdkPort& port_;
    int order_socket_;
    core::CycleClock clock_ = core::CycleClock::calibrate();
    std::uint64_t warm_cycles_;
    std::uint64_t last_cycles_ = 0;
    std::uint64_t orders_ = 0;
    std::uint64_t refused_ = 0;
    FixedOrder order_;
    std::optional<trade::LoopbackPair> loopback_;
};

void say(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics.all())
        std::fprintf(stderr, "wire-floor: %s\n", diagnostic.format().c_str());
}

template <class Number>
bool read(std::string_view word, Number& number) {
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    return failure == std::errc() && end == word.data() + word.size();
}

bool read_wishes(std::span<char*> words, Wishes& wishes) {
    std::uint16_t port = 0;
    if (words.size() != 6 || ::inet_aton(words[2], &wishes.peer.sin_addr) == 0 || !read(words[3], port) ||
        !read(words[4], wishes.cpu) || !read(words[5], wishes.warm_us))
        return false;
    wishes.interface = words[1];
    wishes.peer.sin_family = AF_INET;
    wishes.peer.sin_port = htons(port);
    return true;
}

int measure(const Wishes& wishes) {
    Diagnostics diagnostics;
    port::PortSettings settings;
    settings.name = "feed";
    settings.device = "af_packet:" + wishes.interface;
    const auto environment = port::Environment::open(std::span(&settings, 1), diagnostics);
    const std::array groups = {net::MulticastGroup{market_group, market_port}};
    const auto membership = port::Membership::join(wishes.interface, groups, "", diagnostics);
    say(diagnostics);
    if (!environment || diagnostics.has_errors()) return 1;
    if (!environment->port(0).let_in(groups).error.empty()) return 1;
    const int order_socket = connect_to(wishes.peer);
    if (order_socket < 0) {
        std::perror("wire-floor: cannot connect");
        return 1;
    }
    if (core::pin_to(wishes.cpu) != Errc::ok) std::fputs("wire-floor: not pinned\n", stderr);
    (void)port::Environment::register_this_thread();
    Floor floor(environment->port(0), order_socket, wishes.warm_us);
    std::fputs("wire-floor: ready\n", stderr);
    floor.run();
    port::Environment::unregister_this_thread();
    std::printf("{\"orders\": %llu, \"refused\": %llu}\n", static_cast<unsigned long long>(floor.orders()),
                static_cast<unsigned long long>(floor.refused()));
    return floor.refused() == 0 ? 0 : 1;
}

int run(std::span<char*> words) {
    Wishes wishes;
    if (!read_wishes(words, wishes)) {
        std::fputs("usage: wire-floor INTERFACE ADDRESS PORT CPU WARM_US\n", stderr);
        return 2;
    }
    for (const int number : {SIGINT, SIGTERM})
        std::signal(number, [](int) { wants_stop.store(true, std::memory_order_relaxed); });
    return measure(wishes);
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    return tickpath::bench::run({argv, static_cast<std::size_t>(argc)});
}
