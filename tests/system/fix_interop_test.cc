// Our order path against exchanges in processes of their own: one made of Debian's libquickfix with its
// validator on, and our own.
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/child_process.h"
#include "tests/support/order_client.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_level.h"

namespace tickpath {
namespace {

const std::string dictionary = TICKPATH_SOURCE_ROOT "/templates/fix/FIX44.xml";

/// The number behind "name": in a line of JSON.
long value_of(const std::string& json, const std::string& name) {
    const std::size_t at = json.find("\"" + name + "\":");
    return at == std::string::npos ? -1 : std::stol(json.substr(at + name.size() + 3));
}

/// Every order is answered twice; nothing comes twice, nothing else comes.
void expect_all_filled(const test::OrderClient& client, std::size_t orders) {
    EXPECT_EQ(client.sent(), orders);
    EXPECT_EQ(client.acknowledged, orders);
    EXPECT_EQ(client.filled, orders);
    EXPECT_EQ(client.unexpected, 0u);
    EXPECT_EQ(client.duplicates, 0u);
    EXPECT_EQ(client.count("rejects_in"), 0u);
    EXPECT_EQ(client.count("rejects_out"), 0u);
    EXPECT_EQ(client.count("garbled"), 0u);
}

void send_orders(test::OrderClient& client, std::size_t count) {
    const char* const symbols[] = {"RTS-3.13", "SBER", "A", "GAZPROM-NEFT-LONG-NAME"};
    for (std::size_t i = 0; i < count; ++i)
        client.send_order(symbols[i % 4], static_cast<std::int64_t>(13'331 + i),
                          static_cast<std::int64_t>(1 + i % 97));
}

class QuickfixExchange : public testing::Test {
protected:
    void SetUp() override {
        if (std::string(TICKPATH_QUICKFIX_EXCHANGE).empty()) GTEST_SKIP() << "libquickfix is not installed";
        port_ = test::free_port();
        exchange_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
            TICKPATH_QUICKFIX_EXCHANGE, std::to_string(port_), dictionary, "EXCH", "TICKPATH"});
        ASSERT_NE(exchange_->wait_for("listening").find("listening"), std::string::npos)
            << exchange_->output();
    }
    /// Ends the exchange and returns its line of JSON.
    std::string finish() {
        exchange_->signal(SIGINT);
        EXPECT_EQ(exchange_->finish(), 0) << exchange_->output();
        return exchange_->output();
    }

    const test::TemporaryFolder folder_;
    std::uint16_t port_ = 0;
    std::unique_ptr<test::ChildProcess> exchange_;
};

TEST_F(QuickfixExchange, AcceptsEveryOrder) {
    const std::size_t orders = test::at_level(2'000, 2'000, 20'000);
    test::OrderClient client(port_, folder_.file("store"));
    ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    send_orders(client, orders);
    ASSERT_TRUE(client.turn_until([&] { return client.filled >= orders; }, 60'000)) << client.filled;
    client.log_out();
    ASSERT_TRUE(client.wait_down());
    EXPECT_EQ(client.session().reason(), "we logged out");
    expect_all_filled(client, orders);
    EXPECT_EQ(client.count("gaps"), 0u);

    const std::string json = finish();
    EXPECT_EQ(value_of(json, "orders"), static_cast<long>(orders)) << json;
    EXPECT_EQ(value_of(json, "fills"), static_cast<long>(orders));
    EXPECT_EQ(value_of(json, "rejects_sent"), 0);
    EXPECT_EQ(value_of(json, "rejects_received"), 0);
    EXPECT_EQ(value_of(json, "resend_requests_received"), 0);
    EXPECT_EQ(value_of(json, "logons"), 1);
    EXPECT_EQ(value_of(json, "logouts"), 1);
}

TEST_F(QuickfixExchange, GoesOnWithStoredNumbersAfterARestartOfOurs) {
    for (std::size_t run = 1; run <= 3; ++run) {
        test::OrderClient client(port_, folder_.file("store"));
        ASSERT_TRUE(client.wait_ready()) << client.session().reason();
        send_orders(client, 20);
        ASSERT_TRUE(client.turn_until([&] { return client.filled >= 20; }));
        client.log_out();
        ASSERT_TRUE(client.wait_down());
        expect_all_filled(client, 20);
        EXPECT_EQ(client.numbers().next_outbound(), 1 + 22 * run);
    }
    EXPECT_EQ(value_of(finish(), "orders"), 60);
}

TEST_F(QuickfixExchange, RecoversReportsLostWithTheConnection) {
    test::OrderClient client(port_, folder_.file("store"));
    ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    for (int round = 0; round < 5; ++round) {
        send_orders(client, 40);
        // Time for the exchange to answer; what it said lies unread in our socket and goes down with it.
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        client.break_link();
        ASSERT_TRUE(client.turn_until([&] { return !client.session().is_logged_on(); }));
        ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    }
    ASSERT_TRUE(client.turn_until([&] { return client.filled >= 200; }, 20'000)) << client.filled;
    client.log_out();
    ASSERT_TRUE(client.wait_down());
    EXPECT_EQ(client.duplicates, 0u) << "a resent report is delivered once";
    EXPECT_EQ(client.unexpected, 0u);
    EXPECT_EQ(client.acknowledged, 200u);
    EXPECT_GT(client.count("gaps"), 0u) << "the test broke nothing";
    const std::string json = finish();
    EXPECT_EQ(value_of(json, "rejects_sent"), 0) << json;
}

TEST_F(QuickfixExchange, ResetsNumbersWhenAskedTo) {
    test::OrderClient client(port_, folder_.file("store"), true);
    client.numbers().set_next_outbound(500);
    client.numbers().set_next_inbound(700);
    ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    send_orders(client, 5);
    ASSERT_TRUE(client.turn_until([&] { return client.filled >= 5; }));
    EXPECT_EQ(client.numbers().next_outbound(), 7u);
    client.log_out();
    ASSERT_TRUE(client.wait_down());
}

TEST_F(QuickfixExchange, StopsTryingWhenItsNumbersAreRefused) {
    {
        test::OrderClient client(port_, folder_.file("store"));
        ASSERT_TRUE(client.wait_ready());
        send_orders(client, 50);
        ASSERT_TRUE(client.turn_until([&] { return client.filled >= 50; }));
        client.log_out();
        ASSERT_TRUE(client.wait_down());
    }
    test::OrderClient client(port_, folder_.file("another-store"));  // starts at 1: too low for them
    ASSERT_TRUE(client.turn_until([&] { return client.session().gave_up(); }, 20'000));
    EXPECT_NE(client.session().reason().find("too low"), std::string_view::npos) << client.session().reason();
}

class OwnExchange : public testing::Test {
protected:
    void start(const std::string& fill) {
        const std::string config =
            folder_.write("exchange.xml", "<exchange port=\"0\" fill=\"" + fill + "\" store=\"" +
                                              folder_.file("exchange-store") +
                                              "\"><session sender=\"EXCH\" target=\"TICKPATH\"/></exchange>");
        exchange_ = std::make_unique<test::ChildProcess>(
            std::vector<std::string>{TICKPATH_EXECUTABLE, "exchange", config, "--json"});
        const std::string told = exchange_->wait_for("stop it with");
        const std::size_t at = told.find("127.0.0.1:");
        ASSERT_NE(at, std::string::npos) << told;
        port_ = static_cast<std::uint16_t>(std::stoi(told.substr(at + 10)));
    }
    std::string finish() {
        exchange_->signal(SIGINT);
        EXPECT_EQ(exchange_->finish(), 130) << exchange_->output();
        const std::size_t json = exchange_->output().find("{\"clients\"");
        EXPECT_NE(json, std::string::npos) << exchange_->output();
        return exchange_->output().substr(exchange_->output().find("\"total\""));
    }

    const test::TemporaryFolder folder_;
    std::uint16_t port_ = 0;
    std::unique_ptr<test::ChildProcess> exchange_;
};

TEST_F(OwnExchange, AcceptsEveryOrder) {
    const std::size_t orders = test::at_level(2'000, 2'000, 20'000);
    start("always");
    test::OrderClient client(port_, folder_.file("store"));
    ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    send_orders(client, orders);
    ASSERT_TRUE(client.turn_until([&] { return client.filled >= orders; }, 60'000)) << client.filled;
    client.log_out();
    ASSERT_TRUE(client.wait_down());
    expect_all_filled(client, orders);
    const std::string json = finish();
    EXPECT_EQ(value_of(json, "orders"), static_cast<long>(orders)) << json;
    EXPECT_EQ(value_of(json, "fills"), static_cast<long>(orders));
    EXPECT_EQ(value_of(json, "refused"), 0);
    EXPECT_EQ(value_of(json, "rejects"), 0);
}

TEST_F(OwnExchange, FillsByItsRule) {
    start("every:4");
    test::OrderClient client(port_, folder_.file("store"));
    ASSERT_TRUE(client.wait_ready());
    send_orders(client, 40);
    ASSERT_TRUE(client.turn_until([&] { return client.filled >= 10 && client.acknowledged >= 40; }));
    client.log_out();
    ASSERT_TRUE(client.wait_down());
    const std::string json = finish();
    EXPECT_EQ(value_of(json, "fills"), 10) << json;
    EXPECT_EQ(value_of(json, "cancels"), 30) << json;
}

TEST_F(OwnExchange, LogsItsClientsOutWhenInterrupted) {
    start("always");
    test::OrderClient client(port_, folder_.file("store"));
    ASSERT_TRUE(client.wait_ready());
    exchange_->signal(SIGINT);
    ASSERT_TRUE(client.turn_until([&] { return !client.session().is_logged_on(); }));
    EXPECT_EQ(client.session().reason(), "the peer logged out");
    EXPECT_EQ(exchange_->finish(), 130) << exchange_->output();
}

TEST_F(OwnExchange, SurvivesAClientThatBreaksOffAgainAndAgain) {
    start("always");
    test::OrderClient client(port_, folder_.file("store"));
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(client.wait_ready()) << round << ": " << client.session().reason();
        send_orders(client, 10);
        client.break_link();
        ASSERT_TRUE(client.turn_until([&] { return !client.session().is_logged_on(); }));
    }
    ASSERT_TRUE(client.wait_ready()) << client.session().reason();
    client.log_out();
    ASSERT_TRUE(client.wait_down());
    EXPECT_EQ(client.duplicates, 0u);
    EXPECT_EQ(client.unexpected, 0u);
    EXPECT_EQ(value_of(finish(), "logons"), 21);
}

TEST_F(OwnExchange, NamesWhatIsWrongWithItsConfiguration) {
    const std::string config = folder_.write(
        "bad.xml", "<exchange port=\"x\" fill=\"sometimes\">\n<sesion sender=\"A\"/></exchange>");
    test::ChildProcess exchange({TICKPATH_EXECUTABLE, "exchange", config});
    EXPECT_EQ(exchange.finish(), 3);
    EXPECT_NE(exchange.output().find("bad.xml:1:"), std::string::npos) << exchange.output();
    EXPECT_NE(exchange.output().find("bad.xml:2:"), std::string::npos) << exchange.output();

    test::ChildProcess missing({TICKPATH_EXECUTABLE, "exchange", folder_.file("none.xml")});
    EXPECT_EQ(missing.finish(), 3);
    test::ChildProcess usage({TICKPATH_EXECUTABLE, "exchange", config, "--fill", "sometimes"});
    EXPECT_EQ(usage.finish(), 2);
}

TEST_F(OwnExchange, SaysWhenItsPortOrStoreIsTaken) {
    start("always");
    test::ChildProcess second(
        {TICKPATH_EXECUTABLE, "exchange", folder_.file("exchange.xml"), "--port", std::to_string(port_)});
    EXPECT_EQ(second.finish(), 1);
    EXPECT_NE(second.output().find("another process listens there"), std::string::npos) << second.output();
    EXPECT_NE(second.output().find("in use"), std::string::npos) << second.output();
}

}  // namespace
}  // namespace tickpath
