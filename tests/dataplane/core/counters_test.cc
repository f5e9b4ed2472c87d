#include "dataplane/core/counters.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoders/base/bytes.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::core {
namespace {

// The file as its layout says, read without the class: header, entries, cells.
struct RawPage {
    explicit RawPage(const std::string& path) : bytes(test::read_file(path)) {}

    static constexpr std::size_t header_bytes = 64;
    static constexpr std::size_t entry_bytes = 128;
    [[nodiscard]] std::uint32_t u32(std::size_t at) const {
        return load_little<std::uint32_t>(bytes.data() + at);
    }
    [[nodiscard]] std::uint64_t u64(std::size_t at) const {
        return load_little<std::uint64_t>(bytes.data() + at);
    }
    [[nodiscard]] std::uint32_t capacity() const { return u32(12); }
    [[nodiscard]] std::uint32_t used() const { return u32(16); }
    [[nodiscard]] std::string name(std::size_t i) const {
        return bytes.data() + header_bytes + i * entry_bytes;
    }
    [[nodiscard]] std::uint64_t cell(std::size_t i) const {
        return u64(header_bytes + i * entry_bytes + 112);
    }
    [[nodiscard]] std::uint64_t value(std::size_t i) const {
        return u64(header_bytes + capacity() * entry_bytes + cell(i) * 8);
    }

    std::string bytes;
};

class Counters : public testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(Counters, AddRaiseAndSet) {
    CounterPage page = CounterPage::anonymous(8);
    Counter counter = page.add("r0", "frames");
    counter.add();
    counter.add(4);
    EXPECT_EQ(counter.value(), 5u);
    counter.raise_to(3);
    EXPECT_EQ(counter.value(), 5u);
    counter.raise_to(9);
    EXPECT_EQ(counter.value(), 9u);
    counter.set(2);
    EXPECT_EQ(page.value("r0.frames"), 2u);
}

TEST_F(Counters, AreOneWhenNamedTwice) {
    CounterPage page = CounterPage::anonymous(8);
    page.add("r0", "frames").add(2);
    page.add("r0", "frames").add(3);
    EXPECT_EQ(page.size(), 1u);
    EXPECT_EQ(page.value("r0.frames"), 5u);
}

TEST_F(Counters, AreListedInOrderOfMaking) {
    CounterPage page = CounterPage::anonymous(8);
    (void)page.add("b", "two");
    (void)page.add("a", "one");
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page.name(0), "b.two");
    EXPECT_EQ(page.name(1), "a.one");
    EXPECT_EQ(page.value("a.none"), 0u);
}

TEST_F(Counters, AreSummedBySuffix) {
    CounterPage page = CounterPage::anonymous(8);
    page.add("r0", "frames").add(1);
    page.add("r1", "frames").add(10);
    page.add("r1", "bad_frames").add(100);
    EXPECT_EQ(page.sum("frames"), 11u) << "bad_frames ends in the letters, but not after a point";
}

TEST_F(Counters, WithoutAPageAreHarmless) {
    Counter counter;
    counter.add(3);
    counter.raise_to(1000);
}

TEST_F(Counters, LieInTheFileAsTheLayoutSays) {
    const std::string path = folder_.file("counters");
    auto page = CounterPage::file(path, 8);
    ASSERT_TRUE(page);
    page->add("r0", "frames").add(7);
    page->add("r0", "bytes").add(420);
    page->add("t0", "ticks").add(3);
    const RawPage raw(path);
    EXPECT_EQ(raw.bytes.substr(0, 8), "TICKCNT1");
    EXPECT_EQ(raw.u32(8), 1u) << "version";
    EXPECT_EQ(raw.capacity(), 8u);
    ASSERT_EQ(raw.used(), 3u);
    EXPECT_EQ(raw.bytes.size(), 64u + 8u * 128u + 8u * 64u);
    EXPECT_EQ(raw.name(0), "r0.frames");
    EXPECT_EQ(raw.value(0), 7u);
    EXPECT_EQ(raw.value(1), 420u);
    EXPECT_EQ(raw.name(2), "t0.ticks");
    EXPECT_EQ(raw.value(2), 3u);
}

TEST_F(Counters, OfDifferentOwnersLieOnDifferentCacheLines) {
    const std::string path = folder_.file("counters");
    auto page = CounterPage::file(path, 64);
    ASSERT_TRUE(page);
    for (const char* owner : {"r0", "r1", "t0"})
        for (int i = 0; i < 11; ++i)
            (void)page->add(owner, "c" + std::to_string(i));
    const RawPage raw(path);
    const auto line_of = [&](std::size_t i) { return raw.cell(i) / 8; };
    for (std::size_t i = 0; i < raw.used(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (raw.name(i).substr(0, 2) != raw.name(j).substr(0, 2)) {
                EXPECT_NE(line_of(i), line_of(j)) << raw.name(i) << ' ' << raw.name(j);
            } else {
                EXPECT_NE(raw.cell(i), raw.cell(j));
            }
    // The cells themselves start on a line too.
    EXPECT_EQ((RawPage::header_bytes + raw.capacity() * RawPage::entry_bytes) % 64, 0u);
}

TEST_F(Counters, AreReadByAnotherProcessWhileTheWriterRuns) {
    const std::string path = folder_.file("counters");
    auto page = CounterPage::file(path, 8);
    ASSERT_TRUE(page);
    Counter counter = page->add("r0", "frames");
    const auto reader = CounterPage::open(path);
    ASSERT_TRUE(reader);
    counter.add(5);
    EXPECT_EQ(reader->value("r0.frames"), 5u);
    counter.add(1);
    EXPECT_EQ(reader->value("r0.frames"), 6u);
}

TEST_F(Counters, StayReadableAfterTheirProcessWasKilled) {
    const std::string path = folder_.file("counters");
    const pid_t child = ::fork();
    if (child == 0) {
        auto page = CounterPage::file(path, 8);
        page->add("r0", "frames").add(77);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto page = CounterPage::open(path);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->value("r0.frames"), 77u);
}

TEST_F(Counters, StartFromZeroInANewRunOverAnOldFile) {
    const std::string path = folder_.file("counters");
    {
        auto old_page = CounterPage::file(path, 16);
        old_page->add("r0", "old").add(5);
    }
    auto page = CounterPage::file(path, 8);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->size(), 0u);
    EXPECT_EQ(page->add("r0", "frames").value(), 0u);
}

TEST_F(Counters, LeaveAFileToTheProcessThatCountsIntoIt) {
    const std::string path = folder_.file("counters");
    {
        auto first = CounterPage::file(path, 8);
        ASSERT_TRUE(first);
        Counter counter = first->add("r0", "frames");
        counter.add(7);
        errno = 0;
        EXPECT_EQ(CounterPage::file(path, 8).error(), Errc::io);
        EXPECT_EQ(errno, EWOULDBLOCK);
        counter.add();
        EXPECT_EQ(CounterPage::open(path)->value("r0.frames"), 8u);
        const CounterPage moved = std::move(*first);
        EXPECT_FALSE(CounterPage::file(path, 8)) << "the lock moves with the page";
    }
    EXPECT_TRUE(CounterPage::file(path, 8));
}

TEST_F(Counters, LeaveAFileOfSomethingElseAsItIs) {
    for (const std::string& text : {std::string("<tickpath/>"), std::string("T"), std::string(4096, 'x')}) {
        const std::string path = folder_.write("something", text);
        EXPECT_EQ(CounterPage::file(path, 8).error(), Errc::bad_syntax);
        EXPECT_EQ(test::read_file(path), text);
    }
}

TEST_F(Counters, SayWhyAFileCannotTakeThem) {
    const rlim_t size_max = 4096;
    rlimit old_limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{size_max, old_limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    errno = 0;
    const Errc error = CounterPage::file(folder_.file("counters"), 1024).error();
    const int cause = errno;
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(error, Errc::io);
    EXPECT_EQ(cause, EFBIG) << "posix_fallocate returns its cause and does not set errno";
}

TEST_F(Counters, BeyondTheCapacityShareAnOverflowCell) {
    CounterPage page = CounterPage::anonymous(4);
    for (int i = 0; i < 10; ++i)
        page.add("r" + std::to_string(i), "frames").add();
    EXPECT_EQ(page.size(), 4u);
    EXPECT_EQ(page.name(3), "counters.overflow");
    EXPECT_EQ(page.value("counters.overflow"), 7u);
    EXPECT_EQ(page.value("r2.frames"), 1u);
}

TEST_F(Counters, CutANameThatIsTooLong) {
    CounterPage page = CounterPage::anonymous(4);
    page.add("r0", std::string(300, 'x')).add(2);
    EXPECT_EQ(page.name(0).size(), 111u);
    EXPECT_EQ(page.value(std::size_t{0}), 2u);
}

TEST_F(Counters, RefuseFilesThatAreNotTheirs) {
    EXPECT_EQ(CounterPage::open(folder_.file("none")).error(), Errc::io);
    EXPECT_EQ(CounterPage::file(folder_.file("none/counters")).error(), Errc::io);
    EXPECT_FALSE(CounterPage::open(folder_.write("empty", "")));
    EXPECT_EQ(CounterPage::open(folder_.write("text", std::string(4096, 'x'))).error(), Errc::bad_syntax);
}

TEST_F(Counters, RefuseFilesThatLieAboutTheirSize) {
    const std::string path = folder_.file("counters");
    ASSERT_TRUE(CounterPage::file(path, 8));
    const std::string good = test::read_file(path);
    for (const std::size_t size :
         {std::size_t{10}, std::size_t{63}, std::size_t{64}, std::size_t{500}, good.size() - 1})
        EXPECT_FALSE(CounterPage::open(folder_.write("cut", good.substr(0, size)))) << size;
    std::string lie = good;
    lie[16] = 9;  // used > capacity
    EXPECT_FALSE(CounterPage::open(folder_.write("lie", lie)));
    lie = good;
    lie[8] = 2;  // another version
    EXPECT_FALSE(CounterPage::open(folder_.write("lie", lie)));
}

TEST_F(Counters, RefuseACellOutsideTheFile) {
    const std::string path = folder_.file("counters");
    {
        auto page = CounterPage::file(path, 8);
        ASSERT_TRUE(page);
        (void)page->add("r0", "frames");
    }
    std::string lie = test::read_file(path);
    lie[64 + 112 + 4] = 1;  // cell index 2^32
    EXPECT_FALSE(CounterPage::open(folder_.write("lie", lie)));
}

TEST_F(Counters, CountWithoutTakingMemory) {
    CounterPage page = CounterPage::anonymous(8);
    Counter counter = page.add("r0", "frames");
    const test::AllocationGuard guard;
    for (int i = 0; i < 1000; ++i)
        counter.add();
}

TEST_F(Counters, AreSeenByAnotherThreadWithoutARace) {
    CounterPage page = CounterPage::anonymous(8);
    Counter counter = page.add("r0", "frames");
    std::thread writer([counter]() mutable {
        for (int i = 0; i < 10'000; ++i)
            counter.add();
    });
    std::uint64_t last = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = page.value("r0.frames");
        EXPECT_GE(now, last);
        last = now;
    }
    writer.join();
    EXPECT_EQ(page.value("r0.frames"), 10'000u);
}

}  // namespace
}  // namespace tickpath::core
