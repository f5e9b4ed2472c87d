#include "dataplane/session/fix_session.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"
#include "tests/support/scripted_peer.h"

namespace tickpath::session {
namespace {

using test::utc_text;

SessionSettings settings_of(Role role) {
    SessionSettings settings;
    settings.role = role;
    settings.sender = "US";
    settings.target = "THEM";
    return settings;
}

/// A session with its numbers in plain memory and a peer that plays the other side.
struct Fixture {
    explicit Fixture(const SessionSettings& settings)
        : session(settings, numbers, SessionCounters(page, "s")) {
        numbers.start(clock.utc_ns);
    }

    /// Logged on, numbers both at 2, nothing left to read.
    void log_on() {
        peer.connect();
        peer.sends("35=A|34=1|98=0|108=30");
        static_cast<void>(peer.gets());
        ASSERT_EQ(session.state(), State::active);
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page.value("s." + std::string(name));
    }

    core::CounterPage page = core::CounterPage::anonymous();
    core::SessionNumbers numbers;
    test::FakeClock clock;
    FixSession session;
    test::ScriptedPeer peer{session, clock};
};

struct Acceptor : Fixture {
    Acceptor() : Fixture(settings_of(Role::acceptor)) {}
    explicit Acceptor(const SessionSettings& settings) : Fixture(settings) {}
};
struct Initiator : Fixture {
    Initiator() : Fixture(settings_of(Role::initiator)) {}
    explicit Initiator(const SessionSettings& settings) : Fixture(settings) {}
};

// ---- Logon
// ---------------------------------------------------------------------------------------------------------

TEST(FixSessionLogon, AcceptorAnswersAndAdoptsTheHeartbeat) {
    Acceptor a;
    a.peer.connect();
    EXPECT_EQ(a.session.state(), State::await_logon);
    EXPECT_EQ(a.peer.gets(), "");
    a.peer.sends("35=A|34=1|98=0|108=17");
    EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=17");
    EXPECT_TRUE(a.session.ready());
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
    EXPECT_EQ(a.numbers.next_outbound(), 2u);
}

TEST(FixSessionLogon, InitiatorSpeaksFirst) {
    Initiator i;
    i.peer.connect();
    EXPECT_EQ(i.peer.gets(), "35=A|34=1|98=0|108=30");
    EXPECT_EQ(i.session.state(), State::logon_sent);
    EXPECT_FALSE(i.session.ready());
    i.peer.sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(i.peer.gets(), "");
    EXPECT_TRUE(i.session.ready());
}

TEST(FixSessionLogon, GoesOnWithStoredNumbers) {
    Initiator i;
    i.numbers.set_next_outbound(70);
    i.numbers.set_next_inbound(40);
    i.peer.connect();
    EXPECT_EQ(i.peer.gets(), "35=A|34=70|98=0|108=30");
    i.peer.sends("35=A|34=40|98=0|108=30");
    EXPECT_TRUE(i.session.ready());
    EXPECT_EQ(i.session.claim_outbound_number(), 71u);
    EXPECT_EQ(i.numbers.next_outbound(), 72u);
    EXPECT_EQ(i.numbers.next_inbound(), 41u);
}

TEST(FixSessionLogon, ResetOnLogonOfAnInitiatorIsAnnounced) {
    SessionSettings settings = settings_of(Role::initiator);
    settings.reset_on_logon = true;
    Initiator i(settings);
    i.numbers.set_next_outbound(70);
    i.numbers.set_next_inbound(40);
    i.peer.connect();
    EXPECT_EQ(i.peer.gets(), "35=A|34=1|98=0|108=30|141=Y");
    i.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_TRUE(i.session.ready());
    EXPECT_EQ(i.numbers.next_outbound(), 2u) << "the answer to our own reset must not reset again";
    EXPECT_EQ(i.numbers.next_inbound(), 2u);
}

TEST(FixSessionLogon, AcceptorFollowsAReset) {
    Acceptor a;
    a.numbers.set_next_outbound(70);
    a.numbers.set_next_inbound(40);
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(a.numbers.next_outbound(), 2u);
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
}

TEST(FixSessionLogon, AResetMustCarryNumberOne) {
    Acceptor a;
    a.numbers.set_next_inbound(7);
    a.peer.connect();
    a.peer.sends("35=A|34=7|98=0|108=30|141=Y");
    EXPECT_EQ(a.peer.gets(), "35=5|34=1|58=ResetSeqNumFlag wants MsgSeqNum 1");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.numbers.next_inbound(), 7u);
}

TEST(FixSessionLogon, AcceptorMayResetAtEveryLogonWithoutAnnouncingIt) {
    SessionSettings settings = settings_of(Role::acceptor);
    settings.reset_on_logon = true;
    {
        Acceptor a(settings);
        a.numbers.set_next_outbound(70);
        a.peer.connect();
        a.peer.sends("35=A|34=1|98=0|108=30");
        EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=30");
    }
    settings.announce_reset = true;
    Acceptor a(settings);
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=30");
    EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=30|141=Y");
}

TEST(FixSessionLogon, InitiatorTakesAnUnaskedResetWhenItStartedAtOne) {
    Initiator i;
    i.numbers.set_next_inbound(40);
    i.peer.connect();
    static_cast<void>(i.peer.gets());
    i.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(i.peer.gets(), "");
    EXPECT_EQ(i.numbers.next_inbound(), 2u);
    EXPECT_EQ(i.numbers.next_outbound(), 2u);
}

TEST(FixSessionLogon, InitiatorAnswersAnUnaskedResetOnceWhenItDidNot) {
    Initiator i;
    i.numbers.set_next_outbound(70);
    i.numbers.set_next_inbound(40);
    i.peer.connect();
    EXPECT_EQ(i.peer.gets(), "35=A|34=70|98=0|108=30");
    i.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(i.peer.gets(), "35=A|34=1|98=0|108=30|141=Y");
    i.peer.sends("35=A|34=1|98=0|108=30|141=Y");  // the peer's answer to our answer
    EXPECT_EQ(i.peer.gets(), "");
    EXPECT_EQ(i.session.state(), State::active);
    EXPECT_EQ(i.numbers.next_inbound(), 2u);
    EXPECT_EQ(i.numbers.next_outbound(), 2u);
}

TEST(FixSessionLogon, InitiatorMayRefuseAnUnaskedReset) {
    SessionSettings settings = settings_of(Role::initiator);
    settings.accept_unrequested_reset = false;
    Initiator i(settings);
    i.peer.connect();
    static_cast<void>(i.peer.gets());
    i.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(i.peer.gets(), "35=5|34=2|58=ResetSeqNumFlag was not asked for");
    EXPECT_TRUE(i.session.wants_close());
}

TEST(FixSessionLogon, NumberTooLowIsRefusedWithText) {
    Acceptor a;
    a.numbers.set_next_inbound(5);
    a.peer.connect();
    a.peer.sends("35=A|34=2|98=0|108=30");
    EXPECT_EQ(a.peer.gets(), "35=5|34=1|58=MsgSeqNum too low, expecting 5 but received 2");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.session.reason(), "MsgSeqNum too low, expecting 5 but received 2");
    EXPECT_EQ(a.numbers.next_inbound(), 5u);
}

TEST(FixSessionLogon, NumberTooHighIsAnsweredFirstThenTheGapIsAskedFor) {
    Acceptor a;
    a.peer.connect();
    a.peer.sends("35=A|34=9|98=0|108=30");
    EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=30\n35=2|34=2|7=1|16=0");
    EXPECT_EQ(a.session.state(), State::recovering);
    EXPECT_FALSE(a.session.ready());
    a.peer.sends("35=4|34=1|43=Y|122=" + utc_text(a.clock.utc_ns) + "|123=Y|36=9");
    EXPECT_EQ(a.numbers.next_inbound(), 10u) << "the Logon's own number counts when the gap closes";
    EXPECT_TRUE(a.session.ready());
}

TEST(FixSessionLogon, BothSidesMayFindAGapAtOnce) {
    Initiator i;
    i.numbers.set_next_outbound(10);
    i.numbers.set_next_inbound(5);
    i.peer.connect();
    EXPECT_EQ(i.peer.gets(), "35=A|34=10|98=0|108=30");
    i.peer.sends("35=A|34=20|98=0|108=30");
    EXPECT_EQ(i.peer.gets(), "35=2|34=11|7=5|16=0");
    i.peer.sends("35=2|34=21|7=3|16=0");
    EXPECT_EQ(i.peer.gets(), "35=4|34=3|43=Y|122|123=Y|36=12")
        << "served at once, though its number is ahead";
    i.peer.sends("35=4|34=5|43=Y|122=" + utc_text(i.clock.utc_ns) + "|123=Y|36=22");
    EXPECT_EQ(i.numbers.next_inbound(), 22u);
    EXPECT_TRUE(i.session.ready());
}

TEST(FixSessionLogon, NextExpectedNumberIsServedWithoutAResendRequest) {
    Acceptor a;
    a.numbers.set_next_outbound(8);
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=30|789=5");
    EXPECT_EQ(a.peer.gets(), "35=A|34=8|98=0|108=30\n35=4|34=5|43=Y|122|123=Y|36=8");
    EXPECT_TRUE(a.session.is_logged_on());

    Acceptor b;
    b.numbers.set_next_outbound(8);
    b.peer.connect();
    b.peer.sends("35=A|34=1|98=0|108=30|789=8");
    EXPECT_EQ(b.peer.gets(), "35=A|34=8|98=0|108=30");

    Acceptor c;
    c.numbers.set_next_outbound(8);
    c.peer.connect();
    c.peer.sends("35=A|34=1|98=0|108=30|789=9");
    EXPECT_EQ(c.peer.gets(), "35=5|34=8|58=NextExpectedMsgSeqNum is beyond what was sent");
    EXPECT_TRUE(c.session.wants_close());
}

TEST(FixSessionLogon, StrangersAreNotAnswered) {
    for (const char* body : {"35=A|34=1|49=OTHER|98=0|108=30", "35=A|34=1|56=OTHER|98=0|108=30", "35=0|34=1",
                             "35=D|34=1|11=x", "35=5|34=1", "35=A|34=x|98=0|108=30", "35=A|98=0|34=|108=30",
                             "35=A|34=99999999999999999999|98=0|108=30"}) {
        Acceptor a;
        a.peer.connect();
        a.peer.sends(body);
        EXPECT_EQ(a.peer.gets(), "") << body;
        EXPECT_TRUE(a.session.wants_close()) << body;
        EXPECT_EQ(a.numbers.next_inbound(), 1u);
        EXPECT_EQ(a.numbers.next_outbound(), 1u);
    }
    Acceptor a;
    a.peer.connect();
    a.peer.sends_bytes(
        test::fix_message("35=A|34=1|49=THEM|52=20260105-10:00:00|56=US|98=0|108=30", "FIX.4.2"));
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionLogon, AGarbledFirstMessageClosesWithoutAnswer) {
    Acceptor a;
    a.peer.connect();
    a.peer.sends_bytes("GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.peer.gets(), "");
    EXPECT_EQ(a.count("garbled"), 1u);
}

TEST(FixSessionLogon, BadTermsAreRefusedWithText) {
    struct Case {
        const char* body;
        const char* answer;
    };
    for (const Case c :
         {Case{"35=A|34=1|98=1|108=30", "35=5|34=1|58=EncryptMethod must be 0 (none)"},
          Case{"35=A|34=1|108=30", "35=5|34=1|58=EncryptMethod must be 0 (none)"},
          Case{"35=A|34=1|98=0", "35=5|34=1|58=HeartBtInt is missing or out of range"},
          Case{"35=A|34=1|98=0|108=-5", "35=5|34=1|58=HeartBtInt is missing or out of range"},
          Case{"35=A|34=1|98=0|108=99999999", "35=5|34=1|58=HeartBtInt is missing or out of range"}}) {
        Acceptor a;
        a.peer.connect();
        a.peer.sends(c.body);
        EXPECT_EQ(a.peer.gets(), c.answer) << c.body;
        EXPECT_TRUE(a.session.wants_close());
    }
}

TEST(FixSessionLogon, AClockTooFarAwayClosesAtOnce) {
    for (const std::int64_t seconds : {-121, 121}) {
        Acceptor a;
        a.peer.connect();
        const auto utc_ns = a.clock.utc_ns + static_cast<std::uint64_t>(seconds * 1'000'000'000);
        a.peer.sends("35=A|34=1|52=" + utc_text(utc_ns) + "|98=0|108=30");
        EXPECT_TRUE(a.session.wants_close()) << seconds;
        EXPECT_EQ(a.peer.gets(), "");
    }
}

TEST(FixSessionLogon, NoLogonInTimeCloses) {
    for (const Role role : {Role::acceptor, Role::initiator}) {
        Fixture f(settings_of(role));
        f.peer.connect();
        f.peer.wait_ms(9'900);
        EXPECT_FALSE(f.session.wants_close());
        f.peer.wait_ms(200);
        EXPECT_TRUE(f.session.wants_close());
    }
}

TEST(FixSessionLogon, ALogoutInsteadOfALogonIsReported) {
    Initiator i;
    for (std::uint32_t attempt = 1; attempt <= i.session.settings().refusals_max; ++attempt) {
        EXPECT_FALSE(i.session.gave_up());
        i.peer.connect();
        static_cast<void>(i.peer.gets());
        i.peer.sends("35=5|34=" + std::to_string(attempt) +
                     "|58=MsgSeqNum too low, expecting 90 but received 1");
        EXPECT_TRUE(i.session.wants_close());
        EXPECT_EQ(i.session.reason(), "MsgSeqNum too low, expecting 90 but received 1");
        EXPECT_EQ(i.numbers.next_inbound(), attempt + 1);
        i.peer.disconnect();
    }
    EXPECT_TRUE(i.session.gave_up()) << "a person must look; trying on would burn a number each time";
}

TEST(FixSessionLogon, NothingButALogonBringsAnInitiatorUp) {
    Initiator i;
    i.peer.connect();
    static_cast<void>(i.peer.gets());
    i.peer.sends("35=8|34=1|37=x");
    EXPECT_TRUE(i.session.wants_close());
    EXPECT_EQ(i.peer.delivered(), "");
}

TEST(FixSessionLogon, ALiveResetStartsBothAtOneAgain) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=0|34=2");
    a.peer.sends("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(a.peer.gets(), "35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
    EXPECT_EQ(a.numbers.next_outbound(), 2u);
    a.peer.sends("35=1|34=2|112=x");
    EXPECT_EQ(a.peer.gets(), "35=0|34=2|112=x");
}

TEST(FixSessionLogon, ALiveLogonWithoutResetCloses) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=A|34=2|98=0|108=30");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.peer.gets(), "");
}

// ---- Numbers
// -------------------------------------------------------------------------------------------------------

TEST(FixSessionNumbers, ApplicationMessagesArriveInOrderAndCount) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|11=a");
    a.peer.sends("35=D|34=3|11=b");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=2|11=a\n35=D|34=3|11=b");
    EXPECT_EQ(a.numbers.next_inbound(), 4u);
}

/// Looks at the stored number while the handler runs.
struct NumberWatcher {
    const core::SessionNumbers& numbers;
    std::uint64_t seen = 0;
    void on_message(const fix::Message&, bool) noexcept { seen = numbers.next_inbound(); }
};

TEST(FixSessionNumbers, AMessageCountsAfterTheHandlerReturned) {
    Acceptor a;
    a.log_on();
    NumberWatcher watcher{a.numbers};
    const std::string message = a.peer.complete("35=D|34=2|11=a");
    a.session.on_bytes(std::as_bytes(std::span(message.data(), message.size())), a.peer.now(), watcher);
    EXPECT_EQ(watcher.seen, 2u);
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
}

TEST(FixSessionNumbers, AGapIsAskedForOnceAndDeliveredInOrder) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=4|11=d");
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=2|16=0");
    a.peer.sends("35=D|34=5|11=e");
    EXPECT_EQ(a.peer.gets(), "") << "the open request covers it";
    EXPECT_EQ(a.peer.delivered(), "");
    const std::string then = utc_text(a.clock.utc_ns - 5'000'000'000);
    a.peer.sends("35=D|34=2|43=Y|122=" + then + "|11=b");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=2|43=Y|122|11=b?");
    EXPECT_FALSE(a.session.ready());
    a.peer.sends("35=4|34=3|43=Y|122=" + then + "|123=Y|36=4");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=4|11=d\n35=D|34=5|11=e");
    EXPECT_TRUE(a.session.ready());
    EXPECT_EQ(a.numbers.next_inbound(), 6u);
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionNumbers, ExampleOfTheSpecification) {
    // §9: E=5, a Heartbeat numbered 10, then GapFill to 8, 8 itself, GapFill 9 to 11.
    Acceptor a;
    a.numbers.set_next_inbound(4);
    a.peer.connect();
    a.peer.sends("35=A|34=4|98=0|108=30");
    static_cast<void>(a.peer.gets());
    const std::string then = utc_text(a.clock.utc_ns);
    a.peer.sends("35=0|34=10");
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=5|16=0");
    a.peer.sends("35=4|34=5|43=Y|122=" + then + "|123=Y|36=8");
    a.peer.sends("35=8|34=8|43=Y|122=" + then + "|37=x");
    a.peer.sends("35=4|34=9|43=Y|122=" + then + "|123=Y|36=11");
    EXPECT_EQ(a.peer.delivered(), "35=8|34=8|43=Y|122|37=x?");
    EXPECT_EQ(a.numbers.next_inbound(), 11u);
    EXPECT_TRUE(a.session.ready());
}

TEST(FixSessionNumbers, AFullQueueAsksAgain) {
    SessionSettings settings = settings_of(Role::acceptor);
    settings.queue_messages_max = 2;
    Acceptor a(settings);
    a.log_on();
    for (const int number : {4, 5, 6, 7})
        a.peer.sends("35=D|34=" + std::to_string(number) + "|11=" + std::to_string(number));
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=2|16=0");
    EXPECT_EQ(a.count("queue_overflows"), 2u);
    a.peer.sends("35=4|34=2|43=Y|122=" + utc_text(a.clock.utc_ns) + "|123=Y|36=4");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=4|11=4\n35=D|34=5|11=5");
    EXPECT_EQ(a.peer.gets(), "35=2|34=3|7=6|16=0");
    a.peer.sends("35=D|34=6|43=Y|122=" + utc_text(a.clock.utc_ns) + "|11=6");
    a.peer.sends("35=D|34=7|43=Y|122=" + utc_text(a.clock.utc_ns) + "|11=7");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=6|43=Y|122|11=6?\n35=D|34=7|43=Y|122|11=7?");
    EXPECT_TRUE(a.session.ready());
}

TEST(FixSessionNumbers, AnUnansweredRequestIsRepeatedThenGivenUp) {
    Acceptor a;
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=0");
    static_cast<void>(a.peer.gets());
    a.peer.sends("35=D|34=4|11=d");
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=2|16=0");
    a.peer.wait_ms(4'900);
    EXPECT_EQ(a.peer.gets(), "");
    a.peer.wait_ms(200);
    EXPECT_EQ(a.peer.gets(), "35=2|34=3|7=2|16=0");
    a.peer.wait_ms(5'000);
    EXPECT_EQ(a.peer.gets(), "35=2|34=4|7=2|16=0");
    a.peer.wait_ms(5'000);
    EXPECT_EQ(a.peer.gets(), "35=5|34=5|58=no answer to our ResendRequest");
    EXPECT_EQ(a.session.state(), State::logout_sent);
}

TEST(FixSessionNumbers, ProgressGivesTheAnswerMoreTime) {
    Acceptor a;
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=0");
    a.peer.sends("35=D|34=9|11=i");
    static_cast<void>(a.peer.gets());
    for (const int number : {2, 3, 4}) {
        a.peer.wait_ms(4'900);
        a.peer.sends("35=D|34=" + std::to_string(number) + "|43=Y|122=" + utc_text(a.clock.utc_ns) + "|11=x");
    }
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionNumbers, TooLowLogsOut) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=0|34=2");
    a.peer.sends("35=D|34=2|11=x");
    EXPECT_EQ(a.peer.gets(), "35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.peer.delivered(), "");
}

TEST(FixSessionNumbers, ADuplicateIsDropped) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|11=a");
    static_cast<void>(a.peer.delivered());
    a.peer.sends("35=D|34=2|43=Y|122=" + utc_text(a.clock.utc_ns) + "|11=a");
    EXPECT_EQ(a.peer.delivered(), "");
    EXPECT_EQ(a.peer.gets(), "");
    EXPECT_EQ(a.count("duplicates"), 1u);
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
}

TEST(FixSessionNumbers, ADuplicateNeedsItsFirstSendingTime) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|11=a");
    a.peer.sends("35=D|34=2|43=Y|11=a");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|371=122|372=D|373=1|58=Required tag missing");
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
    a.peer.sends("35=D|34=2|43=Y|122=" + utc_text(a.clock.utc_ns + 10'000'000'000) + "|11=a");
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|45=2|372=D|373=10|58=SendingTime accuracy problem\n35=5|34=4");
    EXPECT_EQ(a.session.state(), State::logout_sent);
}

TEST(FixSessionNumbers, ANumberThatIsNoneLogsOut) {
    for (const char* number : {"x", "-3", "281474976710655", "99999999999999999999", "1.5"}) {
        Acceptor a;
        a.log_on();
        a.peer.sends("35=0|34=" + std::string(number));
        EXPECT_EQ(a.peer.gets(), "35=5|34=2|58=MsgSeqNum is missing, no number or too large") << number;
        EXPECT_TRUE(a.session.wants_close());
    }
    Acceptor a;
    a.log_on();
    a.peer.sends_bytes(test::fix_message("35=0|49=THEM|52=" + utc_text(a.clock.utc_ns) + "|56=US|"));
    EXPECT_TRUE(a.session.wants_close());
}

TEST(FixSessionNumbers, OutboundNumbersRiseByOne) {
    Acceptor a;
    a.log_on();
    for (int i = 0; i < 3; ++i) {
        a.session.begin_message("8", a.peer.now()).text(37, "x");
        ASSERT_TRUE(a.session.commit_message(a.peer.now()));
    }
    EXPECT_EQ(a.peer.gets(), "35=8|34=2|37=x\n35=8|34=3|37=x\n35=8|34=4|37=x");
    EXPECT_EQ(a.session.claim_outbound_number(), 5u);
}

TEST(FixSessionNumbers, NoNumberIsUsedForAMessageWithoutRoom) {
    SessionSettings settings = settings_of(Role::acceptor);
    settings.output_bytes = 400;
    Acceptor a(settings);
    a.log_on();
    a.session.begin_message("8", a.peer.now()).text(58, std::string(500, 'x'));
    EXPECT_FALSE(a.session.commit_message(a.peer.now()));
    EXPECT_EQ(a.numbers.next_outbound(), 2u);
    a.session.begin_message("8", a.peer.now()).text(58, "short");
    EXPECT_TRUE(a.session.commit_message(a.peer.now()));
    EXPECT_EQ(a.peer.gets(), "35=8|34=2|58=short");
}

TEST(FixSessionNumbers, NotReadyWhileOutputWaits) {
    Acceptor a;
    a.log_on();
    ASSERT_TRUE(a.session.ready());
    a.peer.sends("35=1|34=2|112=x");
    EXPECT_FALSE(a.session.ready()) << "an order must not overtake the Heartbeat with a lower number";
    static_cast<void>(a.peer.gets());
    EXPECT_TRUE(a.session.ready());
}

// ---- Resend and reset
// ----------------------------------------------------------------------------------------------

TEST(FixSessionResend, OrdersAreFilledNeverRepeated) {
    Initiator i;
    i.log_on();
    for (int order = 0; order < 4; ++order)
        static_cast<void>(i.session.claim_outbound_number());
    i.peer.sends("35=2|34=2|7=1|16=0");
    EXPECT_EQ(i.peer.gets(), "35=4|34=1|43=Y|122|123=Y|36=6");
    i.peer.sends("35=2|34=3|7=2|16=4");
    EXPECT_EQ(i.peer.gets(), "35=4|34=2|43=Y|122|123=Y|36=5");
    i.peer.sends("35=2|34=4|7=2|16=99");
    EXPECT_EQ(i.peer.gets(), "35=4|34=2|43=Y|122|123=Y|36=6") << "never beyond what was sent";
    EXPECT_EQ(i.numbers.next_outbound(), 6u) << "an answer uses no number";
    EXPECT_EQ(i.numbers.next_inbound(), 5u);
}

TEST(FixSessionResend, SenselessRangesAreRejectedAndCounted) {
    Initiator i;
    i.log_on();
    struct Case {
        const char* range;
        const char* answer;
    };
    std::uint64_t number = 2;
    for (const Case c :
         {Case{"7=0|16=0", "45=2|371=7|372=2|373=5"}, Case{"7=9|16=0", "45=3|371=7|372=2|373=5"},
          Case{"7=3|16=2", "45=4|371=7|372=2|373=5"}, Case{"7=1", "45=5|371=16|372=2|373=1"},
          Case{"16=1", "45=6|371=7|372=2|373=1"}, Case{"7=x|16=0", "45=7|371=7|372=2|373=6"},
          Case{"7=1|16=99999999999999999999", "45=8|371=16|372=2|373=6"}}) {
        i.peer.sends("35=2|34=" + std::to_string(number) + "|" + c.range);
        const std::string answer = i.peer.gets();
        EXPECT_EQ(answer.find("35=3|34=" + std::to_string(number) + "|" + c.answer), 0u) << answer;
        ++number;
        EXPECT_EQ(i.numbers.next_inbound(), number);
    }
    EXPECT_TRUE(i.session.ready());
}

TEST(FixSessionResend, IsServedWhateverItsNumber) {
    Initiator i;
    i.log_on();
    i.peer.sends("35=0|34=2");
    i.peer.sends("35=2|34=2|7=1|16=0");
    EXPECT_EQ(i.peer.gets(), "35=4|34=1|43=Y|122|123=Y|36=2");
    EXPECT_EQ(i.numbers.next_inbound(), 3u);
    EXPECT_FALSE(i.session.wants_close());
}

TEST(FixSessionResend, AStormEndsInALogout) {
    Initiator i;
    i.log_on();
    std::string answer;
    std::uint64_t number = 2;
    for (; number < 20 && answer.find("35=5") == std::string::npos; ++number) {
        i.peer.sends("35=2|34=" + std::to_string(number) + "|7=1|16=0");
        answer = i.peer.gets();
    }
    EXPECT_EQ(number, 13u) << "ten answers, the eleventh request logs out";
    EXPECT_EQ(answer, "35=5|34=2|58=the same ResendRequest came too often");
}

TEST(FixSessionReset, MovesTheExpectedNumberForward) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=4|34=77|36=20");
    EXPECT_EQ(a.numbers.next_inbound(), 20u) << "its own number is not judged";
    a.peer.sends("35=4|34=1|123=N|36=20");
    EXPECT_EQ(a.numbers.next_inbound(), 20u);
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionReset, NeverMovesItBack) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=4|34=0|36=1");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=0|372=4|373=5|58=Value is incorrect (out of range) for this tag");
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
    a.peer.sends("35=4|34=2");
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|45=2|371=36|372=4|373=1|58=Required tag missing");
    a.peer.sends("35=4|34=2|36=99999999999999999999");
    EXPECT_EQ(a.peer.gets().find("35=3|34=4|45=2|372=4|373=5"), 0u);
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
}

TEST(FixSessionReset, LeavesRoomForTheNumbersThatFollow) {
    constexpr std::uint64_t room_end = core::SessionNumbers::reset_max;
    for (const std::string kind : {"|123=N|36=", "|123=Y|36="}) {
        Acceptor a;
        a.log_on();
        a.peer.sends("35=4|34=2" + kind + std::to_string(room_end + 1));
        EXPECT_EQ(a.peer.gets().find("35=3|34=2|45=2|372=4|373=5"), 0u) << kind;
        EXPECT_EQ(a.numbers.next_inbound(), 2u) << kind;
        a.peer.sends("35=4|34=2" + kind + std::to_string(room_end));
        EXPECT_EQ(a.peer.gets(), "") << kind;
        a.peer.sends("35=1|34=" + std::to_string(room_end) + "|112=x");
        EXPECT_EQ(a.peer.gets(), "35=0|34=3|112=x") << kind;
        EXPECT_FALSE(a.numbers.is_used_up()) << kind;
    }
}

TEST(FixSessionReset, ClosesAGapItJumpsOver) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=6|11=f");
    a.peer.sends("35=4|34=7|36=6");
    EXPECT_EQ(a.peer.delivered(), "35=D|34=6|11=f");
    EXPECT_EQ(a.numbers.next_inbound(), 7u);
    EXPECT_EQ(a.session.state(), State::active);
}

TEST(FixSessionGapFill, MustGoForward) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=4|34=2|123=Y|36=2");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|372=4|373=5|58=Value is incorrect (out of range) for this tag");
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
}

TEST(FixSessionGapFill, BelowTheExpectedNumberIsIgnoredWithPossDupAndEndsTheSessionWithout) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=4|34=1|43=Y|122=" + utc_text(a.clock.utc_ns) + "|123=Y|36=20");
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
    EXPECT_FALSE(a.session.wants_close());
    a.peer.sends("35=4|34=1|123=Y|36=20");
    EXPECT_EQ(a.peer.gets(), "35=5|34=2|58=MsgSeqNum too low, expecting 2 but received 1");
}

TEST(FixSessionGapFill, OfARunningAnswerMayStartBelowTheExpectedNumber) {
    // The peer fills 2 to 8 in one message, but we have drained a queued 2-4 already: 36 still moves us.
    Acceptor a;
    a.log_on();
    const std::string then = utc_text(a.clock.utc_ns);
    a.peer.sends("35=D|34=3|11=c");
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=2|16=0");
    a.peer.sends("35=D|34=2|43=Y|122=" + then + "|11=b");
    EXPECT_EQ(a.numbers.next_inbound(), 4u);
    a.peer.sends("35=4|34=3|43=Y|122=" + then + "|123=Y|36=8");
    EXPECT_EQ(a.numbers.next_inbound(), 8u);
    a.peer.sends("35=0|34=8");
    a.peer.sends("35=4|34=3|43=Y|122=" + then + "|123=Y|36=20");
    EXPECT_EQ(a.numbers.next_inbound(), 9u) << "after a message of its own the peer's answer is over";
}

// ---- Checks
// --------------------------------------------------------------------------------------------------------

TEST(FixSessionChecks, WrongCompIdsAreRejectedThenLoggedOut) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=0|34=2|49=SOMEONE");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|372=0|373=9|58=CompID problem\n35=5|34=3");
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
    a.peer.sends("35=5|34=3");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.session.reason(), "CompID problem");
}

TEST(FixSessionChecks, SendingTimeOutOfRangeIsRejectedThenLoggedOut) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|52=" + utc_text(a.clock.utc_ns - 121'000'000'000) + "|11=x");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|372=D|373=10|58=SendingTime accuracy problem\n35=5|34=3");
    EXPECT_EQ(a.peer.delivered(), "");
    a.peer.wait_ms(2'100);
    EXPECT_TRUE(a.session.wants_close()) << "no answer to the Logout";
}

TEST(FixSessionChecks, SendingTimeMustBeATime) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|52=yesterday|11=x");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|371=52|372=D|373=6|58=Incorrect data format for value");
    a.peer.sends_bytes(test::fix_message("35=D|34=3|49=THEM|56=US|11=x"));
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|45=3|371=52|372=D|373=1|58=Required tag missing");
    EXPECT_EQ(a.numbers.next_inbound(), 4u);
    EXPECT_TRUE(a.session.ready());
}

TEST(FixSessionChecks, AnotherVersionLogsOut) {
    Acceptor a;
    a.log_on();
    a.peer.sends_bytes(
        test::fix_message("35=0|34=2|49=THEM|52=" + utc_text(a.clock.utc_ns) + "|56=US", "FIX.4.1"));
    EXPECT_EQ(a.peer.gets(), "35=5|34=2|58=Incorrect BeginString");
    a.peer.sends("35=5|34=3");
    EXPECT_TRUE(a.session.wants_close());
}

TEST(FixSessionChecks, UnsoundFieldsAreRejectedAndCounted) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|0=HI");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|371=0|372=D|373=0|58=Invalid tag number");
    a.peer.sends("35=D|34=3|11=");
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|45=3|371=11|372=D|373=4|58=Tag specified without a value");
    a.peer.sends("35=D|34=4|95=99|96=x");
    EXPECT_EQ(a.peer.gets(), "35=3|34=4|45=4|371=95|372=D|373=6|58=Incorrect data format for value");
    EXPECT_EQ(a.numbers.next_inbound(), 5u);
    EXPECT_EQ(a.peer.delivered(), "");
    EXPECT_EQ(a.count("rejects_out"), 3u);
}

TEST(FixSessionChecks, ARejectIsDeliveredAndNeverAnswered) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=3|34=2|45=2|58=no");
    EXPECT_EQ(a.peer.delivered(), "35=3|34=2|45=2|58=no");
    a.peer.sends("35=3|34=3|45=");
    EXPECT_EQ(a.peer.gets(), "");
    EXPECT_EQ(a.numbers.next_inbound(), 4u);
    EXPECT_EQ(a.count("rejects_in"), 1u);
}

TEST(FixSessionChecks, RejectsGoBackTheWayTheyCame) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=2|115=JCD|116=CS|144=CHI|0=x");
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|128=JCD|129=CS|145=CHI|45=2|371=0|372=D|373=0|58=Invalid tag number");
    a.peer.sends("35=D|34=3|128=JCD|129=CS|145=CHI|0=x");
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|115=JCD|116=CS|144=CHI|45=3|371=0|372=D|373=0|58=Invalid tag number");
}

TEST(FixSessionChecks, Fix42KnowsNoReasonAboveEleven) {
    SessionSettings settings = settings_of(Role::acceptor);
    settings.begin_string = "FIX.4.2";
    Acceptor a(settings);
    a.log_on();
    std::string many = "35=D|34=2";
    for (int i = 0; i < 1'100; ++i)
        many += "|5000=x";
    a.peer.sends(many);
    EXPECT_EQ(a.peer.gets(), "35=3|34=2|45=2|372=D|58=Message cannot be processed");
}

TEST(FixSessionChecks, GarbledFramesAreDroppedAndAskedForAgain) {
    Acceptor a;
    a.log_on();
    std::string garbled = a.peer.complete("35=D|34=2|11=a");
    garbled[garbled.size() - 3] ^= 1;
    a.peer.sends_bytes(garbled);
    EXPECT_EQ(a.peer.gets(), "");
    EXPECT_EQ(a.numbers.next_inbound(), 2u);
    EXPECT_EQ(a.count("garbled"), 1u);
    a.peer.sends("35=D|34=3|11=b");
    EXPECT_EQ(a.peer.gets(), "35=2|34=2|7=2|16=0");
    EXPECT_EQ(a.peer.delivered(), "");
}

TEST(FixSessionChecks, AMessageBeyondTheLimitCloses) {
    Acceptor a;
    a.log_on();
    a.peer.sends_bytes(test::with_soh("8=FIX.4.4|9=9999999|35=0|"));
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.peer.gets(), "");
}

// ---- Heartbeat
// -----------------------------------------------------------------------------------------------------

TEST(FixSessionHeartbeat, IsSentWhenNothingElseIs) {
    Acceptor a;
    a.log_on();
    a.peer.wait_ms(29'900);
    EXPECT_EQ(a.peer.gets(), "");
    a.peer.wait_ms(100);
    EXPECT_EQ(a.peer.gets(), "35=0|34=2");
    a.peer.wait_ms(1'000);
    a.session.note_sent(a.peer.now());  // an order of the trade core counts as a sign of life
    a.peer.sends("35=0|34=2");
    a.peer.wait_ms(29'900);
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionHeartbeat, AnswersATestRequestAtOnce) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=1|34=2|112=HELLO");
    EXPECT_EQ(a.peer.gets(), "35=0|34=2|112=HELLO");
    a.peer.sends("35=1|34=3");
    EXPECT_EQ(a.peer.gets(), "35=3|34=3|45=3|371=112|372=1|373=1|58=Required tag missing");
}

TEST(FixSessionHeartbeat, ASilentPeerIsAskedThenGivenUp) {
    SessionSettings settings = settings_of(Role::acceptor);
    Acceptor a(settings);
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=10");
    static_cast<void>(a.peer.gets());
    a.peer.wait_ms(11'900);
    EXPECT_EQ(a.peer.gets(), "35=0|34=2");
    a.peer.wait_ms(200);
    EXPECT_EQ(a.peer.gets(), "35=1|34=3|112=TEST");
    a.peer.wait_ms(11'800);
    EXPECT_EQ(a.peer.gets(), "") << "no Heartbeat between the TestRequest and the close";
    EXPECT_FALSE(a.session.wants_close());
    a.peer.wait_ms(200);
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.session.reason(), "the peer is silent");
}

TEST(FixSessionHeartbeat, AnythingReceivedAnswersATestRequest) {
    Acceptor a;
    a.log_on();
    a.peer.wait_ms(36'100);
    EXPECT_EQ(a.peer.gets(), "35=0|34=2\n35=1|34=3|112=TEST");
    a.peer.sends("35=0|34=2");
    a.peer.wait_ms(30'000);
    EXPECT_FALSE(a.session.wants_close());
    EXPECT_EQ(a.peer.gets(), "35=0|34=4");
}

TEST(FixSessionHeartbeat, ZeroMeansNone) {
    Acceptor a;
    a.peer.connect();
    a.peer.sends("35=A|34=1|98=0|108=0");
    static_cast<void>(a.peer.gets());
    a.peer.wait_ms(600'000, 1'000);
    EXPECT_EQ(a.peer.gets(), "");
    EXPECT_FALSE(a.session.wants_close());
}

TEST(FixSessionHeartbeat, AProcessThatSleptSendsNoBurst) {
    Acceptor a;
    a.log_on();
    a.clock.advance_ms(3'600'000);
    for (int i = 0; i < 10; ++i)
        a.session.on_timer(a.peer.now());
    EXPECT_EQ(a.peer.gets(), "35=1|34=2|112=TEST") << "it asks first: the silence may have been its own";
    EXPECT_FALSE(a.session.wants_close());
}

TEST(FixSessionHeartbeat, AClockReadBeforeTheLastEventIsNoSilence) {
    Acceptor a;
    a.log_on();
    Now earlier = a.peer.now();
    a.clock.advance_ms(5);
    a.session.note_sent(a.peer.now());
    a.session.on_timer(earlier);
    EXPECT_EQ(a.peer.gets(), "");
}

// ---- Logout
// --------------------------------------------------------------------------------------------------------

TEST(FixSessionLogout, IsAnsweredAndClosed) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=5|34=2|58=bye");
    EXPECT_EQ(a.peer.gets(), "35=5|34=2");
    EXPECT_TRUE(a.session.wants_close());
    EXPECT_EQ(a.session.reason(), "bye");
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
    a.peer.disconnect();
    EXPECT_EQ(a.session.state(), State::disconnected);
}

TEST(FixSessionLogout, IsAnsweredWhateverItsNumber) {
    for (const int number : {1, 9}) {
        Acceptor a;
        a.log_on();
        a.peer.sends("35=5|34=" + std::to_string(number));
        EXPECT_EQ(a.peer.gets(), "35=5|34=2");
        EXPECT_TRUE(a.session.wants_close());
        EXPECT_EQ(a.numbers.next_inbound(), 2u);
    }
}

TEST(FixSessionLogout, OursWaitsForTheAnswer) {
    Initiator i;
    i.log_on();
    i.session.logout("end of day", i.peer.now());
    EXPECT_EQ(i.peer.gets(), "35=5|34=2|58=end of day");
    EXPECT_EQ(i.session.state(), State::logout_sent);
    EXPECT_FALSE(i.session.ready());
    i.peer.sends("35=8|34=2|37=late report");
    EXPECT_EQ(i.peer.delivered(), "35=8|34=2|37=late report") << "what comes before the answer still counts";
    i.peer.sends("35=2|34=3|7=1|16=0");
    EXPECT_EQ(i.peer.gets(), "35=4|34=1|43=Y|122|123=Y|36=3");
    i.peer.sends("35=5|34=4");
    EXPECT_TRUE(i.session.wants_close());
    EXPECT_EQ(i.numbers.next_inbound(), 5u);
    i.session.logout("again", i.peer.now());
    EXPECT_EQ(i.peer.gets(), "");
}

TEST(FixSessionLogout, OursTimesOut) {
    Initiator i;
    i.log_on();
    i.session.logout({}, i.peer.now());
    i.peer.wait_ms(1'900);
    EXPECT_FALSE(i.session.wants_close());
    i.peer.wait_ms(200);
    EXPECT_TRUE(i.session.wants_close());
}

TEST(FixSessionLogout, LastWordsWaitForAPeerThatDoesNotReadOnlySoLong) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=5|34=2");  // our answer stays in the output
    ASSERT_TRUE(a.session.wants_close());
    EXPECT_TRUE(a.session.must_close(a.peer.now(), true));
    a.peer.wait_ms(1'900);
    EXPECT_FALSE(a.session.must_close(a.peer.now(), false));
    a.session.logout("again", a.peer.now());
    a.peer.wait_ms(200);
    EXPECT_TRUE(a.session.must_close(a.peer.now(), false)) << "a second cause gives no second wait";
    a.peer.disconnect();
    EXPECT_FALSE(a.session.must_close(a.peer.now(), true));
}

// ---- Connections
// ---------------------------------------------------------------------------------------------------

TEST(FixSessionConnection, NothingOfTheOldOneReachesTheNew) {
    Acceptor a;
    a.log_on();
    a.peer.sends("35=D|34=5|11=queued");
    const std::string half = a.peer.complete("35=D|34=2|11=half");
    a.peer.sends_bytes(half.substr(0, half.size() / 2));
    a.peer.disconnect();
    EXPECT_EQ(a.peer.gets(), "");
    a.peer.connect();
    a.peer.sends_bytes(half.substr(half.size() / 2));
    EXPECT_TRUE(a.session.wants_close());
    a.peer.disconnect();
    a.peer.connect();
    a.peer.sends("35=A|34=2|98=0|108=30");
    EXPECT_EQ(a.session.state(), State::active);
    EXPECT_EQ(a.numbers.next_inbound(), 3u);
    EXPECT_EQ(a.peer.delivered(), "");
}

TEST(FixSessionConnection, IgnoresBytesWhileDown) {
    Acceptor a;
    a.peer.sends(std::string("35=D|34=1|58=") + std::string(100'000, 'x'));
    EXPECT_EQ(a.session.state(), State::disconnected);
    a.session.on_timer(a.peer.now());
    a.session.logout("x", a.peer.now());
    EXPECT_EQ(a.peer.gets(), "");
}

TEST(FixSessionConnection, EverySplitGivesTheSameEvents) {
    const auto run = [](std::size_t chunk) {
        Acceptor a;
        a.peer.connect();
        const std::string then = utc_text(a.clock.utc_ns);
        std::string bad = a.peer.complete("35=D|34=4|11=d");
        bad[30] ^= 4;
        const std::string stream =
            a.peer.complete("35=A|34=1|98=0|108=30") + a.peer.complete("35=D|34=2|11=b") + bad +
            a.peer.complete("35=1|34=3|112=x") + "noise" + test::with_soh("|8=FIX|") +
            a.peer.complete("35=D|34=6|11=f") + a.peer.complete("35=D|34=4|43=Y|122=" + then + "|11=d") +
            a.peer.complete("35=4|34=5|43=Y|122=" + then + "|123=Y|36=6") +
            a.peer.complete("35=2|34=7|7=1|16=0") + a.peer.complete("35=5|34=8");
        for (std::size_t at = 0; at < stream.size(); at += chunk)
            a.peer.sends_bytes(std::string_view(stream).substr(at, chunk));
        return a.peer.gets() + "\n--\n" + a.peer.delivered() + "\n--\n" +
               std::to_string(a.numbers.next_inbound());
    };
    const std::string whole = run(1'000'000);
    EXPECT_NE(whole.find("35=5|34="), std::string::npos) << whole;
    for (std::size_t chunk = 1; chunk < 200; ++chunk)
        ASSERT_EQ(run(chunk), whole) << "chunk " << chunk;
}

TEST(FixSessionConnection, OneChangedByteNeverDelivers) {
    Acceptor a;
    const std::string order = a.peer.complete("35=D|34=2|11=a|55=SBER|54=1|38=100|44=13.5");
    std::mt19937 random(6);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (int repeat = 0; repeat < 8; ++repeat) {
            Acceptor b;
            b.log_on();
            std::string changed = order;
            changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
            b.peer.sends_bytes(changed);
            b.peer.sends("35=0|34=3");
            b.peer.sends("35=0|34=4");
            ASSERT_EQ(b.peer.delivered(), "") << at;
        }
}

TEST(FixSessionConnection, SurvivesAnythingAPeerMaySay) {
    std::mt19937 random(7);
    const std::vector<std::string> bodies = {"35=0",
                                             "35=1|112=x",
                                             "35=2|7=1|16=0",
                                             "35=2|7=3|16=1",
                                             "35=3|45=1",
                                             "35=4|36=9",
                                             "35=4|123=Y|36=9",
                                             "35=5",
                                             "35=A|98=0|108=1",
                                             "35=A|98=0|108=1|141=Y",
                                             "35=D|11=x",
                                             "35=8|37=x",
                                             "35=j|45=1|380=0",
                                             "35=|11=x",
                                             "35=D|95=3|96=x"};
    for (int round = 0; round < 3'000; ++round) {
        Fixture f(settings_of(round % 2 == 0 ? Role::acceptor : Role::initiator));
        f.peer.connect();
        if (round % 3 != 0) f.peer.sends("35=A|34=1|98=0|108=1");
        for (int step = 0; step < 12; ++step) {
            std::string body = bodies[random() % bodies.size()];
            std::string number = std::to_string(f.numbers.next_inbound() + random() % 3 - random() % 2);
            if (random() % 20 == 0) number = "281474976710655";
            body.insert(body.find('|') == std::string::npos ? body.size() : body.find('|'), "|34=" + number);
            if (random() % 4 == 0) body += "|43=Y|122=" + utc_text(f.clock.utc_ns);
            std::string bytes = f.peer.complete(body);
            if (random() % 10 == 0) bytes[random() % bytes.size()] ^= static_cast<char>(random());
            f.peer.sends_bytes(bytes);
            f.peer.wait_ms(random() % 700);
            static_cast<void>(f.peer.gets());
            ASSERT_TRUE(f.numbers.is_intact());
            if (f.session.wants_close() && random() % 2 == 0) {
                f.peer.disconnect();
                f.peer.connect();
            }
        }
    }
}

TEST(FixSessionConnection, TwoSessionsWithAnyNumbersConvergeOrSayWhy) {
    std::mt19937 random(8);
    for (int round = 0; round < 500; ++round) {
        SessionSettings ours = settings_of(Role::initiator), theirs = settings_of(Role::acceptor);
        std::swap(theirs.sender, theirs.target);
        test::FakeClock clock;
        core::SessionNumbers our_numbers, their_numbers;
        our_numbers.start(clock.utc_ns);
        their_numbers.start(clock.utc_ns);
        our_numbers.set_next_outbound(1 + random() % 12);
        our_numbers.set_next_inbound(1 + random() % 12);
        their_numbers.set_next_outbound(1 + random() % 12);
        their_numbers.set_next_inbound(1 + random() % 12);
        FixSession initiator(ours, our_numbers), acceptor(theirs, their_numbers);
        test::ScriptedPeer initiator_end(initiator, clock), acceptor_end(acceptor, clock);
        acceptor_end.connect();
        initiator_end.connect();
        for (int turn = 0; turn < 50; ++turn) {
            const auto carry = [&](FixSession& from, test::ScriptedPeer& to) {
                const auto bytes = from.output();
                const std::string copy(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                from.output_taken(bytes.size());
                to.sends_bytes(copy);
            };
            carry(initiator, acceptor_end);
            carry(acceptor, initiator_end);
            clock.advance_ms(10);
        }
        if (initiator.ready() && acceptor.ready()) {
            EXPECT_EQ(our_numbers.next_outbound(), their_numbers.next_inbound());
            EXPECT_EQ(their_numbers.next_outbound(), our_numbers.next_inbound());
        } else {
            EXPECT_TRUE(acceptor.wants_close() || initiator.wants_close())
                << name(initiator.state()) << " / " << name(acceptor.state());
            EXPECT_FALSE(acceptor.reason().empty() && initiator.reason().empty());
        }
    }
}

TEST(FixSessionConnection, TakesNoMemory) {
    Acceptor a;
    std::vector<std::string> bodies = {"35=A|34=1|98=0|108=30"};
    for (int number = 2; number < 50; ++number)
        bodies.push_back("35=D|34=" + std::to_string(number == 20 ? 40 : number) + "|11=a");
    std::vector<std::string> messages;
    for (const std::string& body : bodies)
        messages.push_back(a.peer.complete(body));
    struct Nobody {
        void on_message(const fix::Message&, bool) noexcept {}
    } nobody;
    test::AllocationGuard guard;
    a.session.on_link_up(a.peer.now());
    for (const std::string& message : messages) {
        a.session.on_bytes(std::as_bytes(std::span(message.data(), message.size())), a.peer.now(), nobody);
        a.session.on_timer(a.peer.now());
        a.session.output_taken(a.session.output().size());
    }
    a.session.logout("done", a.peer.now());
    a.session.on_link_down(a.peer.now());
}

}  // namespace
}  // namespace tickpath::session
