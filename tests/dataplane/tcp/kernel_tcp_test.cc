#include "dataplane/tcp/kernel_tcp.h"

#include <chrono>
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
#include "tests/support/link_waiting.h"

namespace tickpath::tcp {
namespace {

using model::LinkState;
using test::as_bytes;
using test::eventually;
using test::now_ns;

Endpoint loopback(std::uint16_t port) {
    std::string error;
    return *Endpoint::resolve("127.0.0.1", port, error);
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
