#include "dataplane/exchange/exchange.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fix_client.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::exchange {
namespace {

const std::string time_text = "20260105-10:00:00.123";

/// "35=D|34=N|11=ID|…": a limit order for 7 at 133.31.
std::string order(int number, const std::string& id, char time_in_force = '3') {
    return "35=D|34=" + std::to_string(number) + "|11=" + id + "|55=SBER|54=1|60=" + time_text +
           "|38=0000000000000007|40=2|44=0000000000133.31|59=" + time_in_force;
}

/// Without TransactTime (60), which is the exchange's clock.
std::string timeless(std::string message) {
    const std::size_t at = message.find("|60=");
    if (at == std::string::npos) return message;
    return message.erase(at, message.find('|', at + 1) - at);
}

class ExchangeTest : public testing::Test {
protected:
    ~ExchangeTest() override { stop(); }

    /// Without the exchange's clock: TransactTime is left out, and identifiers (37, 17), which start at it,
    /// count from the first one seen.
    std::string comparable(const std::string& message) {
        std::string text = timeless(message);
        for (const char* const tag : {"|37=O", "|17=E"}) {
            std::size_t at = text.find(tag);
            if (at == std::string::npos) continue;
            at += 5;
            const std::size_t end = std::min(text.find('|', at), text.size());
            const std::uint64_t number = std::stoull(text.substr(at, end - at));
            if (!first_identifier_) first_identifier_ = number;
            text.replace(at, end - at, std::to_string(number - *first_identifier_));
        }
        return text;
    }

    void start(std::uint32_t fill_every) {
        std::string error;
        ExchangeSettings settings;
        settings.listen = *tcp::Endpoint::resolve("127.0.0.1", 0, error);
        settings.store_directory = folder_.file("store");
        settings.clients = {{.sender = "EXCH", .target = "ONE"}, {.sender = "EXCH", .target = "TWO"}};
        settings.fill_every = fill_every;
        std::vector<std::string> errors;
        exchange_ = Exchange::open(
            settings, counters_, [this](std::string_view line) { talk_ += std::string(line) + '\n'; },
            errors);
        ASSERT_TRUE(exchange_) << errors.front();
        stop_ = false;
        thread_ = std::thread([this] {
            while (!stop_)
                if (!exchange_->poll()) exchange_->wait(5);
            exchange_->shut_down();
        });
    }
    /// Clients go first: nobody waits for their answer to a Logout.
    void stop() {
        clients_.clear();
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    test::FixClient& log_on(const std::string& name) {
        clients_.push_back(std::make_unique<test::FixClient>(exchange_->port(), name, "EXCH"));
        clients_.back()->sends("35=A|34=1|98=0|108=30|141=Y");
        EXPECT_EQ(clients_.back()->gets(), "35=A|34=1|98=0|108=30|141=Y");
        return *clients_.back();
    }

    const test::TemporaryFolder folder_;
    core::CounterPage counters_ = core::CounterPage::anonymous();
    std::unique_ptr<Exchange> exchange_;
    std::vector<std::unique_ptr<test::FixClient>> clients_;
    std::optional<std::uint64_t> first_identifier_;
    std::string talk_;  // read after stop()
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

TEST_F(ExchangeTest, AcknowledgesAndFills) {
    start(1);
    test::FixClient& client = log_on("ONE");
    client.sends(order(2, "a"));
    EXPECT_EQ(comparable(client.gets()),
              "35=8|34=2|37=O0|11=a|17=E1|150=0|39=0|55=SBER|54=1|38=7|40=2|44=133.31|59=3|151=7|14=0|6=0");
    EXPECT_EQ(comparable(client.gets()),
              "35=8|34=3|37=O0|11=a|17=E2|150=F|39=2|55=SBER|54=1|38=7|40=2|44=133.31|59=3|32=7|31=133.31|"
              "151=0|14=7|6=133.31");
    client.sends("35=5|34=3");
    EXPECT_EQ(client.gets(), "35=5|34=4");
    EXPECT_EQ(client.gets(), "closed");
    stop();
    EXPECT_EQ(exchange_->counts(0).orders, 1u);
    EXPECT_EQ(exchange_->counts(0).fills, 1u);
    EXPECT_EQ(talk_, "ONE logged on\nONE is down: the peer logged out\n");
}

TEST_F(ExchangeTest, CancelsAnImmediateOrderItDoesNotFill) {
    start(0);
    test::FixClient& client = log_on("ONE");
    client.sends(order(2, "a"));
    EXPECT_NE(comparable(client.gets()).find("150=0|39=0"), std::string::npos);
    EXPECT_EQ(comparable(client.gets()),
              "35=8|34=3|37=O0|11=a|17=E2|150=4|39=4|55=SBER|54=1|38=7|40=2|44=133.31|59=3|151=0|14=0|6=0");
    client.sends(order(3, "b", '0'));
    EXPECT_NE(client.gets().find("150=0|39=0"), std::string::npos);
    client.sends("35=1|34=4|112=x");
    EXPECT_EQ(client.gets(), "35=0|34=5|112=x") << "a day order stays New";
    stop();
    EXPECT_EQ(exchange_->total().orders, 2u);
    EXPECT_EQ(exchange_->total().fills, 0u);
    EXPECT_EQ(exchange_->total().cancels, 1u);
}

TEST_F(ExchangeTest, FillsEveryThirdOrderOverAllClients) {
    start(3);
    test::FixClient &one = log_on("ONE"), &two = log_on("TWO");
    std::string outcomes;
    for (int number = 2; number < 8; ++number) {
        test::FixClient& client = number % 2 == 0 ? one : two;
        client.sends(order(number / 2 + 1, "id" + std::to_string(number)));
        static_cast<void>(client.gets());
        outcomes += client.gets().find("150=F") != std::string::npos ? 'F' : 'C';
    }
    EXPECT_EQ(outcomes, "CCFCCF");
    stop();
    EXPECT_EQ(exchange_->counts(0).orders, 3u);
    EXPECT_EQ(exchange_->counts(1).orders, 3u);
}

TEST_F(ExchangeTest, SaysWhatIsWrongWithAnOrder) {
    start(1);
    test::FixClient& client = log_on("ONE");
    client.sends("35=D|34=2|11=a|55=SBER|54=1|60=" + time_text + "|40=2|44=1");
    EXPECT_EQ(client.gets(), "35=3|34=2|45=2|371=38|372=D|373=1|58=Required tag missing");
    client.sends("35=D|34=3|11=a|55=SBER|54=1|60=" + time_text + "|38=7|40=2|59=3");
    EXPECT_EQ(client.gets(), "35=j|34=3|45=3|372=D|379=a|380=5|58=Conditionally Required Field Missing (44)");
    client.sends("35=D|34=4|11=a|55=SBER|54=1|60=" + time_text + "|38=0|40=2|44=1|59=3");
    EXPECT_EQ(comparable(client.gets()),
              "35=8|34=4|37=NONE|11=a|17=E0|150=8|39=8|103=13|55=SBER|54=1|38=0|40=2|44=1|59=3|151=0|14=0|6="
              "0|58=OrderQty must be above 0");
    client.sends("35=F|34=5|11=b|41=a|55=SBER|54=1|60=" + time_text + "|38=7");
    EXPECT_EQ(client.gets(), "35=j|34=5|45=5|372=F|379=b|380=3|58=Unsupported Message Type");
    stop();
    EXPECT_EQ(exchange_->total().orders, 0u);
    EXPECT_EQ(exchange_->total().rejects, 3u);
    EXPECT_EQ(exchange_->total().refused, 1u);
}

TEST_F(ExchangeTest, TakesAClOrdIdOnce) {
    start(1);
    test::FixClient& client = log_on("ONE");
    client.sends(order(2, "a"));
    static_cast<void>(client.gets());
    static_cast<void>(client.gets());
    client.sends(order(3, "a"));
    EXPECT_NE(client.gets().find("150=8|39=8|103=6"), std::string::npos);
    test::FixClient& other = log_on("TWO");
    other.sends(order(2, "a"));
    EXPECT_NE(other.gets().find("150=0|39=0"), std::string::npos) << "identifiers are the client's own";
}

TEST_F(ExchangeTest, IdentifiersGoOnAfterARestart) {
    start(1);
    test::FixClient& before = log_on("ONE");
    before.sends(order(2, "a"));
    static_cast<void>(comparable(before.gets()));
    static_cast<void>(comparable(before.gets()));
    before.sends("35=5|34=3");
    EXPECT_EQ(before.gets(), "35=5|34=4");
    EXPECT_EQ(before.gets(), "closed");
    stop();
    exchange_.reset();
    start(1);
    test::FixClient& client = log_on("ONE");
    client.sends(order(2, "b"));
    EXPECT_NE(comparable(client.gets()).find("37=O3|11=b|17=E4"), std::string::npos);
}

TEST_F(ExchangeTest, AnswersABurstCompletelyAndInOrder) {
    start(2);
    test::FixClient& client = log_on("ONE");
    std::thread writer([&] {
        for (int number = 2; number < 5'002; ++number)
            client.sends(order(number, "id" + std::to_string(number)));
    });
    for (int number = 2; number < 5'002; ++number) {
        const std::string id = "|11=id" + std::to_string(number) + "|";
        const std::string acknowledged = client.gets(), ended = client.gets();
        ASSERT_NE(acknowledged.find(id), std::string::npos) << acknowledged;
        ASSERT_NE(ended.find(id), std::string::npos) << ended;
        ASSERT_NE(ended.find(number % 2 == 1 ? "150=F" : "150=4"), std::string::npos) << ended;
    }
    writer.join();
    stop();
    EXPECT_EQ(exchange_->total().orders, 5'000u);
    EXPECT_EQ(exchange_->total().fills, 2'500u);
    EXPECT_EQ(exchange_->total().reports_lost, 0u);
}

}  // namespace
}  // namespace tickpath::exchange
