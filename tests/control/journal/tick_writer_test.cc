#include "control/journal/tick_writer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tickpath::journal {
namespace {

using model::Tick;
using model::TickRing;

class TickWriterTest : public testing::Test {
protected:
    TickWriterTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tickpath-journal-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~TickWriterTest() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return (folder_ / "ticks.csv").string(); }
    [[nodiscard]] std::string content() const {
        std::ifstream in(path());
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

    std::filesystem::path folder_;
    TickNames names_{.channels = {"FUT-BOOK-5"}, .instruments = {}};
};

Tick numbered(std::uint32_t sequence, std::uint16_t flags = 0) {
    Tick tick;
    tick.packet_sequence = sequence;
    tick.flags = flags;
    return tick;
}

TEST_F(TickWriterTest, WritesTheHeaderEvenWithoutATick) {
    TickRing ring(64);
    auto writer = TickWriter::open(path(), {&ring}, names_);
    ASSERT_TRUE(writer);
    (*writer)->start();
    EXPECT_TRUE((*writer)->stop());
    EXPECT_EQ(content(), tick_csv_header);
}

TEST_F(TickWriterTest, WritesAllTicksOfARunningProducerInOrder) {
    constexpr std::uint32_t count = 20'000;  // many times the ring, and more than one buffer
    TickRing ring(256);
    auto writer = TickWriter::open(path(), {&ring}, names_);
    ASSERT_TRUE(writer);
    (*writer)->start();
    std::thread producer([&ring] {
        for (std::uint32_t i = 0; i < count; ++i)
            while (!ring.push(numbered(i)))
                std::this_thread::yield();
    });
    producer.join();
    EXPECT_TRUE((*writer)->stop());
    EXPECT_EQ((*writer)->lines(), count);

    std::ifstream in(path());
    std::string line;
    ASSERT_TRUE(std::getline(in, line));
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_TRUE(std::getline(in, line)) << "line " << i;
        ASSERT_EQ(line.substr(0, line.find(',', 13) + 1), "FUT-BOOK-5,A," + std::to_string(i) + ",");
    }
    EXPECT_FALSE(std::getline(in, line));
}

TEST_F(TickWriterTest, DrainsWhatWasPublishedBeforeStop) {
    TickRing first(64), second(64);
    auto writer = TickWriter::open(path(), {&first, &second}, names_);
    ASSERT_TRUE(writer);
    for (std::uint32_t i = 0; i < 50; ++i) {
        ASSERT_TRUE(first.push(numbered(i)));
        ASSERT_TRUE(second.push(numbered(i + 100)));
    }
    (*writer)->start();
    EXPECT_TRUE((*writer)->stop());
    EXPECT_EQ((*writer)->lines(), 100u);
    EXPECT_EQ(first.front(), nullptr);
    EXPECT_EQ(second.front(), nullptr);
}

TEST_F(TickWriterTest, LeavesOutReplayedTicksAndItsOwnWarmUps) {
    TickRing ring(64);
    auto writer = TickWriter::open(path(), {&ring}, names_);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(ring.push(numbered(1, model::tick_flag::stale)));
    ASSERT_TRUE(ring.push(numbered(1, model::tick_flag::replayed)));
    ASSERT_TRUE(ring.push(numbered(2, model::tick_flag::own_event)));
    (*writer)->start();
    EXPECT_TRUE((*writer)->stop());
    EXPECT_EQ((*writer)->lines(), 1u);
    EXPECT_NE(content().find(",stale\n"), std::string::npos);
    EXPECT_EQ(content().find("replayed"), std::string::npos);
}

TEST_F(TickWriterTest, RefusesAPathThatCannotBeWritten) {
    EXPECT_EQ(TickWriter::open((folder_ / "missing" / "ticks.csv").string(), {}, names_).error(), Errc::io);
    EXPECT_EQ(TickWriter::open(folder_.string(), {}, names_).error(), Errc::io);
}

TEST_F(TickWriterTest, GoesOnTakingTicksWhenTheDiskIsFullAndSaysSo) {
    if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "skipped: no /dev/full";
    constexpr std::uint32_t count = 30'000;
    TickRing ring(256);
    auto writer = TickWriter::open("/dev/full", {&ring}, names_);
    ASSERT_TRUE(writer);
    (*writer)->start();
    for (std::uint32_t i = 0; i < count; ++i)
        while (!ring.push(numbered(i)))
            std::this_thread::yield();
    EXPECT_FALSE((*writer)->stop());
    EXPECT_EQ(ring.front(), nullptr);
}

}  // namespace
}  // namespace tickpath::journal
