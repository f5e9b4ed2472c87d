// Plays the counterparty of a session::FixSession without sockets: a test says what the peer sends and reads
// what the session answered, in short lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/session/fix_session.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fix_text.h"

namespace tickpath::test {

/// "20260105-10:00:00.123", made without decoders/fix.
[[nodiscard]] inline std::string utc_text(std::uint64_t utc_ns) {
    const auto seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[64];
    const std::size_t length = std::strftime(text, sizeof text, "%Y%m%d-%H:%M:%S", &parts);
    std::snprintf(text + length, sizeof text - length, ".%03u",
                  static_cast<unsigned>(utc_ns / 1'000'000 % 1'000));
    return text;
}

/// A message as "35=A|34=1|98=0|108=30": without 8, 9, 49, 52, 56 and 10, times of 122 left out. Fails the
/// test when the frame is not sound.
[[nodiscard]] inline std::string short_form(std::string_view message) {
    const std::size_t body = message.find(
                                 "\x01"
                                 "35=") +
                             1;
    const std::size_t trailer = message.rfind(
                                    "\x01"
                                    "10=") +
                                1;
    const std::size_t length_at = message.find(
                                      "\x01"
                                      "9=") +
                                  3;
    EXPECT_EQ(std::stoul(std::string(message.substr(length_at))), trailer - body) << with_bars(message);
    EXPECT_EQ(message.substr(trailer), "10=" + checksum_text(message.substr(0, trailer)) + '\x01')
        << with_bars(message);
    std::string kept;
    for (std::size_t at = body; at < trailer;) {
        const std::size_t end = message.find('\x01', at);
        const std::string field(message.substr(at, end - at));
        const std::string tag = field.substr(0, field.find('='));
        if (tag == "122")
            kept += "122|";
        else if (tag != "49" && tag != "52" && tag != "56")
            kept += field + '|';
        at = end + 1;
    }
    if (!kept.empty()) kept.pop_back();
    return kept;
}

/// Splits sent bytes into messages.
[[nodiscard]] inline std::vector<std::string> split_messages(std::string_view bytes) {
    std::vector<std::string> messages;
    while (!bytes.empty()) {
        const std::size_t trailer = bytes.find(
            "\x01"
            "10=");
        if (trailer == std::string_view::npos) break;
        const std::size_t end = bytes.find('\x01', trailer + 1) + 1;
        messages.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(end);
    }
    EXPECT_TRUE(bytes.empty()) << with_bars(bytes);
    return messages;
}

class ScriptedPeer {
public:
    ScriptedPeer(session::FixSession& session, FakeClock& clock) : session_(session), clock_(clock) {}

    [[nodiscard]] session::Now now() const {
        return {.monotonic_ns = clock_.monotonic_ns, .utc_ns = clock_.utc_ns};
    }

    void connect() { session_.on_link_up(now()); }
    void disconnect() { session_.on_link_down(now()); }

    /// Sends "35=0|34=2|112=x"; 49, 52 and 56 are put behind 34 unless the body has them.
    void sends(const std::string& body) { sends_bytes(complete(body)); }
    void sends_bytes(std::string_view bytes) {
        session_.on_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), now(), *this);
    }

    [[nodiscard]] std::string complete(const std::string& body) const {
        const session::SessionSettings& settings = session_.settings();
        std::string header;
        if (body.find("|49=") == std::string::npos) header += "|49=" + settings.target;
        if (body.find("|52=") == std::string::npos) header += "|52=" + utc_text(clock_.utc_ns);
        if (body.find("|56=") == std::string::npos) header += "|56=" + settings.sender;
        std::string whole = body;
        const std::size_t number_end = whole.find('|', whole.find("|34=") + 1);
        whole.insert(number_end == std::string::npos ? whole.size() : number_end, header);
        return fix_message(whole, settings.begin_string);
    }

    /// What the session has sent since the last call, one message a line.
    [[nodiscard]] std::string gets() {
        std::string lines;
        const auto output = session_.output();
        for (const std::string& message :
             split_messages({reinterpret_cast<const char*>(output.data()), output.size()}))
            lines += (lines.empty() ? "" : "\n") + short_form(message);
        session_.output_taken(output.size());
        return lines;
    }

    void wait_ms(std::uint64_t ms, std::uint64_t step_ms = 10) {
        for (std::uint64_t passed = 0; passed < ms; passed += step_ms) {
            clock_.advance_ms(step_ms);
            session_.on_timer(now());
        }
    }

    /// Messages handed to the application since the last call, one a line; "?" marks PossDupFlag.
    [[nodiscard]] std::string delivered() { return std::exchange(delivered_, {}); }

    void on_message(const fix::Message& message, bool poss_dup) noexcept {
        delivered_ += (delivered_.empty() ? "" : "\n") + short_form(message.bytes()) + (poss_dup ? "?" : "");
    }

private:
    session::FixSession& session_;
    FakeClock& clock_;
    std::string delivered_;
};

}  // namespace tickpath::test
