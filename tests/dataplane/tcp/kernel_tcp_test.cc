#include "dataplane/tcp/kernel_tcp.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/allocation_guard.h"

namespace tickpath::tcp {
namespace {

using model::LinkState;

std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

Endpoint loopback(std::uint16_t port) {
    std::string error;
    return *Endpoint::resolve("127.0.0.1", port, error);
}

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Calls `step` until it says yes; false after five seconds.
bool eventually(const std::function<bool()>& step) {
    const std::uint64_t end = now_ns() + 5'000'000'000;
    while (!step()) {
        if (now_ns() > end) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
}

class KernelTcpTest : public testing::Test {
protected:
    KernelTcpTest() {
        std::string error;
        listener_ = TcpListener::open(loopback(0), error);
        EXPECT_TRUE(listener_) << error;
    }

    /// Connects `link` and returns the other end.
    std::unique_ptr<KernelTcp> connect(KernelTcp& link, const KernelTcpSettings& settings = {}) {
        std::unique_ptr<KernelTcp> peer;
        EXPECT_TRUE(eventually([&] {
            link.poll(now_ns());
            if (!peer)
                if (const auto accepted = listener_->accept())
                    peer = std::make_unique<KernelTcp>(accepted->descriptor, accepted->peer, settings);
            return peer && link.state() == LinkState::up;
        })) << link.error_text();
        return peer;
    }

    static std::string receive_all(KernelTcp& link, std::size_t bytes) {
        std::string received;
        std::vector<std::byte> buffer(4096);
        eventually([&] {
            const std::size_t count = link.receive(buffer);
            received.append(reinterpret_cast<const char*>(buffer.data()), count);
            return received.size() >= bytes;
        });
        return received;
    }

    std::optional<TcpListener> listener_;
};

TEST_F(KernelTcpTest, CarriesBytesBothWays) {
    KernelTcp link(loopback(listener_->port()), {});
    EXPECT_EQ(link.state(), LinkState::down);
    const auto peer = connect(link);
    ASSERT_TRUE(peer);
    EXPECT_EQ(link.generation(), 1u);
    EXPECT_TRUE(link.error_text().empty());
    ASSERT_TRUE(link.send(as_bytes("order")));
    EXPECT_EQ(receive_all(*peer, 5), "order");
    ASSERT_TRUE(peer->send(as_bytes("report")));
    EXPECT_EQ(receive_all(link, 6), "report");
}

TEST_F(KernelTcpTest, SendsSmallMessagesAtOnce) {
    KernelTcp link(loopback(listener_->port()), {});
    const auto peer = connect(link);
    for (const int descriptor : {link.descriptor(), peer->descriptor()}) {
        int is_on = 0;
        socklen_t size = sizeof is_on;
        ASSERT_EQ(::getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &is_on, &size), 0);
        EXPECT_NE(is_on, 0);
    }
}

TEST_F(KernelTcpTest, TakesNothingWhileDown) {
    KernelTcp link(loopback(listener_->port()), {});
    std::vector<std::byte> buffer(16);
    EXPECT_FALSE(link.send(as_bytes("order")));
    EXPECT_EQ(link.receive(buffer), 0u);
}

TEST_F(KernelTcpTest, KeepsWhatTheSocketLeavesOverAndSendsItInOrder) {
    KernelTcp link(loopback(listener_->port()), {.backlog_bytes = 32'768});
    const auto peer = connect(link);
    const int small = 4096;
    ::setsockopt(link.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);

    std::string sent;
    for (int i = 0;; ++i) {
        std::string message = "message " + std::to_string(i) + ' ';
        message.append(static_cast<std::size_t>(i % 700), static_cast<char>('a' + i % 26));
        if (!link.send(as_bytes(message)))
            break;  // the peer does not read: at some point nothing more is taken
        sent += message;
        ASSERT_LE(link.backlog_bytes(), 32'768u);
    }
    EXPECT_EQ(link.state(), LinkState::up);
    EXPECT_GT(link.backlog_bytes(), 0u);

    std::string received;
    std::vector<std::byte> buffer(1'000);
    ASSERT_TRUE(eventually([&] {
        const std::size_t count = peer->receive(buffer);
        received.append(reinterpret_cast<const char*>(buffer.data()), count);
        link.poll(now_ns());
        return received.size() >= sent.size();
    }));
    EXPECT_EQ(received, sent);
    EXPECT_EQ(link.backlog_bytes(), 0u);
    EXPECT_TRUE(link.send(as_bytes("again")));
}

TEST_F(KernelTcpTest, TakesAllOrNothingOfALargeMessage) {
    KernelTcp link(loopback(listener_->port()), {.backlog_bytes = 1'000});
    const auto peer = connect(link);
    const std::string large(1'001, 'x');
    EXPECT_FALSE(link.send(as_bytes(large)));
    ASSERT_TRUE(link.send(as_bytes("small")));
    EXPECT_EQ(receive_all(*peer, 5), "small");
}

TEST_F(KernelTcpTest, NamesARefusalForAPerson) {
    const std::uint16_t port = listener_->port();
    listener_.reset();
    KernelTcp link(loopback(port), {});
    ASSERT_TRUE(eventually([&] {
        link.poll(now_ns());
        return link.failures() != 0;
    }));
    EXPECT_EQ(link.state(), LinkState::down);
    EXPECT_EQ(link.error_text(),
              "127.0.0.1:" + std::to_string(port) +
                  ": cannot connect: Connection refused: is the counterparty running and listening there?");
}

TEST_F(KernelTcpTest, TriesAgainWithGrowingPauses) {
    const std::uint16_t port = listener_->port();
    listener_.reset();
    KernelTcp link(loopback(port), {.reconnect_ms_first = 100, .reconnect_ms_max = 400});
    std::vector<std::uint64_t> attempts_ms;
    std::uint64_t failures = 0;
    for (std::uint64_t now_ms = 1; now_ms < 2'000; ++now_ms) {  // a clock of the test's own
        link.poll(now_ms * 1'000'000);
        while (link.state() == LinkState::connecting)
            link.poll(now_ms * 1'000'000);
        if (link.failures() != failures) attempts_ms.push_back(now_ms);
        failures = link.failures();
    }
    ASSERT_GE(attempts_ms.size(), 5u);
    const auto pause = [&](std::size_t i) { return attempts_ms[i + 1] - attempts_ms[i]; };
    EXPECT_NEAR(static_cast<double>(pause(0)), 100, 2);
    EXPECT_NEAR(static_cast<double>(pause(1)), 200, 2);
    EXPECT_NEAR(static_cast<double>(pause(2)), 400, 2);
    EXPECT_NEAR(static_cast<double>(pause(3)), 400, 2);
}

TEST_F(KernelTcpTest, PausesLongerForAPeerThatOnlyAccepts) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    std::vector<std::uint64_t> connected_ms;
    for (std::uint64_t now_ms = 1; now_ms < 2'000; ++now_ms) {
        link.poll(now_ms * 1'000'000);
        while (link.state() == LinkState::connecting)
            link.poll(now_ms * 1'000'000);
        if (link.state() != LinkState::up) continue;
        connected_ms.push_back(now_ms);
        if (const auto accepted = listener_->accept()) ::close(accepted->descriptor);
        link.close(false);
    }
    ASSERT_GE(connected_ms.size(), 4u);
    EXPECT_NEAR(static_cast<double>(connected_ms[1] - connected_ms[0]), 100, 2);
    EXPECT_NEAR(static_cast<double>(connected_ms[3] - connected_ms[2]), 400, 2);
}

/// When, on a clock of the test's own, `link` connected to a peer that says a word and closes after `up_ms`.
std::vector<std::uint64_t> connects_ms(TcpListener& listener, KernelTcp& link, std::uint64_t up_ms,
                                       std::uint64_t end_ms) {
    std::vector<std::uint64_t> connected_ms;
    std::vector<std::byte> buffer(16);
    for (std::uint64_t now_ms = 1; now_ms < end_ms; ++now_ms) {
        link.poll(now_ms * 1'000'000);
        while (link.state() == LinkState::connecting)
            link.poll(now_ms * 1'000'000);
        if (link.state() != LinkState::up) continue;
        connected_ms.push_back(now_ms);
        std::optional<TcpListener::Accepted> accepted;
        EXPECT_TRUE(eventually([&] { return (accepted = listener.accept()).has_value(); }));
        EXPECT_EQ(::send(accepted->descriptor, "word", 4, 0), 4);
        EXPECT_TRUE(eventually([&] { return link.receive(buffer) == 4; }));
        ::close(accepted->descriptor);
        now_ms += up_ms;
        EXPECT_TRUE(eventually([&] { return link.receive(buffer) == 0 && link.state() == LinkState::down; }));
    }
    return connected_ms;
}

TEST_F(KernelTcpTest, PausesLongerForAPeerThatSaysAWordAndCloses) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    const auto at_ms = connects_ms(*listener_, link, 10, 2'000);
    ASSERT_GE(at_ms.size(), 4u);
    EXPECT_LE(at_ms.size(), 6u);
    EXPECT_NEAR(static_cast<double>(at_ms[1] - at_ms[0]), 110, 3);
    EXPECT_NEAR(static_cast<double>(at_ms[3] - at_ms[2]), 410, 3);
}

TEST_F(KernelTcpTest, PausesShortlyAfterAConnectionThatWasSteady) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    const auto at_ms = connects_ms(*listener_, link, 6'000, 20'000);
    ASSERT_GE(at_ms.size(), 3u);
    EXPECT_NEAR(static_cast<double>(at_ms[2] - at_ms[1]), 6'100, 3);
}

TEST_F(KernelTcpTest, CountsConnectionsAndLosesTheBacklogOfTheOldOne) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 1});
    auto peer = connect(link);
    const int small = 4096;
    ::setsockopt(link.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    const std::string old_bytes(4'000, 'o');
    while (link.send(as_bytes(old_bytes))) {
    }
    ASSERT_GT(link.backlog_bytes(), 0u);
    peer.reset();
    std::vector<std::byte> buffer(16);
    ASSERT_TRUE(eventually([&] {
        link.poll(now_ns());
        static_cast<void>(link.receive(buffer));
        return link.state() == LinkState::down;
    }));
    EXPECT_FALSE(link.error_text().empty());
    EXPECT_EQ(link.backlog_bytes(), 0u);

    peer = connect(link);
    EXPECT_EQ(link.generation(), 2u);
    ASSERT_TRUE(link.send(as_bytes("new")));
    EXPECT_EQ(receive_all(*peer, 3), "new");
}

TEST_F(KernelTcpTest, SaysWhenThePeerCloses) {
    KernelTcp link(loopback(listener_->port()), {});
    auto peer = connect(link);
    ASSERT_TRUE(peer->send(as_bytes("last words")));
    peer.reset();
    EXPECT_EQ(receive_all(link, 10), "last words");
    std::vector<std::byte> buffer(16);
    ASSERT_TRUE(eventually([&] { return link.receive(buffer) == 0 && link.state() == LinkState::down; }));
    EXPECT_NE(link.error_text().find("the peer closed the connection"), std::string_view::npos);
}

TEST_F(KernelTcpTest, StaysDownWhenAsked) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 1});
    const auto peer = connect(link);
    link.close(true);
    for (std::uint64_t i = 1; i < 100; ++i)
        link.poll(now_ns() + i * 1'000'000'000);
    EXPECT_EQ(link.state(), LinkState::down);
    EXPECT_EQ(link.generation(), 1u);
}

TEST_F(KernelTcpTest, ConnectsAgainAfterAClose) {
    KernelTcp link(loopback(listener_->port()), {.reconnect_ms_first = 1});
    const auto first = connect(link);
    link.close(false);
    EXPECT_EQ(link.state(), LinkState::down);
    const auto second = connect(link);
    EXPECT_EQ(link.generation(), 2u);
}

TEST_F(KernelTcpTest, AnAcceptedLinkHasOneConnection) {
    KernelTcp link(loopback(listener_->port()), {});
    const auto peer = connect(link);
    link.close(true);
    std::vector<std::byte> buffer(16);
    ASSERT_TRUE(eventually([&] {
        static_cast<void>(peer->receive(buffer));
        return peer->state() == LinkState::down;
    }));
    peer->poll(now_ns() + 60'000'000'000);
    EXPECT_EQ(peer->state(), LinkState::down);
}

TEST(KernelTcp, GivesUpAConnectThatGetsNoAnswer) {
    // A listener whose queue is full leaves further connects without an answer.
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listening, 0), 0);
    ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const Endpoint endpoint = loopback(ntohs(address.sin_port));

    std::vector<std::unique_ptr<KernelTcp>> fillers;
    KernelTcp* waiting = nullptr;
    for (int i = 0; i < 8 && waiting == nullptr; ++i) {
        fillers.push_back(
            std::make_unique<KernelTcp>(endpoint, KernelTcpSettings{.connect_timeout_ms = 5'000}));
        fillers.back()->poll(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        fillers.back()->poll(1);
        if (fillers.back()->state() == LinkState::connecting) waiting = fillers.back().get();
    }
    ASSERT_NE(waiting, nullptr);
    waiting->poll(4'999'000'000);
    EXPECT_EQ(waiting->state(), LinkState::connecting);
    waiting->poll(5'000'000'001);
    EXPECT_EQ(waiting->state(), LinkState::down);
    EXPECT_NE(waiting->error_text().find("timed out"), std::string_view::npos) << waiting->error_text();
    ::close(listening);
}

TEST(KernelTcp, RefusesAHostThatDoesNotExist) {
    std::string error;
    EXPECT_FALSE(Endpoint::resolve("no-such-host.invalid", 1, error));
    EXPECT_NE(error.find("no-such-host.invalid"), std::string::npos) << error;
}

TEST(TcpListener, NamesAPortInUse) {
    std::string error;
    const auto first = TcpListener::open(loopback(0), error);
    ASSERT_TRUE(first) << error;
    EXPECT_FALSE(TcpListener::open(loopback(first->port()), error));
    EXPECT_NE(error.find("another process listens there"), std::string::npos) << error;
}

TEST(TcpListener, NamesAnAddressThatIsNotOurs) {
    std::string error;
    const auto elsewhere = Endpoint::resolve("192.0.2.1", 9876, error);
    ASSERT_TRUE(elsewhere) << error;
    EXPECT_FALSE(TcpListener::open(*elsewhere, error));
    EXPECT_NE(error.find("no interface of this machine"), std::string::npos) << error;
}

TEST_F(KernelTcpTest, TakesNoMemoryWhenUp) {
    KernelTcp link(loopback(listener_->port()), {});
    const auto peer = connect(link);
    std::vector<std::byte> buffer(256);
    test::AllocationGuard guard;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(link.send(as_bytes("order")));
        while (peer->receive(buffer) == 0) {
        }
        link.poll(1);
    }
}

}  // namespace
}  // namespace tickpath::tcp
