#include "control/runtime/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>

namespace tickpath::runtime {
namespace {

TEST(Interrupts, AskForAReportOncePerSignalAndForNothingElse) {
    trade::KillSwitch kill;
    const Interrupts interrupts(kill);
    EXPECT_FALSE(Interrupts::wants_report());
    std::raise(SIGUSR2);
    EXPECT_TRUE(Interrupts::wants_report());
    EXPECT_FALSE(Interrupts::wants_report()) << "one signal, one report";
    EXPECT_FALSE(Interrupts::wants_stop());
}

TEST(Interrupts, EndTheRunOnSigintAndForgetItWithTheObject) {
    trade::KillSwitch kill;
    {
        const Interrupts interrupts(kill);
        EXPECT_FALSE(Interrupts::wants_stop());
        std::raise(SIGINT);
        EXPECT_TRUE(Interrupts::wants_stop());
    }
    const Interrupts again(kill);
    EXPECT_FALSE(Interrupts::wants_stop());
}

}  // namespace
}  // namespace tickpath::runtime
