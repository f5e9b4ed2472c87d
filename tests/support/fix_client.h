// A FIX client over a real socket, written without our codec: connects, sends what a test says, reads whole
// messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/fix_text.h"
#include "tests/support/scripted_peer.h"

namespace tickpath::test {

class FixClient {
public:
    FixClient(std::uint16_t port, std::string sender, std::string target)
        : sender_(std::move(sender)), target_(std::move(target)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        is_open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    FixClient(const FixClient&) = delete;
    FixClient& operator=(const FixClient&) = delete;
    ~FixClient() { ::close(socket_); }

    [[nodiscard]] bool is_open() const { return is_open_; }

    /// "35=0|34=2|112=x": 49, 52 and 56 are put behind 34.
    void sends(std::string body) {
        const auto utc_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::system_clock::now().time_since_epoch());
        const std::string header = "|49=" + sender_ +
                                   "|52=" + utc_text(static_cast<std::uint64_t>(utc_ns.count())) +
                                   "|56=" + target_;
        const std::size_t number_end = body.find('|', body.find("|34=") + 1);
        body.insert(number_end == std::string::npos ? body.size() : number_end, header);
        sends_bytes(fix_message(body));
    }
    void sends_bytes(std::string_view bytes) {
        static_cast<void>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    }

    /// The next whole message in short form; "closed" when the peer closed, "nothing" after the time-out.
    [[nodiscard]] std::string gets(int timeout_ms = 5'000) {
        for (;;) {
            const std::size_t trailer = received_.find(
                "\x01"
                "10=");
            const std::size_t end =
                trailer == std::string::npos ? trailer : received_.find('\x01', trailer + 1);
            if (end != std::string::npos) {
                const std::string message = received_.substr(0, end + 1);
                received_.erase(0, end + 1);
                return short_form(message);
            }
            pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, timeout_ms) <= 0) return "nothing";
            char buffer[4'096];
            const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
            if (count <= 0) return "closed";
            received_.append(buffer, static_cast<std::size_t>(count));
        }
    }

    [[nodiscard]] int descriptor() const { return socket_; }

private:
    std::string sender_;
    std::string target_;
    int socket_;
    bool is_open_ = false;
    std::string received_;
};

}  // namespace tickpath::test
