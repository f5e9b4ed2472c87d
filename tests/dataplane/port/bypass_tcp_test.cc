// The bypass link against the kernel over a tap interface, with the faults of a network in between. What it
// shares with other links is in tests/dataplane/tcp/order_link_test.cc.
#include "dataplane/port/bypass_tcp.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/port/order_frame.h"
#include "tests/support/bypass_lab.h"
#include "tests/support/link_waiting.h"

namespace tickpath::port {
namespace {

using model::LinkState;
using test::BypassLab;
using Fate = test::TapWire::Fate;

/// The counterparty: the kernel's sockets.
class KernelPeer {
public:
    KernelPeer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::inet_addr(BypassLab::kernel_address);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(listening_, 8), 0);
        EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = ntohs(address.sin_port);
    }
    ~KernelPeer() {
        hang_up();
        ::close(listening_);
    }
    KernelPeer(const KernelPeer&) = delete;
    KernelPeer& operator=(const KernelPeer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// Takes a waiting connection and all bytes that are there.
    void step() {
        if (connected_ < 0) {
            connected_ = ::accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK);
            const int on = 1;  // a report a segment
            if (connected_ >= 0) ::setsockopt(connected_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        }
        if (connected_ < 0 || is_deaf) return;
        char buffer[4096];
        for (ssize_t count = 0; (count = ::recv(connected_, buffer, sizeof buffer, 0)) > 0;)
            received.append(buffer, static_cast<std::size_t>(count));
    }
    [[nodiscard]] bool say(std::string_view text) const {
        return ::send(connected_, text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size());
    }
    void hang_up() {
        if (connected_ >= 0) ::close(connected_);
        connected_ = -1;
    }
    void reset() {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(connected_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        hang_up();
    }
    [[nodiscard]] bool is_connected() const { return connected_ >= 0; }

    std::string received;
    bool is_deaf = false;  ///< reads nothing

private:
    int listening_;
    int connected_ = -1;
    std::uint16_t port_ = 0;
};

class BypassTcpTest : public testing::Test {
protected:
    void SetUp() override {
        if (!lab_.is_ready())
            GTEST_SKIP() << "skipped: a tap interface in a network of one's own is not permitted here";
        peer_ = std::make_unique<KernelPeer>();
        settings_ = BypassLab::settings(peer_->port());
        settings_.reconnect_ms_first = 10;
    }
    void TearDown() override { link_.reset(); }

    void make_link() { link_ = lab_.link(settings_); }

    /// Steps link and peer, a millisecond of the link's clock each, until `done`; false after ten seconds.
    [[nodiscard]] bool until(const std::function<bool()>& done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        std::vector<std::byte> buffer(4096);
        while (!done()) {
            if (std::chrono::steady_clock::now() > end) return false;
            now_ns_ += 1'000'000;
            link_->poll(now_ns_);
            const std::size_t count = link_->receive(buffer);
            received_.append(reinterpret_cast<const char*>(buffer.data()), count);
            peer_->step();
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        return true;
    }
    [[nodiscard]] bool connect() {
        make_link();
        return until([&] { return link_->state() == LinkState::up && peer_->is_connected(); });
    }

    /// Sends numbered orders through whatever the wire does and wants all of them, once, in order.
    void orders_arrive(int count) {
        std::string expected;
        for (int i = 0; i < count; ++i) {
            const std::string order = "order " + std::to_string(i) + '|';
            expected += order;
            ASSERT_TRUE(until([&] { return link_->send(test::as_bytes(order)); })) << link_->error_text();
            static_cast<void>(until([once = 0]() mutable { return once++ != 0; }));
        }
        ASSERT_TRUE(until([&] { return peer_->received.size() >= expected.size(); }))
            << peer_->received.size() << " of " << expected.size() << ' ' << link_->error_text();
        EXPECT_EQ(peer_->received, expected);
    }
    void reports_arrive(int count) {
        std::string expected;
        for (int i = 0; i < count; ++i) {
            const std::string report = "report " + std::to_string(i) + '|';
            expected += report;
            ASSERT_TRUE(peer_->say(report));
            static_cast<void>(until([once = 0]() mutable { return once++ != 0; }));
        }
        ASSERT_TRUE(until([&] { return received_.size() >= expected.size(); })) << received_.size();
        EXPECT_EQ(received_, expected);
    }

    BypassLab lab_;
    std::unique_ptr<KernelPeer> peer_;
    BypassTcpSettings settings_;
    std::unique_ptr<BypassTcp> link_;
    std::uint64_t now_ns_ = 1'000'000'000;
    std::string received_;
};

/// Every `n`th TCP frame with a payload meets `fate`.
test::TapWire::Fates every(int n, Fate fate) {
    return [n, fate, seen = 0](std::span<const std::byte> frame) mutable {
        if (place_of(frame).length == 0) return Fate::pass;
        return ++seen % n == 0 ? fate : Fate::pass;
    };
}

TEST_F(BypassTcpTest, SendsLostOrdersAgain) {
    ASSERT_TRUE(connect());
    lab_.wire().fate_out = every(7, Fate::lose);
    orders_arrive(200);
    EXPECT_GE(lab_.count("retransmissions"), 20u);
}

TEST_F(BypassTcpTest, SendsTheLastOrderAgainWhenNothingFollows) {
    ASSERT_TRUE(connect());
    lab_.wire().fate_out = [seen = 0](std::span<const std::byte> frame) mutable {
        return place_of(frame).length != 0 && seen++ == 0 ? Fate::lose : Fate::pass;
    };
    const std::uint64_t began_ns = now_ns_;
    orders_arrive(1);
    EXPECT_EQ(lab_.count("retransmissions"), 1u);
    EXPECT_LE(now_ns_ - began_ns, 3'500'000'000u);
}

TEST_F(BypassTcpTest, CountsNoRetransmissionOnAGoodWire) {
    ASSERT_TRUE(connect());
    orders_arrive(200);
    reports_arrive(50);
    EXPECT_EQ(lab_.count("retransmissions"), 0u);
    EXPECT_GE(lab_.count("segments_out"), 200u);
    EXPECT_GE(lab_.count("segments_in"), 50u);
    EXPECT_EQ(lab_.count("checksum_errors"), 0u);
    EXPECT_EQ(lab_.count("no_memory"), 0u);
}

TEST_F(BypassTcpTest, BearsDuplicatesAndDisorderBothWays) {
    ASSERT_TRUE(connect());
    lab_.wire().fate_out = every(3, Fate::late);
    lab_.wire().fate_in = every(4, Fate::twice);
    orders_arrive(100);
    reports_arrive(100);
    lab_.wire().fate_out = every(3, Fate::twice);
    lab_.wire().fate_in = every(4, Fate::late);
    peer_->received.clear();
    orders_arrive(100);
}

TEST_F(BypassTcpTest, GetsLostReportsFromThePeer) {
    ASSERT_TRUE(connect());
    int lost = 0;
    lab_.wire().fate_in = [&lost, third = every(3, Fate::lose)](std::span<const std::byte> frame) mutable {
        const Fate fate = third(frame);
        if (fate == Fate::lose) ++lost;
        return fate;
    };
    reports_arrive(60);
    EXPECT_GE(lost, 1);
}

TEST_F(BypassTcpTest, DropsAndCountsDamagedSegments) {
    ASSERT_TRUE(connect());
    lab_.wire().fate_in = every(3, Fate::damage);
    reports_arrive(60);
    EXPECT_GE(lab_.count("checksum_errors"), 1u);  // the kernel sends many in one after the first
}

TEST_F(BypassTcpTest, KeepsOrdersThatTheDeviceRefuses) {
    ASSERT_TRUE(connect());
    lab_.wire().tx_room = 0;
    ASSERT_TRUE(link_->send(test::as_bytes("first|")));
    ASSERT_TRUE(link_->send(test::as_bytes("second|")));
    EXPECT_GE(lab_.count("tx_refused"), 1u);
    lab_.wire().tx_room = SIZE_MAX;
    const std::uint64_t began_ns = now_ns_;
    ASSERT_TRUE(until([&] { return peer_->received.size() >= 13; }));
    EXPECT_EQ(peer_->received, "first|second|");
    EXPECT_LE(now_ns_ - began_ns, 5'000'000u);  // at the next poll, not at a timer
}

TEST_F(BypassTcpTest, KeepsOrdersWhenThereIsNoBuffer) {
    ASSERT_TRUE(connect());
    lab_.wire().tx_buffers = 0;
    ASSERT_TRUE(link_->send(test::as_bytes("first|")));
    EXPECT_GE(lab_.count("tx_refused"), 1u);
    lab_.wire().tx_buffers = SIZE_MAX;
    ASSERT_TRUE(until([&] { return peer_->received == "first|"; }));
}

TEST_F(BypassTcpTest, LosesNothingWhenThePeerReadsNothing) {
    settings_.backlog_bytes = 10'000;
    ASSERT_TRUE(connect());
    peer_->is_deaf = true;
    std::string sent;
    int refused = 0;
    for (int i = 0; refused < 2'000; ++i) {
        const std::string order = "order " + std::to_string(i) + std::string(500, '.') + '|';
        if (link_->send(test::as_bytes(order)))
            sent += order;
        else
            ++refused;
        static_cast<void>(until([once = 0]() mutable { return once++ != 0; }));
    }
    EXPECT_EQ(link_->state(), LinkState::up);
    peer_->is_deaf = false;
    ASSERT_TRUE(until([&] { return peer_->received.size() >= sent.size(); }));
    EXPECT_EQ(peer_->received, sent);
    EXPECT_EQ(link_->backlog_bytes(), 0u);
}

TEST_F(BypassTcpTest, SaysWhenThePeerResets) {
    ASSERT_TRUE(connect());
    peer_->reset();
    ASSERT_TRUE(until([&] { return link_->state() == LinkState::down; }));
    EXPECT_NE(link_->error_text().find("the peer reset the connection"), std::string_view::npos)
        << link_->error_text();
    EXPECT_FALSE(link_->send(test::as_bytes("order")));
    ASSERT_TRUE(until([&] { return link_->state() == LinkState::up; })) << link_->error_text();
    EXPECT_EQ(link_->generation(), 2u);
}

TEST_F(BypassTcpTest, SaysWhenNobodyAnswersArp) {
    settings_.peer_address = ::inet_addr("10.77.0.99");
    settings_.connect_timeout_ms = 500;
    make_link();
    ASSERT_TRUE(until([&] { return link_->failures() != 0; }));
    EXPECT_EQ(lab_.count("arp_failures"), 1u);
    EXPECT_NE(link_->error_text().find("no answer to ARP"), std::string_view::npos) << link_->error_text();
}

TEST_F(BypassTcpTest, NamesAGatewayThatDoesNotAnswer) {
    settings_.peer_address = ::inet_addr("192.0.2.1");
    settings_.gateway = ::inet_addr("10.77.0.99");
    settings_.connect_timeout_ms = 500;
    make_link();
    ASSERT_TRUE(until([&] { return link_->failures() != 0; }));
    EXPECT_NE(link_->error_text().find("no answer to ARP from the gateway"), std::string_view::npos)
        << link_->error_text();
}

TEST_F(BypassTcpTest, GivesUpAConnectThatGetsNoAnswer) {
    settings_.connect_timeout_ms = 500;
    lab_.wire().fate_out = [](std::span<const std::byte> frame) {
        return place_of(frame).is_tcp ? Fate::lose : Fate::pass;
    };
    make_link();
    ASSERT_TRUE(until([&] { return link_->failures() != 0; }));
    EXPECT_NE(link_->error_text().find("timed out"), std::string_view::npos) << link_->error_text();
    EXPECT_EQ(lab_.count("arp_failures"), 0u);
}

TEST_F(BypassTcpTest, ConnectsThoughTheFirstSegmentIsLost) {
    lab_.wire().fate_out = [lost = false](std::span<const std::byte> frame) mutable {
        if (!place_of(frame).is_first || lost) return Fate::pass;
        lost = true;
        return Fate::lose;
    };
    ASSERT_TRUE(connect());
    EXPECT_EQ(lab_.count("retransmissions"), 1u);
    orders_arrive(3);
}

TEST_F(BypassTcpTest, DeliversWhatCameBeforeAClose) {
    ASSERT_TRUE(connect());
    ASSERT_TRUE(peer_->say("last words"));
    peer_->hang_up();
    ASSERT_TRUE(until([&] { return link_->state() == LinkState::down; }));
    EXPECT_EQ(received_, "last words");
}

TEST_F(BypassTcpTest, SaysGoodbyeBehindTheLastOrder) {
    ASSERT_TRUE(connect());
    ASSERT_TRUE(link_->send(test::as_bytes("logout")));
    link_->close(true);
    ASSERT_TRUE(until([&] { return peer_->received == "logout"; }));
}

TEST_F(BypassTcpTest, AllowsOneStackPerProcess) {
    ASSERT_TRUE(connect());
    const auto second = lab_.link(settings_);
    second->poll(now_ns_);
    EXPECT_EQ(second->state(), LinkState::down);
    EXPECT_NE(second->error_text().find("only one may"), std::string_view::npos) << second->error_text();
    orders_arrive(3);
}

TEST_F(BypassTcpTest, BearsFramesOfAnyKind) {
    ASSERT_TRUE(connect());
    lab_.wire().keeps_sent = true;
    orders_arrive(2);
    const auto own = lab_.wire().sent;
    ASSERT_FALSE(own.empty());
    std::mt19937 random(11);
    for (int i = 0; i < 3'000; ++i) {
        std::vector<std::byte> frame = own[random() % own.size()];
        std::swap_ranges(frame.begin() + 26, frame.begin() + 30, frame.begin() + 30);  // as if from the peer
        for (unsigned changes = random() % 4; changes != 0; --changes)
            frame[random() % frame.size()] = static_cast<std::byte>(random());
        frame.resize(random() % 3 == 0 ? random() % frame.size() : frame.size());
        lab_.wire().inject(frame);
        now_ns_ += 10'000;
        link_->poll(now_ns_);
    }
    EXPECT_GE(lab_.count("checksum_errors") + lab_.count("malformed"), 1'000u);
    peer_->received.clear();
    orders_arrive(3);
}

TEST_F(BypassTcpTest, GivesBackAllMemoryOfItsSegments) {
    ASSERT_TRUE(connect());
    lab_.wire().fate_out = every(5, Fate::lose);
    orders_arrive(50);
    const std::size_t before = ::mallinfo2().uordblks;
    peer_->received.clear();
    for (int round = 0; round < 4; ++round) {
        peer_->received.clear();
        orders_arrive(50);
    }
    EXPECT_LE(::mallinfo2().uordblks, before + 65'536);
}

}  // namespace
}  // namespace tickpath::port
