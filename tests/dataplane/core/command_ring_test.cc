#include "dataplane/core/command_ring.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::core {
namespace {

TEST(CommandRing, GivesCommandsInOrder) {
    CommandRing ring;
    ASSERT_TRUE(ring.send({CommandKind::arm, 0}));
    ASSERT_TRUE(ring.send({CommandKind::report, 42}));
    std::vector<Command> seen;
    EXPECT_EQ(ring.drain([&](const Command& command) { seen.push_back(command); }), 2u);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].kind, CommandKind::arm);
    EXPECT_EQ(seen[1].kind, CommandKind::report);
    EXPECT_EQ(seen[1].argument, 42u);
    EXPECT_EQ(ring.drain([](const Command&) {}), 0u);
}

TEST(CommandRing, DrainsOnlyAFewPerLoop) {
    CommandRing ring;
    for (std::size_t i = 0; i < CommandRing::drained_max + 1; ++i)
        ASSERT_TRUE(ring.send({CommandKind::report, i}));
    EXPECT_EQ(ring.drain([](const Command&) {}), CommandRing::drained_max);
    EXPECT_EQ(ring.drain([](const Command&) {}), 1u);
}

TEST(CommandRing, TellsWhenTheWorkerIsStuck) {
    CommandRing ring;
    for (std::size_t i = 0; i < CommandRing::commands_max; ++i)
        ASSERT_TRUE(ring.send({}));
    EXPECT_FALSE(ring.send({CommandKind::stop, 0}));
}

TEST(CommandRing, CarriesCommandsBetweenThreads) {
    constexpr std::uint64_t count = 10'000;
    CommandRing ring;
    std::thread control([&] {
        for (std::uint64_t i = 0; i < count; ++i)
            while (!ring.send({CommandKind::report, i}))
                std::this_thread::yield();
    });
    std::uint64_t expected = 0;
    while (expected < count) {
        ring.drain([&](const Command& command) { EXPECT_EQ(command.argument, expected++); });
        std::this_thread::yield();
    }
    control.join();
}

TEST(CommandRing, NamesEveryCommand) {
    EXPECT_EQ(name(CommandKind::arm), "arm");
    EXPECT_EQ(name(CommandKind::disarm), "disarm");
    EXPECT_EQ(name(CommandKind::kill), "kill");
    EXPECT_EQ(name(CommandKind::stop), "stop");
    EXPECT_EQ(name(CommandKind::report), "report");
}

}  // namespace
}  // namespace tickpath::core
