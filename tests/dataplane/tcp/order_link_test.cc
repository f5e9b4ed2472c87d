// What every order link promises (model/order_link.h), tried on each: the counterparty is the kernel.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/tcp/kernel_tcp.h"
#include "tests/support/link_waiting.h"
#if TICKPATH_HAS_BYPASS
#include "tests/support/bypass_lab.h"
#endif

namespace tickpath::tcp {
namespace {

using model::LinkState;
using test::as_bytes;
using test::eventually;
using test::now_ns;

/// The kernel's link, to a listener of the same machine.
class KernelKit {
public:
    static constexpr const char* peer_address = "127.0.0.1";
    [[nodiscard]] static bool is_ready() { return true; }
    [[nodiscard]] static std::unique_ptr<KernelTcp> make(Endpoint peer, const KernelTcpSettings& settings) {
        return std::make_unique<KernelTcp>(peer, settings);
    }
};

/// The socket takes little, so that the backlog is needed soon.
void make_small(const KernelTcp& link) {
    const int small = 4096;
    ::setsockopt(link.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
}

#if TICKPATH_HAS_BYPASS
/// lwIP on one end of a tap interface, the kernel on the other.
class BypassKit {
public:
    static constexpr const char* peer_address = test::BypassLab::kernel_address;
    [[nodiscard]] bool is_ready() const { return lab_.is_ready(); }
    [[nodiscard]] std::unique_ptr<port::BypassTcp> make(Endpoint peer, const KernelTcpSettings& settings) {
        port::BypassTcpSettings made = test::BypassLab::settings(peer.port);
        made.backlog_bytes = settings.backlog_bytes;
        made.connect_timeout_ms = settings.connect_timeout_ms;
        made.reconnect_ms_first = settings.reconnect_ms_first;
        made.reconnect_ms_max = settings.reconnect_ms_max;
        made.steady_ms = settings.steady_ms;
        return lab_.link(made);
    }

private:
    test::BypassLab lab_;
};

void make_small(const port::BypassTcp&) {}  // it holds 64 KiB anyhow

using Kits = testing::Types<KernelKit, BypassKit>;
#else
using Kits = testing::Types<KernelKit>;
#endif

template <class Kit>
class OrderLinks : public testing::Test {
protected:
    void SetUp() override {
        if (!kit_.is_ready())
            GTEST_SKIP() << "skipped: a tap interface in a network of one's own is not permitted here";
        std::string error;
        peer_ = *Endpoint::resolve(Kit::peer_address, 0, error);
        listener_ = TcpListener::open(peer_, error);
        ASSERT_TRUE(listener_) << error;
        peer_.port = listener_->port();
    }

    /// To the listener; one a test.
    auto& make_link(const KernelTcpSettings& settings) {
        link_ = kit_.make(peer_, settings);
        return *link_;
    }

    /// Connects `link` and returns the other end.
    template <class Link>
    std::unique_ptr<KernelTcp> connect(Link& link) {
        std::unique_ptr<KernelTcp> peer;
        EXPECT_TRUE(eventually([&] {
            link.poll(now_ns());
            if (!peer)
                if (const auto accepted = listener_->accept())
                    peer = std::make_unique<KernelTcp>(accepted->descriptor, accepted->peer,
                                                       KernelTcpSettings{});
            return peer && link.state() == LinkState::up;
        })) << link.error_text();
        return peer;
    }

    template <class Link>
    static std::string receive_all(Link& link, std::size_t bytes) {
        std::string received;
        std::vector<std::byte> buffer(4096);
        eventually([&] {
            link.poll(now_ns());
            const std::size_t count = link.receive(buffer);
            received.append(reinterpret_cast<const char*>(buffer.data()), count);
            return received.size() >= bytes;
        });
        return received;
    }

    using Link = typename decltype(std::declval<Kit&>().make({}, {}))::element_type;

    Kit kit_;
    Endpoint peer_;
    std::optional<TcpListener> listener_;
    std::unique_ptr<Link> link_;  // last: what it uses outlives it
};
TYPED_TEST_SUITE(OrderLinks, Kits);

TYPED_TEST(OrderLinks, CarriesBytesBothWays) {
    auto& link = this->make_link({});
    EXPECT_EQ(link.state(), LinkState::down);
    const auto peer = this->connect(link);
    ASSERT_TRUE(peer);
    EXPECT_EQ(link.generation(), 1u);
    EXPECT_TRUE(link.error_text().empty());
    ASSERT_TRUE(link.send(as_bytes("order")));
    EXPECT_EQ(this->receive_all(*peer, 5), "order");
    ASSERT_TRUE(peer->send(as_bytes("report")));
    EXPECT_EQ(this->receive_all(link, 6), "report");
}

TYPED_TEST(OrderLinks, TakesNothingWhileDown) {
    auto& link = this->make_link({});
    std::vector<std::byte> buffer(16);
    EXPECT_FALSE(link.send(as_bytes("order")));
    EXPECT_EQ(link.receive(buffer), 0u);
}

TYPED_TEST(OrderLinks, KeepsWhatTheSocketLeavesOverAndSendsItInOrder) {
    auto& link = this->make_link({.backlog_bytes = 32'768});
    const auto peer = this->connect(link);
    make_small(link);

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

TYPED_TEST(OrderLinks, TakesAllOrNothingOfALargeMessage) {
    auto& link = this->make_link({.backlog_bytes = 1'000});
    const auto peer = this->connect(link);
    const std::string large(1'001, 'x');
    EXPECT_FALSE(link.send(as_bytes(large)));
    ASSERT_TRUE(link.send(as_bytes("small")));
    EXPECT_EQ(this->receive_all(*peer, 5), "small");
}

TYPED_TEST(OrderLinks, NamesARefusalForAPerson) {
    const std::uint16_t port = this->listener_->port();
    this->listener_.reset();
    auto& link = this->make_link({});
    ASSERT_TRUE(eventually([&] {
        link.poll(now_ns());
        return link.failures() != 0;
    }));
    EXPECT_EQ(link.state(), LinkState::down);
    EXPECT_EQ(link.error_text(),
              std::string(TypeParam::peer_address) + ':' + std::to_string(port) +
                  ": cannot connect: Connection refused: is the counterparty running and listening there?");
}

TYPED_TEST(OrderLinks, TriesAgainWithGrowingPauses) {
    this->listener_.reset();
    auto& link = this->make_link({.reconnect_ms_first = 100, .reconnect_ms_max = 400});
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

TYPED_TEST(OrderLinks, PausesLongerForAPeerThatOnlyAccepts) {
    auto& link = this->make_link({.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    std::vector<std::uint64_t> connected_ms;
    for (std::uint64_t now_ms = 1; now_ms < 2'000; ++now_ms) {
        link.poll(now_ms * 1'000'000);
        while (link.state() == LinkState::connecting)
            link.poll(now_ms * 1'000'000);
        if (link.state() != LinkState::up) continue;
        connected_ms.push_back(now_ms);
        if (const auto accepted = this->listener_->accept()) ::close(accepted->descriptor);
        link.close(false);
    }
    ASSERT_GE(connected_ms.size(), 4u);
    EXPECT_NEAR(static_cast<double>(connected_ms[1] - connected_ms[0]), 100, 2);
    EXPECT_NEAR(static_cast<double>(connected_ms[3] - connected_ms[2]), 400, 2);
}

/// When, on a clock of the test's own, `link` connected to a peer that says a word and closes after `up_ms`.
template <class Link>
std::vector<std::uint64_t> connects_ms(TcpListener& listener, Link& link, std::uint64_t up_ms,
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
        EXPECT_TRUE(eventually([&] {
            link.poll(now_ms * 1'000'000);
            return link.receive(buffer) == 4;
        }));
        ::close(accepted->descriptor);
        now_ms += up_ms;
        EXPECT_TRUE(eventually([&] {
            if (link.state() == LinkState::up) link.poll(now_ms * 1'000'000);
            return link.receive(buffer) == 0 && link.state() == LinkState::down;
        }));
    }
    return connected_ms;
}

TYPED_TEST(OrderLinks, PausesLongerForAPeerThatSaysAWordAndCloses) {
    auto& link = this->make_link({.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    const auto at_ms = connects_ms(*this->listener_, link, 10, 2'000);
    ASSERT_GE(at_ms.size(), 4u) << link.error_text();
    EXPECT_LE(at_ms.size(), 6u);
    EXPECT_NEAR(static_cast<double>(at_ms[1] - at_ms[0]), 110, 3);
    EXPECT_NEAR(static_cast<double>(at_ms[3] - at_ms[2]), 410, 3);
}

TYPED_TEST(OrderLinks, PausesShortlyAfterAConnectionThatWasSteady) {
    auto& link = this->make_link({.reconnect_ms_first = 100, .reconnect_ms_max = 10'000});
    const auto at_ms = connects_ms(*this->listener_, link, 6'000, 20'000);
    ASSERT_GE(at_ms.size(), 3u);
    EXPECT_NEAR(static_cast<double>(at_ms[2] - at_ms[1]), 6'100, 3);
}

TYPED_TEST(OrderLinks, CountsConnectionsAndLosesTheBacklogOfTheOldOne) {
    auto& link = this->make_link({.reconnect_ms_first = 1});
    auto peer = this->connect(link);
    make_small(link);
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

    peer = this->connect(link);
    EXPECT_EQ(link.generation(), 2u);
    ASSERT_TRUE(link.send(as_bytes("new")));
    EXPECT_EQ(this->receive_all(*peer, 3), "new");
}

TYPED_TEST(OrderLinks, SaysWhenThePeerCloses) {
    auto& link = this->make_link({});
    auto peer = this->connect(link);
    ASSERT_TRUE(peer->send(as_bytes("last words")));
    peer.reset();
    EXPECT_EQ(this->receive_all(link, 10), "last words");
    std::vector<std::byte> buffer(16);
    ASSERT_TRUE(eventually([&] { return link.receive(buffer) == 0 && link.state() == LinkState::down; }));
    EXPECT_NE(link.error_text().find("the peer closed the connection"), std::string_view::npos);
}

TYPED_TEST(OrderLinks, StaysDownWhenAsked) {
    auto& link = this->make_link({.reconnect_ms_first = 1});
    const auto peer = this->connect(link);
    link.close(true);
    for (std::uint64_t i = 1; i < 100; ++i)
        link.poll(now_ns() + i * 1'000'000'000);
    EXPECT_EQ(link.state(), LinkState::down);
    EXPECT_EQ(link.generation(), 1u);
}

TYPED_TEST(OrderLinks, ConnectsAgainAfterAClose) {
    auto& link = this->make_link({.reconnect_ms_first = 1});
    const auto first = this->connect(link);
    link.close(false);
    EXPECT_EQ(link.state(), LinkState::down);
    const auto second = this->connect(link);
    EXPECT_EQ(link.generation(), 2u);
}

}  // namespace
}  // namespace tickpath::tcp
