#include "dataplane/fix_engine/fix_engine.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fix_client.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::fix_engine {
namespace {

/// Writes down what it hears and echoes application messages.
struct EchoHandler final : EngineHandler {
    FixEngine* engine = nullptr;
    std::string heard;  // read after the engine's thread has ended

    void on_logon(std::size_t session) noexcept override {
        heard += "logon " + std::to_string(session) + '\n';
    }
    void on_message(std::size_t session, const fix::Message& message, bool) noexcept override {
        heard += "message " + std::to_string(session) + ' ' + std::string(message.msg_type()) + '\n';
        engine->session(session).begin_message(message.msg_type(), engine->now()).text(58, "echo");
        EXPECT_TRUE(engine->session(session).commit_message(engine->now()));
    }
    void on_logout(std::size_t session, std::string_view reason) noexcept override {
        heard += "logout " + std::to_string(session) + ' ' + std::string(reason) + '\n';
    }
};

class FixEngineTest : public testing::Test {
protected:
    FixEngineTest() {
        std::string error;
        settings_.listen = *tcp::Endpoint::resolve("127.0.0.1", 0, error);
        settings_.store_directory = folder_.file("store");
        for (const char* target : {"A", "B"}) {
            session::SessionSettings session;
            session.sender = "US";
            session.target = target;
            settings_.sessions.push_back(session);
        }
    }
    ~FixEngineTest() override { stop(); }

    void open() {
        std::vector<std::string> errors;
        engine_ = FixEngine::open(settings_, handler_, counters_, errors);
        ASSERT_TRUE(engine_) << errors.front();
        handler_.engine = engine_.get();
    }
    void start() {
        ASSERT_NO_FATAL_FAILURE(open());
        stop_ = false;
        thread_ = std::thread([this] { engine_->run(stop_); });
    }
    void stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    std::unique_ptr<test::FixClient> client(const std::string& name) {
        return std::make_unique<test::FixClient>(engine_->port(), name, "US");
    }

    const test::TemporaryFolder folder_;
    EngineSettings settings_;
    EchoHandler handler_;
    core::CounterPage counters_ = core::CounterPage::anonymous();
    std::unique_ptr<FixEngine> engine_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

TEST_F(FixEngineTest, ServesManySessionsOnOnePort) {
    start();
    const auto a = client("A"), b = client("B");
    a->sends("35=A|34=1|98=0|108=30");
    b->sends("35=A|34=1|98=0|108=20");
    EXPECT_EQ(a->gets(), "35=A|34=1|98=0|108=30");
    EXPECT_EQ(b->gets(), "35=A|34=1|98=0|108=20");
    a->sends("35=D|34=2|11=x");
    EXPECT_EQ(a->gets(), "35=D|34=2|58=echo");
    b->sends("35=5|34=2");
    EXPECT_EQ(b->gets(), "35=5|34=2");
    EXPECT_EQ(b->gets(), "closed");
    a->sends("35=D|34=3|11=y");
    EXPECT_EQ(a->gets(), "35=D|34=3|58=echo") << "one session's end is not another's";
    stop();
    EXPECT_EQ(handler_.heard.substr(handler_.heard.find("message 0")),
              "message 0 D\nlogout 1 the peer logged out\nmessage 0 D\nlogout 0 we logged out\n");
}

TEST_F(FixEngineTest, TakesALogonAndMoreFromOnePacketAndFromSingleBytes) {
    start();
    const auto a = client("A");
    a->sends("35=A|34=1|98=0|108=30");
    a->sends("35=D|34=2|11=x");
    EXPECT_EQ(a->gets(), "35=A|34=1|98=0|108=30");
    EXPECT_EQ(a->gets(), "35=D|34=2|58=echo");

    const auto b = client("B");
    const std::string time = test::utc_text(
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
    for (const char c : test::fix_message("35=A|34=1|49=B|52=" + time + "|56=US|98=0|108=30"))
        b->sends_bytes({&c, 1});
    EXPECT_EQ(b->gets(), "35=A|34=1|98=0|108=30");
}

TEST_F(FixEngineTest, ClosesTheSecondConnectionOfASession) {
    start();
    const auto first = client("A");
    first->sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(first->gets(), "35=A|34=1|98=0|108=30");
    const auto second = client("A");
    second->sends("35=A|34=2|98=0|108=30|141=Y");
    EXPECT_EQ(second->gets(), "closed");
    first->sends("35=1|34=2|112=still here");
    EXPECT_EQ(first->gets(), "35=0|34=2|112=still here") << "its numbers are untouched";
}

TEST_F(FixEngineTest, ClosesStrangersWithoutAWord) {
    settings_.logon_timeout_ms = 300;
    start();
    const auto unknown = client("C");
    unknown->sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(unknown->gets(), "closed");
    const auto noise = client("A");
    noise->sends_bytes("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(noise->gets(), "closed");
    const auto endless = client("A");
    endless->sends_bytes(test::with_soh("8=FIX.4.4|9=4000|35=A|58=") + std::string(5'000, 'x'));
    EXPECT_EQ(endless->gets(), "closed");
    const auto silent = client("A");
    EXPECT_EQ(silent->gets(2'000), "closed") << "no Logon in time";
    const auto half = client("A");
    half->sends_bytes(test::with_soh("8=FIX.4.4|9=60|35=A|"));
    EXPECT_EQ(half->gets(2'000), "closed");
    stop();
    EXPECT_EQ(handler_.heard, "");
    EXPECT_EQ(counters_.value("engine.strangers"), 5u);
}

TEST_F(FixEngineTest, BoundsConnectionsThatHaveNotLoggedOn) {
    settings_.pending_max = 2;
    start();
    std::vector<std::unique_ptr<test::FixClient>> waiting;
    for (int i = 0; i < 3; ++i)
        waiting.push_back(client("A"));
    EXPECT_EQ(waiting[0]->gets(), "closed") << "the oldest";
    EXPECT_EQ(waiting[1]->gets(100), "nothing");
    waiting[2]->sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(waiting[2]->gets(), "35=A|34=1|98=0|108=30");
    stop();
    EXPECT_EQ(counters_.value("engine.strangers"), 1u);
}

TEST_F(FixEngineTest, IdleConnectionsDoNotLockASessionOut) {
    start();
    std::vector<std::unique_ptr<test::FixClient>> idle;
    for (int i = 0; i < 300; ++i)
        idle.push_back(client("A"));
    const auto real = client("B");
    real->sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(real->gets(), "35=A|34=1|98=0|108=30");
}

TEST_F(FixEngineTest, LogsEverybodyOutAtTheEnd) {
    start();
    const auto a = client("A");
    a->sends("35=A|34=1|98=0|108=30");
    static_cast<void>(a->gets());
    stop_ = true;
    EXPECT_EQ(a->gets(), "35=5|34=2");
    a->sends("35=5|34=2");
    EXPECT_EQ(a->gets(), "closed");
    stop();
    EXPECT_EQ(handler_.heard, "logon 0\nlogout 0 we logged out\n");
}

TEST_F(FixEngineTest, GoesOnWithItsNumbersAfterARestart) {
    start();
    {
        const auto a = client("A");
        a->sends("35=A|34=1|98=0|108=30");
        static_cast<void>(a->gets());
        a->sends("35=D|34=2|11=x");
        EXPECT_EQ(a->gets(), "35=D|34=2|58=echo");
        a->sends("35=5|34=3");
        EXPECT_EQ(a->gets(), "35=5|34=3");
        EXPECT_EQ(a->gets(), "closed");
    }
    stop();
    engine_.reset();
    start();
    const auto a = client("A");
    a->sends("35=A|34=4|98=0|108=30");
    EXPECT_EQ(a->gets(), "35=A|34=4|98=0|108=30");
}

TEST_F(FixEngineTest, TellsAbrokenConnection) {
    start();
    client("A")->sends("35=A|34=1|98=0|108=30");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto again = client("A");
    again->sends("35=A|34=2|98=0|108=30");
    EXPECT_EQ(again->gets(), "35=A|34=2|98=0|108=30");
    stop();
    EXPECT_EQ(handler_.heard.find("logon 0\nlogout 0 127.0.0.1:"), 0u) << handler_.heard;
}

TEST_F(FixEngineTest, APeerThatDoesNotReadIsNotReadEither) {
    settings_.sessions[0].output_bytes = 16 * 1024;
    settings_.link.backlog_bytes = 8 * 1024;
    start();
    const auto a = client("A");
    a->sends("35=A|34=1|98=0|108=30");
    const auto b = client("B");
    b->sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(b->gets(), "35=A|34=1|98=0|108=30");

    constexpr int message_count =
        40'000;  // 19 MB of answers: more than the kernel keeps for a reader that sleeps
    std::thread writer([&] {
        for (int number = 2; number <= message_count; ++number)
            a->sends("35=1|34=" + std::to_string(number) + "|112=" + std::string(400, 'x'));
    });
    for (int number = 2; number < 200; ++number) {
        b->sends("35=1|34=" + std::to_string(number) + "|112=x");
        ASSERT_EQ(b->gets(), "35=0|34=" + std::to_string(number) + "|112=x")
            << "the others are served meanwhile";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    int answers = 0;
    while (answers < message_count && a->gets().starts_with("35="))
        ++answers;
    EXPECT_EQ(answers, message_count) << "nothing is lost once it reads; " << handler_.heard;
    writer.join();
}

/// Sends and never reads, until the engine has enough of it.
class DeafPeer {
public:
    explicit DeafPeer(std::unique_ptr<test::FixClient> client, const std::string& heartbeat_s)
        : client_(std::move(client)) {
        client_->sends("35=A|34=1|98=0|108=" + heartbeat_s);
        thread_ = std::thread([this] {
            for (int number = 2; !is_over_; ++number)
                client_->sends("35=1|34=" + std::to_string(number) + "|112=" + std::string(900, 'x'));
        });
    }
    ~DeafPeer() {
        is_over_ = true;
        ::shutdown(client_->descriptor(), SHUT_RDWR);  // wakes a blocked send
        thread_.join();
    }

private:
    std::unique_ptr<test::FixClient> client_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

TEST_F(FixEngineTest, APeerThatNeverReadsTimesOutAndGivesItsPlaceBack) {
    settings_.sessions[0].logout_timeout_ms = 200;
    start();
    const DeafPeer deaf(client("A"), "1");
    std::string answer;
    for (int i = 0; i < 100 && !answer.starts_with("35="); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const auto again = client("A");
        again->sends("35=A|34=1|98=0|108=30|141=Y");
        answer = again->gets(1'000);
    }
    EXPECT_EQ(answer, "35=A|34=1|98=0|108=30|141=Y");
    stop();
    EXPECT_EQ(handler_.heard.find("logon 0\nlogout 0 the peer does not read what we send\n"), 0u)
        << handler_.heard;
}

TEST_F(FixEngineTest, SleepsWhileAPeerSendsAndDoesNotRead) {
    open();
    const DeafPeer deaf(client("A"), "30");
    int full_turns = 0;  // in a row: no more room, and the kernel takes nothing either
    for (int i = 0; i < 20'000 && full_turns < 100; ++i) {
        if (!engine_->poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const session::FixSession& session = engine_->session(0);
        full_turns = session.output().size() * 2 > session.settings().output_bytes ? full_turns + 1 : 0;
    }
    ASSERT_EQ(full_turns, 100) << "its output is never full";
    const auto began = std::chrono::steady_clock::now();
    engine_->wait(200);
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(190));
}

TEST_F(FixEngineTest, APeerThatNeverReadsDoesNotHoldAShutdown) {
    settings_.sessions[0].logout_timeout_ms = 300;
    start();
    const DeafPeer deaf(client("A"), "30");
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const auto began = std::chrono::steady_clock::now();
    stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
}

TEST(FixEngine, NamesEveryProblemAtOnce) {
    const test::TemporaryFolder folder;
    folder.write("store", "a file where the folder should be");
    std::string error;
    const auto taken = tcp::TcpListener::open(*tcp::Endpoint::resolve("127.0.0.1", 0, error), error);
    ASSERT_TRUE(taken) << error;
    EngineSettings settings;
    settings.listen = *tcp::Endpoint::resolve("127.0.0.1", taken->port(), error);
    settings.store_directory = folder.file("store");
    settings.sessions.resize(1);
    settings.sessions[0].sender = "US";
    settings.sessions[0].target = "A";
    EchoHandler handler;
    core::CounterPage counters = core::CounterPage::anonymous();
    std::vector<std::string> errors;
    EXPECT_FALSE(FixEngine::open(settings, handler, counters, errors));
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_NE(errors[0].find("another process listens there"), std::string::npos) << errors[0];
    EXPECT_NE(errors[1].find("store"), std::string::npos) << errors[1];
}

}  // namespace
}  // namespace tickpath::fix_engine
