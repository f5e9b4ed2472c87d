#include "dataplane/store/session_store.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/allocation_guard.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_level.h"

namespace tickpath::store {
namespace {

constexpr std::uint64_t created_ns = 1'767'607'200'123'456'000;
constexpr std::uint64_t first_order = first_order_counter(created_ns);
const SessionIdentity identity{.begin_string = "FIX.4.4", .sender = "TICKPATH", .target = "EXCH"};

std::unique_ptr<SessionStore> open_in(const test::TemporaryFolder& folder, std::string& error_text,
                                      const SessionIdentity& who = identity) {
    return SessionStore::open(folder.file("store"), who, created_ns, error_text);
}

TEST(SessionStore, StartsAtOneWhenThereIsNoFile) {
    const test::TemporaryFolder folder;
    std::string error;
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    EXPECT_TRUE(store->is_new());
    EXPECT_EQ(store->numbers().next_outbound(), 1u);
    EXPECT_EQ(store->numbers().next_inbound(), 1u);
    EXPECT_EQ(store->numbers().order_counter(), first_order);
    EXPECT_EQ(store->numbers().created_utc_ns(), created_ns);
}

TEST(SessionStore, GoesOnWhereItWas) {
    const test::TemporaryFolder folder;
    std::string error;
    {
        const auto store = open_in(folder, error);
        ASSERT_TRUE(store) << error;
        store->numbers().set_next_outbound(4'711);
        store->numbers().set_next_inbound(815);
        for (int i = 0; i < 5; ++i)
            EXPECT_EQ(store->numbers().claim_order_counter(), first_order + static_cast<std::uint64_t>(i));
    }
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    EXPECT_FALSE(store->is_new());
    EXPECT_EQ(store->numbers().next_outbound(), 4'711u);
    EXPECT_EQ(store->numbers().next_inbound(), 815u);
    EXPECT_EQ(store->numbers().claim_order_counter(), first_order + 5);
}

TEST(SessionStore, ResetKeepsTheOrderCounter) {
    const test::TemporaryFolder folder;
    std::string error;
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    store->numbers().set_next_outbound(10);
    static_cast<void>(store->numbers().claim_order_counter());
    store->numbers().reset(created_ns + 1'000'000);
    EXPECT_EQ(store->numbers().next_outbound(), 1u);
    EXPECT_EQ(store->numbers().next_inbound(), 1u);
    EXPECT_EQ(store->numbers().order_counter(), first_order + 1);
    EXPECT_EQ(store->numbers().created_utc_ns(), created_ns + 1'000'000);
}

TEST(SessionStore, HoldsTheLargestNumbers) {
    const test::TemporaryFolder folder;
    std::string error;
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    store->numbers().set_next_outbound(core::DurablePair::value_max);
    store->numbers().set_next_inbound(core::DurablePair::value_max - 1);
    EXPECT_EQ(store->numbers().next_outbound(), core::DurablePair::value_max);
    EXPECT_EQ(store->numbers().next_inbound(), core::DurablePair::value_max - 1);
    EXPECT_TRUE(store->numbers().is_intact());
}

TEST(SessionStore, RefusesNumbersThatHaveNoRoomLeft) {
    constexpr std::uint64_t start_max = core::SessionNumbers::start_max;
    const test::TemporaryFolder folder;
    std::string error;
    for (const bool is_outbound : {true, false}) {
        const auto set = [&](core::SessionNumbers& numbers, std::uint64_t number) {
            is_outbound ? numbers.set_next_outbound(number) : numbers.set_next_inbound(number);
        };
        set(open_in(folder, error)->numbers(), start_max + 1);
        EXPECT_FALSE(open_in(folder, error));
        EXPECT_NE(error.find("140737488355329"), std::string::npos) << error;
        EXPECT_NE(error.find("agreed with the counterparty to start again at 1"), std::string::npos) << error;
        std::filesystem::remove_all(folder.file("store"));
        set(open_in(folder, error)->numbers(), start_max);
        EXPECT_TRUE(open_in(folder, error)) << error;
        std::filesystem::remove_all(folder.file("store"));
    }
}

TEST(SessionStore, RefusesASecondUser) {
    const test::TemporaryFolder folder;
    std::string error;
    auto first = open_in(folder, error);
    ASSERT_TRUE(first) << error;
    EXPECT_FALSE(open_in(folder, error));
    EXPECT_NE(error.find("in use"), std::string::npos) << error;
    first.reset();
    EXPECT_TRUE(open_in(folder, error)) << error;
}

TEST(SessionStore, RefusesASecondUserAlsoWhenItsFolderWasRemoved) {
    const test::TemporaryFolder folder;
    std::string error;
    auto first = open_in(folder, error);
    ASSERT_TRUE(first) << error;
    EXPECT_TRUE(first->is_there());
    std::filesystem::remove_all(folder.file("store"));
    EXPECT_FALSE(first->is_there());
    EXPECT_FALSE(open_in(folder, error)) << "two processes would send the same numbers";
    EXPECT_NE(error.find("in use"), std::string::npos) << error;
    std::filesystem::create_directory_symlink(folder.file("store"), folder.file("other"));
    EXPECT_FALSE(SessionStore::open(folder.file("other"), identity, created_ns, error)) << "by another path";
    first.reset();
    EXPECT_TRUE(open_in(folder, error)) << error;
}

TEST(SessionStore, DoesNotRepeatOrderCountersAfterItWasRemoved) {
    const test::TemporaryFolder folder;
    std::string error;
    std::uint64_t last = 0;
    {
        const auto store = open_in(folder, error);
        ASSERT_TRUE(store) << error;
        for (int order = 0; order < 500; ++order)
            last = store->numbers().claim_order_counter();
    }
    std::filesystem::remove_all(folder.file("store"));
    constexpr std::uint64_t ten_seconds_ns = 10'000'000'000;
    const auto store = SessionStore::open(folder.file("store"), identity, created_ns + ten_seconds_ns, error);
    ASSERT_TRUE(store) << error;
    EXPECT_EQ(store->numbers().next_outbound(), 1u);
    EXPECT_GT(store->numbers().claim_order_counter(), last);
}

// Half of the 2^30 identifiers of a session are ahead, whenever it starts.
static_assert(first_order_counter(~std::uint64_t{0}) < std::uint64_t{1} << 29);
static_assert(first_order_counter(created_ns) != first_order_counter(created_ns + 86'400'000'000'000));

TEST(SessionStore, KeepsSessionsApart) {
    const test::TemporaryFolder folder;
    std::string error;
    const auto first = open_in(folder, error, {.begin_string = "FIX.4.4", .sender = "A-B", .target = "C"});
    const auto second = open_in(folder, error, {.begin_string = "FIX.4.4", .sender = "A", .target = "B-C"});
    const auto third = open_in(folder, error, {.begin_string = "FIX.4.2", .sender = "A", .target = "B-C"});
    const auto fourth =
        open_in(folder, error, {.begin_string = "FIX.4.4", .sender = "../../A", .target = "B/C"});
    ASSERT_TRUE(first && second && third && fourth) << error;
    first->numbers().set_next_outbound(9);
    EXPECT_EQ(second->numbers().next_outbound(), 1u);
    EXPECT_EQ(third->numbers().next_outbound(), 1u);
    EXPECT_EQ(std::filesystem::path(fourth->path()).parent_path(), folder.file("store"));
}

TEST(SessionStore, NeverStartsAgainOnADamagedFile) {
    const test::TemporaryFolder folder;
    std::string error;
    std::string path;
    {
        const auto store = open_in(folder, error);
        ASSERT_TRUE(store) << error;
        store->numbers().set_next_outbound(77);
        path = store->path();
    }
    const auto bytes_of = [&] {
        std::ifstream file(path, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    const auto write = [&](const std::string& bytes) {
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << bytes;
    };
    const std::string good = bytes_of();
    const std::size_t numbers_offset = 576;  // behind the header and the identity, on its cache line
    struct Damage {
        const char* what;
        std::string bytes;
    };
    std::string newer = good, other = good;
    newer[8] = 2;
    other[16 + 8] = 'X';
    std::string zeroed = good;
    zeroed.replace(numbers_offset, 48, 48, '\0');
    for (const Damage& damage :
         {Damage{"empty", ""}, Damage{"cut", good.substr(0, 100)}, Damage{"grown", good + "x"},
          Damage{"all zero", std::string(good.size(), '\0')}, Damage{"numbers zero", zeroed},
          Damage{"newer version", newer}, Damage{"other session", other}}) {
        write(damage.bytes);
        EXPECT_FALSE(open_in(folder, error)) << damage.what;
        EXPECT_NE(error.find("damaged"), std::string::npos) << damage.what << ": " << error;
        EXPECT_EQ(bytes_of(), damage.bytes) << damage.what << ": a refused file is left as it is";
    }
    for (std::size_t at = numbers_offset; at < numbers_offset + 48; ++at) {
        std::string flipped = good;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
        write(flipped);
        EXPECT_FALSE(open_in(folder, error)) << "byte " << at;
    }
    write(good);
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    EXPECT_EQ(store->numbers().next_outbound(), 77u);
}

TEST(SessionStore, SaysWhyItCannotBeUsed) {
    const test::TemporaryFolder folder;
    std::string error;
    folder.write("file", "x");
    EXPECT_FALSE(SessionStore::open(folder.file("file"), identity, created_ns, error));
    EXPECT_NE(error.find("directory"), std::string::npos) << error;

    std::filesystem::create_directories(folder.file("store/FIX.4.4-TICKPATH-EXCH.numbers"));
    EXPECT_FALSE(open_in(folder, error));
    EXPECT_NE(error.find("cannot be opened for writing"), std::string::npos) << error;

    EXPECT_FALSE(
        open_in(folder, error, {.begin_string = "FIX.4.4", .sender = std::string(600, 'A'), .target = "B"}));
    EXPECT_NE(error.find("too long"), std::string::npos) << error;
    EXPECT_FALSE(SessionStore::open("/proc/no-such-store", identity, created_ns, error));
    EXPECT_FALSE(error.empty());
}

TEST(SessionStore, TakesNoMemoryPerNumber) {
    const test::TemporaryFolder folder;
    std::string error;
    const auto store = open_in(folder, error);
    ASSERT_TRUE(store) << error;
    test::AllocationGuard guard;
    for (std::uint64_t number = 1; number < 1'000; ++number)
        store->numbers().set_next_outbound(number + 1);
}

/// What a sender tells its peer, one record a message.
struct Sent {
    std::uint64_t outbound = 0;
    std::uint64_t inbound = 0;
    std::uint64_t order = 0;
};

/// The child: claims numbers, then "sends" them, until it is killed.
[[noreturn]] void send_until_killed(const std::string& directory, int pipe_descriptor) {
    std::string error;
    const auto store = SessionStore::open(directory, identity, created_ns, error);
    if (!store) ::_exit(1);
    core::SessionNumbers& numbers = store->numbers();
    for (;;) {
        Sent sent{.outbound = numbers.next_outbound(), .inbound = numbers.next_inbound(), .order = 0};
        numbers.set_next_outbound(sent.outbound + 1);
        numbers.set_next_inbound(sent.inbound + 1);
        sent.order = numbers.claim_order_counter();
        if (::write(pipe_descriptor, &sent, sizeof sent) != static_cast<ssize_t>(sizeof sent)) ::_exit(2);
    }
}

TEST(SessionStore, KillNineNeverLosesOrRepeatsANumber) {
    const test::TemporaryFolder folder;
    const std::string directory = folder.file("store");
    std::mt19937 random(5);
    Sent expected{.outbound = 1, .inbound = 1, .order = 0};
    std::uint64_t message_count = 0;
    const std::uint64_t round_count = test::at_level(60, 200, 1'000);
    for (std::uint64_t round = 0; round < round_count; ++round) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::close(ends[0]);
            send_until_killed(directory, ends[1]);
        }
        ::close(ends[1]);
        ::usleep(500 + random() % 20'000);
        // Half of the children are killed while they write, the others with a full pipe behind them.
        Sent sent;
        std::uint64_t seen = 0;
        const std::uint64_t wanted = round % 2 == 0 ? random() % 3'000 : 0;
        const auto take = [&] {
            if (::read(ends[0], &sent, sizeof sent) != static_cast<ssize_t>(sizeof sent)) return false;
            // A number claimed and never sent is a hole the peer asks about; a number below is one it has
            // seen.
            EXPECT_GE(sent.outbound, expected.outbound);
            EXPECT_GE(sent.inbound, expected.inbound);
            EXPECT_GE(sent.order, expected.order);
            EXPECT_TRUE(seen == 0 || sent.outbound == expected.outbound) << sent.outbound;
            expected = {.outbound = sent.outbound + 1, .inbound = sent.inbound + 1, .order = sent.order + 1};
            ++seen;
            return true;
        };
        while (seen < wanted && take()) {
        }
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        while (take()) {
        }
        ::close(ends[0]);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child gave up: " << status;

        std::string error;
        const auto store = SessionStore::open(directory, identity, created_ns, error);
        ASSERT_TRUE(store) << error;
        const core::SessionNumbers& numbers = store->numbers();
        ASSERT_GE(numbers.next_outbound(), expected.outbound);
        ASSERT_LE(numbers.next_outbound(), expected.outbound + 1);
        ASSERT_GE(numbers.next_inbound(), expected.inbound);
        ASSERT_LE(numbers.next_inbound(), numbers.next_outbound());
        ASSERT_GE(numbers.order_counter(), expected.order);
        ASSERT_LE(numbers.order_counter(), expected.order + 1);
        ASSERT_EQ(numbers.created_utc_ns(), created_ns);
        expected.outbound = numbers.next_outbound();
        expected.inbound = numbers.next_inbound();
        expected.order = numbers.order_counter();
        message_count += seen;
    }
    EXPECT_GT(message_count, 1'000u);
}

}  // namespace
}  // namespace tickpath::store
