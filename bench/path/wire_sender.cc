// Sends the made-up market as multicast datagrams through a plain socket, each at its time: warm-up updates
// that lead to no order, then triggers that each lead to one. The sender of scripts/bench --tick-to-trade.
//
//     wire-sender INTERFACE_ADDRESS WARM_UP RATE INTERVAL_MS TRIGGERS LOADED EVERY
//
// Books first, then WARM_UP updates at RATE a second, TRIGGERS datagrams with INTERVAL_MS before each, and
// LOADED datagrams at RATE of which each EVERY-th is a trigger. A few updates close the stream, so that a
// loss at its end shows as a hole. Triggers come from a source port of their own: a capture filter can tell
// them. Prints one JSON object.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/path/market.h"
#include "bench/path/wire_ports.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t headers_bytes = 42;  // Ethernet, IPv4 and UDP of the market's frames
constexpr std::size_t batch = 1'024;
constexpr std::size_t closing_count = 8;
constexpr std::uint64_t closing_pause_ns = 300'000'000;  // longer than a receiver's window

/// What the command line says, in its order.
struct Wishes {
    std::uint64_t warm_up = 0;
    std::uint64_t rate = 1;
    std::uint64_t interval_ms = 0;
    std::uint64_t triggers = 0;
    std::uint64_t loaded = 0;
    std::uint64_t every = 1;
};

/// A UDP socket that sends to the market's group by the interface of `address`; -1 when the system refuses.
int open_socket(in_addr address, std::uint16_t source_port) {
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in source{};
    source.sin_family = AF_INET;
    source.sin_port = htons(source_port);
    source.sin_addr = address;
    sockaddr_in group{};
    group.sin_family = AF_INET;
    group.sin_port = htons(market_port);
    group.sin_addr.s_addr = htonl(market_group);
    const bool is_ready = ::setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address) == 0 &&
                          ::bind(socket, reinterpret_cast<const sockaddr*>(&source), sizeof source) == 0 &&
                          ::connect(socket, reinterpret_cast<const sockaddr*>(&group), sizeof group) == 0;
    return is_ready ? socket : -1;
}

/// Datagrams one behind the other in memory, so that making them takes no time while they are sent.
class Datagrams {
public:
    void append(std::span<const model::Frame> frames) {
        for (const model::Frame& frame : frames) {
            bytes_.insert(bytes_.end(), frame.data + headers_bytes, frame.data + frame.size_bytes);
            ends_.push_back(bytes_.size());
        }
    }
    [[nodiscard]] std::size_t count() const noexcept { return ends_.size(); }
    [[nodiscard]] std::span<const std::byte> operator[](std::size_t i) const noexcept {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::span(bytes_).subspan(begin, ends_[i] - begin);
    }

private:
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> ends_;
};

class Sender {
public:
    Sender(int updates, int triggers) : updates_(updates), triggers_(triggers) {}

    void run(const Wishes& wishes) {
        market_.make_quiet_books();
        Datagrams first;
        first.append(market_.frames());
        send_paced(first, wishes.rate, 0);
        send_warm_up(wishes);
        for (std::uint64_t i = 0; i < wishes.triggers; ++i) {
            market_.make_subscribed(1);
            Datagrams one;
            one.append(market_.frames());
            sleep_ns(wishes.interval_ms * 1'000'000);
            send_one(triggers_, one[0]);
            ++trigger_count_;
        }
        if (wishes.loaded != 0) send_loaded(wishes);
        sleep_ns(closing_pause_ns);
        market_.make_quiet(closing_count);
        Datagrams closing;
        closing.append(market_.frames());
        send_paced(closing, 1'000, 0);
    }
    void print() const {
        std::printf("{\"sent\": %llu, \"triggers\": %llu, \"refused\": %llu, \"loaded_per_second\": %.0f}\n",
                    static_cast<unsigned long long>(sent_), static_cast<unsigned long long>(trigger_count_),
                    static_cast<unsigned long long>(refused_), loaded_per_second_);
    }
    [[nodiscard]] bool is_whole() const noexcept { return refused_ == 0; }

private:
    static void sleep_ns(std::uint64_t duration_ns) {
        ::usleep(static_cast<useconds_t>(duration_ns % 1'000'000'000 / 1'000));
        if (duration_ns >= 1'000'000'000) ::sleep(static_cast<unsigned>(duration_ns / 1'000'000'000));
    }

    void send_one(int socket, std::span<const std::byte> datagram) noexcept {
        ++sent_;
        if (::send(socket, datagram.data(), datagram.size(), 0) < 0) ++refused_;
    }

    /// The next is due 1/rate after the one before was; late ones follow at once. Every `every`-th is a
    /// trigger; 0: none.
    double send_paced(const Datagrams& datagrams, std::uint64_t rate, std::uint64_t every) noexcept {
        const std::uint64_t start = core::cycles_now();
        for (std::size_t i = 0; i < datagrams.count(); ++i) {
            const std::uint64_t due = start + clock_.to_cycles(i * 1'000'000'000 / rate);
            while (core::cycles_now() < due)
                core::pause();
            const bool is_trigger = every != 0 && (i + 1) % every == 0;
            trigger_count_ += is_trigger ? 1 : 0;
            send_one(is_trigger ? triggers_ : updates_, datagrams[i]);
        }
        const double seconds = static_cast<double>(clock_.to_ns(core::cycles_now() - start)) / 1e9;
        return static_cast<double>(datagrams.count()) / seconds;
    }

    void send_warm_up(const Wishes& wishes) {
        for (std::uint64_t left = wishes.warm_up; left != 0;) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, batch));
            market_.make_quiet(count);
            Datagrams updates;
            updates.append(market_.frames());
            send_paced(updates, wishes.rate, 0);
            left -= count;
        }
    }

    void send_loaded(const Wishes& wishes) {
        Datagrams loaded;
        for (std::uint64_t i = 1; i <= wishes.loaded; ++i) {
            if (i % wishes.every == 0)
                market_.make_subscribed(1);
            else
                market_.make_quiet(1);
            loaded.append(market_.frames());
        }
        loaded_per_second_ = send_paced(loaded, wishes.rate, wishes.every);
    }

    int updates_;
    int triggers_;
    core::CycleClock clock_ = core::CycleClock::calibrate();
    Market market_;
    std::uint64_t sent_ = 0;
    std::uint64_t trigger_count_ = 0;
    std::uint64_t refused_ = 0;
    double loaded_per_second_ = 0;
};

bool read_wishes(std::span<char*> words, Wishes& wishes) {
    std::uint64_t* const numbers[] = {&wishes.warm_up,  &wishes.rate,   &wishes.interval_ms,
                                      &wishes.triggers, &wishes.loaded, &wishes.every};
    if (words.size() != std::size(numbers)) return false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), *numbers[i]);
        if (failure != std::errc() || end != word.data() + word.size()) return false;
    }
    return wishes.rate != 0 && wishes.every != 0;
}

int run(std::span<char*> words) {
    Wishes wishes;
    in_addr address{};
    if (words.size() < 2 || ::inet_aton(words[1], &address) == 0 || !read_wishes(words.subspan(2), wishes)) {
        std::fputs("usage: wire-sender ADDRESS WARM_UP RATE INTERVAL_MS TRIGGERS LOADED EVERY\n", stderr);
        return 2;
    }
    const int updates = open_socket(address, update_source_port);
    const int triggers = open_socket(address, trigger_source_port);
    if (updates < 0 || triggers < 0) {
        std::perror("wire-sender: no multicast socket at this address");
        return 1;
    }
    Sender sender(updates, triggers);
    sender.run(wishes);
    sender.print();
    return sender.is_whole() ? 0 : 1;
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    return tickpath::bench::run({argv, static_cast<std::size_t>(argc)});
}
