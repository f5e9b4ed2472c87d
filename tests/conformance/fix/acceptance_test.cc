// The session against the acceptance scripts of the shared data: a scripted client, every answer compared
// field by field. In memory, with a clock that the script moves. Format and rules:
// data/fix-acceptance/README.md.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/session/fix_session.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fix_text.h"
#include "tests/support/shared_data.h"

namespace tickpath {
namespace {

constexpr char soh = '\x01';

// Scripts about what the session does not do by itself: judging fields needs the dictionary, sending
// application messages again needs the message store.
const std::set<std::string> beyond_the_session = {"14a_BadField",
                                                  "14c_TagNotDefinedForMsgType",
                                                  "14e_IncorrectEnumValue",
                                                  "14g_HeaderBodyTrailerFieldsOutOfOrder",
                                                  "14i_RepeatingGroupCountNotEqual",
                                                  "15_HeaderAndBodyFieldsOrderedDifferently",
                                                  "ReverseRoute",
                                                  "8_OnlyApplicationMessages"};

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const std::string& message) {
    Fields fields;
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find(soh, at), message.size());
        const std::string field = message.substr(at, end - at);
        const std::size_t equals = field.find('=');
        fields.emplace_back(field.substr(0, equals), field.substr(std::min(equals, field.size() - 1) + 1));
        at = end + 1;
    }
    return fields;
}

/// The acceptor under test: echoes orders, knows nothing else.
class EchoAcceptor {
public:
    EchoAcceptor(session::FixSession& session, test::FakeClock& clock) : session_(session), clock_(clock) {}

    [[nodiscard]] session::Now now() const {
        return {.monotonic_ns = clock_.monotonic_ns, .utc_ns = clock_.utc_ns};
    }
    void forget_ids() { ids_.clear(); }

    void on_message(const fix::Message& message, bool) noexcept {
        const std::string type(message.msg_type());
        if (type == "3") return;
        if (type != "D" && type != "d" && type != "C") return refuse(message);
        const std::string id(message.text(fix::tag::cl_ord_id).value_or(""));
        const bool is_resend = message.flag(fix::tag::poss_resend);
        if (!ids_.insert(id).second && is_resend) return;
        fix::Writer& writer = session_.begin_message(type, now());
        if (is_resend) writer.flag(fix::tag::poss_resend, true);
        std::vector<fix::Field> body;
        const std::set<std::uint32_t> header = {8, 9, 35, 34, 43, 49, 52, 56, 97, 122, 10};
        for (const fix::Field& field : message.fields())
            if (header.count(field.tag) == 0) body.push_back(field);
        // Ascending, but the members of a group stay where they are: behind their count.
        if (!message.has(386) && !message.has(78))
            std::stable_sort(body.begin(), body.end(), [](auto a, auto b) { return a.tag < b.tag; });
        for (const fix::Field& field : body)
            writer.text(field.tag, message.value(field));
        EXPECT_TRUE(session_.commit_message(now()));
    }

private:
    void refuse(const fix::Message& message) {
        fix::Writer& writer = session_.begin_message("j", now());
        writer.text(fix::tag::ref_seq_num, *message.text(fix::tag::msg_seq_num));
        writer.text(fix::tag::text, "Unsupported Message Type");
        writer.text(fix::tag::ref_msg_type, message.msg_type());
        writer.number(fix::tag::business_reject_reason, 3);
        EXPECT_TRUE(session_.commit_message(now()));
    }

    session::FixSession& session_;
    test::FakeClock& clock_;
    std::set<std::string> ids_;
};

session::SessionSettings settings_of(const std::string& begin_string, const std::string& target) {
    session::SessionSettings settings;
    settings.role = session::Role::acceptor;
    settings.begin_string = begin_string;
    settings.sender = "ISLD";
    settings.target = target;
    settings.reset_on_logon = true;
    settings.ascending_fields = true;
    return settings;
}

/// Plays one script. A connection that finds the session taken is closed, as the engine does it.
class Runner {
public:
    Runner(const std::string& begin_string, const std::string& target)
        : session_(settings_of(begin_string, target), numbers_), acceptor_(session_, clock_) {
        numbers_.start(clock_.utc_ns);
    }

    void play(const std::string& script) {
        std::istringstream lines(script);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            if (line.ends_with('\r')) line.pop_back();
            if (line.empty() || line.front() == '#') continue;
            SCOPED_TRACE("line " + std::to_string(number) + ": " + test::with_bars(line));
            step(line);
            if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
        }
    }

private:
    void step(const std::string& line) {
        const char action = line.front();
        std::string rest = line.substr(1);
        int connection = 1;
        if (rest.size() > 1 && rest[1] == ',') {
            connection = rest[0] - '0';
            rest.erase(0, 2);
        }
        if (action == 'i' && rest == "CONNECT") return connect(connection);
        if (action == 'i' && rest == "DISCONNECT") return disconnect(connection);
        if (action == 'I') return send(connection, rewrite(rest));
        if (action == 'E') return expect_message(rewrite(rest));
        if (action == 'e' && rest == "DISCONNECT") return expect_close(connection);
        FAIL() << "unknown line";
    }

    void connect(int connection) {
        if (connection_ != 0) return;  // told apart by its first message
        connection_ = connection;
        acceptor_.forget_ids();
        session_.on_link_up(acceptor_.now());
    }

    void disconnect(int connection) {
        if (connection != connection_) return;
        session_.on_link_down(acceptor_.now());
        connection_ = 0;
    }

    void send(int connection, const std::string& bytes) {
        if (connection != connection_) return;
        session_.on_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), acceptor_.now(), acceptor_);
    }

    void wait() {
        clock_.advance_ms(10);
        session_.on_timer(acceptor_.now());
    }

    void expect_message(const std::string& expected) {
        for (int waited = 0; session_.output().empty() && waited < 4'500; ++waited)
            wait();
        const auto output = session_.output();
        ASSERT_FALSE(output.empty()) << "nothing was sent";
        const std::string sent(reinterpret_cast<const char*>(output.data()), output.size());
        const std::size_t end = sent.find(soh, sent.find(std::string(1, soh) + "10=") + 1) + 1;
        session_.output_taken(end);
        compare(fields_of(sent.substr(0, end)), fields_of(expected), test::with_bars(sent.substr(0, end)));
    }

    static void compare(const Fields& sent, const Fields& expected, const std::string& message) {
        const std::set<std::string> times = {"42", "52", "60", "122"};
        ASSERT_EQ(sent.size(), expected.size()) << message;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const auto& [tag, value] = sent[i];
            ASSERT_EQ(tag, expected[i].first) << message;
            if (tag == "10")
                ASSERT_TRUE(has_shape(value, "ddd") && value.size() == 3) << message;
            else if (times.count(tag) != 0)
                ASSERT_TRUE(has_shape(value, "dddddddd-dd:dd:dd")) << message;
            else
                ASSERT_EQ(value, expected[i].second) << message;
        }
    }

    /// Begins like `shape`, where d is a digit.
    static bool has_shape(const std::string& value, const std::string& shape) {
        return value.size() >= shape.size() &&
               std::equal(shape.begin(), shape.end(), value.begin(),
                          [](char s, char v) { return s == 'd' ? v >= '0' && v <= '9' : s == v; });
    }

    void expect_close(int connection) {
        if (connection != connection_) return;  // was never let in
        for (int waited = 0; !session_.wants_close() && waited < 1'000; ++waited)
            wait();
        ASSERT_TRUE(session_.wants_close()) << "the connection stays open";
        ASSERT_TRUE(session_.output().empty()) << "bytes before the close";
        disconnect(connection);
    }

    /// Times, then BodyLength and CheckSum where the script leaves them out.
    [[nodiscard]] std::string rewrite(std::string body) const {
        for (std::size_t at = body.find("<TIME"); at != std::string::npos; at = body.find("<TIME")) {
            const std::size_t end = body.find('>', at);
            const std::string shift = body.substr(at + 5, end - at - 5);
            const auto seconds = static_cast<std::time_t>(static_cast<long>(clock_.utc_ns / 1'000'000'000) +
                                                          (shift.empty() ? 0 : std::stol(shift)));
            char text[32];
            std::tm parts{};
            std::strftime(text, sizeof text, "%Y%m%d-%H:%M:%S", ::gmtime_r(&seconds, &parts));
            body.replace(at, end + 1 - at, text);
        }
        if (!body.starts_with("8=")) return body;
        const std::size_t head = body.find(soh) + 1;
        const std::size_t trailer = body.rfind(std::string(1, soh) + "10=");
        const bool has_checksum = trailer != std::string::npos && trailer + 1 >= head;
        if (body.find(std::string(1, soh) + "9=") == std::string::npos) {
            const std::size_t length =
                (has_checksum ? trailer : body.size()) - head;  // one too small before a 10=
            body.insert(head, "9=" + std::to_string(length) + soh);
        }
        if (!has_checksum) body += "10=" + test::checksum_text(body) + soh;
        return body;
    }

    core::SessionNumbers numbers_;
    test::FakeClock clock_;
    session::FixSession session_;
    EchoAcceptor acceptor_;
    int connection_ = 0;  ///< the one that has the session
};

void play_all(const std::string& folder, const std::string& begin_string, const std::string& target) {
    const auto scripts = test::shared_data() / "fix-acceptance" / folder;
    std::size_t played = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scripts)) {
        const std::string name = entry.path().stem().string();
        if (beyond_the_session.count(name) != 0) continue;
        SCOPED_TRACE(folder + "/" + name);
        Runner(begin_string, target).play(test::read_file(entry.path()));
        ++played;
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(played, 30u);
}

TEST(FixAcceptance, Fix42) {
    TICKPATH_NEEDS_SHARED_DATA();
    play_all("fix42", "FIX.4.2", "TW42");
}

TEST(FixAcceptance, Fix44) {
    TICKPATH_NEEDS_SHARED_DATA();
    play_all("fix44", "FIX.4.4", "TW44");
}

}  // namespace
}  // namespace tickpath
