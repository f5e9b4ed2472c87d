#include "control/runtime/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>

namespace tickpath::runtime {
namespace {

TEST(Interrupts, AskForAReportOncePerSignalAndForNothingElse) {
    const Interrupts interrupts;
    EXPECT_FALSE(Interrupts::wants_report());
    std::raise(SIGUSR2);
    EXPECT_TRUE(Interrupts::wants_report());
    EXPECT_FALSE(Interrupts::wants_report()) << "one signal, one report";
    EXPECT_FALSE(Interrupts::wants_stop());
}

TEST(Interrupts, TakeTheRequestsThatWereHeldForThem) {
    hold_requests();
    std::raise(SIGUSR2);  // would end the process
    std::raise(SIGUSR1);
    const Interrupts interrupts;
    EXPECT_TRUE(Interrupts::wants_report());
    trade::KillSwitch kill;
    const KillOnSignal on_signal(kill);
    EXPECT_EQ(kill.reason(), trade::KillReason::signal);
}

TEST(Interrupts, EndTheRunOnSighupUnlessItWasIgnored) {
    std::signal(SIGHUP, SIG_DFL);  // under nohup the test itself was started with the other
    {
        const Interrupts interrupts;
        std::raise(SIGHUP);
        EXPECT_TRUE(Interrupts::wants_stop());
    }
    std::signal(SIGHUP, SIG_IGN);
    {
        const Interrupts interrupts;
        std::raise(SIGHUP);
        EXPECT_FALSE(Interrupts::wants_stop());
    }
    EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(Interrupts, EndTheRunOnSigintAndForgetItWithTheObject) {
    {
        const Interrupts interrupts;
        EXPECT_FALSE(Interrupts::wants_stop());
        std::raise(SIGINT);
        EXPECT_TRUE(Interrupts::wants_stop());
    }
    const Interrupts again;
    EXPECT_FALSE(Interrupts::wants_stop());
}

TEST(Interrupts, ThrowTheKillSwitchAlsoForASignalThatCameBeforeIt) {
    const Interrupts interrupts;
    {
        trade::KillSwitch calm;
        const KillOnSignal on_signal(calm);
        EXPECT_FALSE(calm.is_engaged());
    }
    std::raise(SIGUSR1);
    trade::KillSwitch late;
    const KillOnSignal on_signal(late);
    EXPECT_EQ(late.reason(), trade::KillReason::signal);
}

TEST(Interrupts, ThrowTheKillSwitchThatIsThere) {
    const Interrupts interrupts;
    trade::KillSwitch kill;
    const KillOnSignal on_signal(kill);
    std::raise(SIGUSR1);
    EXPECT_EQ(kill.reason(), trade::KillReason::signal);
    EXPECT_FALSE(Interrupts::wants_stop());
}

TEST(InterruptsDeathTest, EndWithALineWhenAMappedFileIsCutShort) {
    EXPECT_EXIT(
        {
            const Interrupts interrupts;
            std::raise(SIGBUS);
        },
        testing::ExitedWithCode(1), "tickpath: a mapped file was cut short");
}

}  // namespace
}  // namespace tickpath::runtime
