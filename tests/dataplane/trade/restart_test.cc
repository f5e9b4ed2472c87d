// Numbers go on over restarts: a trader is killed while sending, and the next run repeats no order id and no
// message number.
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/store/session_store.h"
#include "tests/dataplane/trade/stage_rig.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::trade::test {
namespace {

class RestartTest : public testing::Test {
protected:
    tickpath::test::TemporaryFolder folder;

    [[nodiscard]] std::unique_ptr<store::SessionStore> open(const std::string& sender,
                                                            const std::string& target) {
        std::string error_text;
        auto store = store::SessionStore::open(folder.file("store"), {.sender = sender, .target = target}, 1,
                                               error_text);
        EXPECT_NE(store, nullptr) << error_text;
        return store;
    }

    /// A trader in a process of its own that logs on, sends `orders` orders and is killed with kill -9. What
    /// its link carried comes back through a pipe.
    [[nodiscard]] std::string run_and_kill(int orders) {
        int ends[2];
        if (::pipe(ends) != 0) return {};
        const pid_t child = ::fork();
        if (child == 0) {
            const auto store = open("TRADER", "EXCH");
            const auto peer = open("EXCH", "TRADER");
            StageRig<HitQuote> rig{armed_settings(), selling(), &store->numbers(), 4, &peer->numbers()};
            rig.counterparty.answer = Counterparty::Answer::none;
            rig.make_book();
            rig.settle(12);
            for (int i = 0; i < orders; ++i) {
                rig.tick(add(Side::bid, 1, 100, 1));
                rig.tick(remove(Side::bid, 1));
                const std::string bytes = rig.link.take_sent();
                (void)!::write(ends[1], bytes.data(), bytes.size());
            }
            ::kill(::getpid(), SIGKILL);
        }
        ::close(ends[1]);
        std::string carried;
        std::array<char, 4'096> buffer;
        for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
            carried.append(buffer.data(), static_cast<std::size_t>(n));
        ::close(ends[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        return carried;
    }
};

TEST_F(RestartTest, NoOrderIdAndNoNumberRepeatsAfterKillMinusNine) {
    std::set<std::string> ids;
    std::uint64_t last_number = 0;
    for (int run = 0; run < 5; ++run) {
        bool is_sound = false;
        const std::vector<Fields> orders = messages_of(run_and_kill(17), is_sound);
        ASSERT_TRUE(is_sound);
        ASSERT_EQ(orders.size(), 17u);
        for (const Fields& order : orders) {
            ASSERT_EQ(order[35], "D");
            const std::string counter = order[11].substr(14);
            EXPECT_TRUE(ids.insert(counter).second) << "run " << run << ": counter " << counter << " repeats";
            EXPECT_GT(std::stoull(order[34]), last_number);
            last_number = std::stoull(order[34]);
        }
    }
    const auto store = open("TRADER", "EXCH");
    EXPECT_EQ(store->numbers().order_counter(), 5u * 17u);
    EXPECT_EQ(store->numbers().next_outbound(), last_number + 1);
}

TEST_F(RestartTest, APersonsRestartContinuesTheSession) {
    for (std::uint32_t run = 0; run < 3; ++run) {
        const auto store = open("TRADER", "EXCH");
        const auto peer = open("EXCH", "TRADER");
        StageRig<HitQuote> rig{armed_settings(), selling(), &store->numbers(), 4, &peer->numbers()};
        rig.make_book();
        rig.settle(12);
        ASSERT_EQ(rig.session.state(), session::State::active) << "run " << run;
        rig.tick(add(Side::bid, 1, 100, 1));
        rig.settle();
        ASSERT_EQ(rig.counterparty.orders.size(), 1u);
        EXPECT_EQ(decode_order_id(rig.counterparty.orders[0][11])->counter, run);
        rig.stage.begin_stop("", rig.now_cycles);
        rig.settle();
        EXPECT_TRUE(rig.stage.is_stopped());
    }
}

}  // namespace
}  // namespace tickpath::trade::test
