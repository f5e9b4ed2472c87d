#include "dataplane/trade/order_ledger.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/trade/order_id.h"
#include "tests/dataplane/trade/fix_text.h"
#include "tests/dataplane/trade/instruments.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::trade::test {
namespace {

using model::OrderSide;
using model::OrderState;

constexpr std::uint32_t first_counter = 100;

class OrderLedgerTest : public testing::Test {
protected:
    core::CounterPage page = core::CounterPage::anonymous();
    KillSwitch kill;
    std::vector<model::Instrument> instruments = two_instruments();
    OrderLedger ledger{8, instruments, first_counter, 3, kill, LedgerCounters(page, "t")};

    static std::string id_text(std::uint32_t counter) {
        const model::ClOrdId text = encode({.line = 1, .packet_sequence = 7, .counter = counter});
        return {text.data(), text.size()};
    }
    void send(std::uint32_t counter, OrderSide side = OrderSide::buy, std::int64_t quantity = 10,
              model::InstrumentId instrument = 0) {
        ASSERT_TRUE(ledger.has_room(counter));
        ledger.sent({.instrument = instrument, .side = side, .price = 10'000, .quantity = quantity}, counter,
                    1'000 + counter);
    }
    void hear(std::string body) {
        const ParsedMessage message(std::move(body));
        ASSERT_TRUE(message.is_sound());
        ledger.on_message(*message, false);
    }
    /// An execution report with what the ledger looks at.
    void report(std::uint32_t counter, const std::string& exec_id, char status, const std::string& cum,
                const std::string& leaves, const std::string& more = "") {
        const Order* const order = ledger.find(counter);
        const model::InstrumentId instrument = order != nullptr ? order->instrument : 0;
        const bool is_sell = order != nullptr && order->side == OrderSide::sell;
        hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|37=X|11=" + id_text(counter) + "|17=" + exec_id +
             "|150=" + status + "|39=" + status + "|55=" + std::string(instruments[instrument].symbol()) +
             "|54=" + (is_sell ? "2" : "1") + "|151=" + leaves + "|14=" + cum + "|6=0|" + more);
    }
    /// The same of order 100, with Symbol, Side and LastPx as `about` has them.
    void fill_about(const std::string& about) {
        hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|37=X|11=" + id_text(100) +
             "|17=1|150=F|39=2|151=0|14=10|6=0|" + about);
    }
    [[nodiscard]] OrderState state(std::uint32_t counter) const { return ledger.find(counter)->state; }
    [[nodiscard]] const Exposure& exposure(model::InstrumentId of = 0) const { return ledger.exposure()[of]; }
    [[nodiscard]] std::uint64_t counted(const std::string& name) const { return page.value("t." + name); }
};

TEST_F(OrderLedgerTest, AnOrderIsPendingAndOpenOnceSent) {
    send(100);
    EXPECT_EQ(state(100), OrderState::pending);
    EXPECT_EQ(exposure(), (Exposure{.position = 0, .open_buy = 10, .open_sell = 0}));
    EXPECT_EQ(ledger.open_orders(), 1u);
}

TEST_F(OrderLedgerTest, FollowsAnOrderFromNewOverPartFillToFilled) {
    send(100);
    report(100, "1", 'A', "0", "10");
    EXPECT_EQ(state(100), OrderState::pending);
    report(100, "2", '0', "0", "10");
    EXPECT_EQ(state(100), OrderState::live);
    report(100, "3", '1', "4", "6");
    EXPECT_EQ(state(100), OrderState::part_filled);
    EXPECT_EQ(exposure(), (Exposure{.position = 4, .open_buy = 6, .open_sell = 0}));
    report(100, "4", '2', "10", "0");
    EXPECT_EQ(state(100), OrderState::done);
    EXPECT_EQ(exposure(), (Exposure{.position = 10, .open_buy = 0, .open_sell = 0}));
    EXPECT_EQ(counted("fills"), 2u);
    EXPECT_EQ(counted("reports"), 4u);
}

TEST_F(OrderLedgerTest, SellsMakeThePositionShort) {
    send(100, OrderSide::sell);
    EXPECT_EQ(exposure().open_sell, 10);
    report(100, "1", '2', "10", "0");
    EXPECT_EQ(exposure(), (Exposure{.position = -10, .open_buy = 0, .open_sell = 0}));
}

TEST_F(OrderLedgerTest, QuantitiesAreReadAtTheInstrumentsScale) {
    send(100, OrderSide::buy, 25, 1);
    report(100, "1", '1', "1.5", "1.0");
    EXPECT_EQ(exposure(1), (Exposure{.position = 15, .open_buy = 10, .open_sell = 0}));
    report(100, "2", '1', "1.55", "1");
    EXPECT_EQ(counted("reports_bad"), 1u) << "a quantity that the scale cannot hold";
    EXPECT_EQ(exposure(1).position, 15);
}

TEST_F(OrderLedgerTest, ACancelledRestIsNoLongerOpen) {
    send(100);
    report(100, "1", '0', "0", "10");
    report(100, "2", '4', "3", "0");
    EXPECT_EQ(state(100), OrderState::done);
    EXPECT_EQ(exposure(), (Exposure{.position = 3, .open_buy = 0, .open_sell = 0}));
    EXPECT_EQ(counted("orders_expired"), 1u);
    EXPECT_EQ(counted("orders_rejected"), 0u);
    send(101);
    report(101, "3", 'C', "0", "10");
    EXPECT_EQ(exposure().open_buy, 0) << "expired, whatever LeavesQty says";
}

TEST_F(OrderLedgerTest, AReportThatComesTwiceCountsOnce) {
    send(100);
    report(100, "1", '1', "4", "6");
    report(100, "1", '1', "4", "6");
    EXPECT_EQ(exposure(), (Exposure{.position = 4, .open_buy = 6, .open_sell = 0}));
    EXPECT_EQ(counted("reports_duplicate"), 1u);
    report(100, "2", '1', "4", "6");  // another ExecID, the same fill
    EXPECT_EQ(exposure().position, 4);
    EXPECT_EQ(counted("fills"), 1u);
}

TEST_F(OrderLedgerTest, AnOlderReportChangesNothing) {
    send(100);
    report(100, "2", '1', "8", "2");
    report(100, "1", '1', "4", "6");
    report(100, "0", '0', "0", "10");
    EXPECT_EQ(exposure(), (Exposure{.position = 8, .open_buy = 2, .open_sell = 0}));
    EXPECT_EQ(state(100), OrderState::part_filled);
    EXPECT_EQ(counted("reports_duplicate"), 2u);
}

TEST_F(OrderLedgerTest, NothingReopensADoneOrderButLateFillsCount) {
    send(100);
    report(100, "1", '4', "0", "0");
    report(100, "2", '0', "0", "10");
    EXPECT_EQ(state(100), OrderState::done);
    EXPECT_EQ(exposure().open_buy, 0);
    report(100, "3", '1', "2", "8");
    EXPECT_EQ(exposure(), (Exposure{.position = 2, .open_buy = 0, .open_sell = 0}));
}

TEST_F(OrderLedgerTest, ATradeCancelTakesAFillBack) {
    send(100);
    report(100, "1", '2', "10", "0");
    hear("35=8|34=3|49=E|52=20261130-10:00:00|56=T|37=X|11=" + id_text(100) +
         "|17=2|150=H|39=2|55=RTS-9.13|54=1|151=0|14=7|6=0|");
    EXPECT_EQ(exposure().position, 7);
}

TEST_F(OrderLedgerTest, MoreFilledThanOrderedIsCountedAndBelieved) {
    send(100);
    report(100, "1", '2', "12", "0");
    EXPECT_EQ(exposure(), (Exposure{.position = 12, .open_buy = 0, .open_sell = 0}));
    EXPECT_EQ(counted("reports_overfilled"), 1u);
}

TEST_F(OrderLedgerTest, LeavesQtyBeyondTheOrderOpensNoMoreThanTheRest) {
    send(100);
    report(100, "1", '1', "4", "1000000");
    EXPECT_EQ(exposure().open_buy, 6);
}

TEST_F(OrderLedgerTest, ALostLinkLeavesOpenOrdersUnknownAndTheirQuantityInTheExposure) {
    send(100);
    send(101);
    report(101, "1", '0', "0", "10");
    send(102);
    report(102, "2", '2', "10", "0");
    ledger.on_link_down();
    EXPECT_EQ(state(100), OrderState::unknown);
    EXPECT_EQ(state(101), OrderState::unknown);
    EXPECT_EQ(state(102), OrderState::done);
    EXPECT_EQ(exposure(), (Exposure{.position = 10, .open_buy = 20, .open_sell = 0}));
    EXPECT_EQ(counted("orders_unknown"), 2u);
    ledger.on_link_down();
    EXPECT_EQ(counted("orders_unknown"), 2u) << "counted once";
}

TEST_F(OrderLedgerTest, AReportSettlesAnUnknownOrder) {
    send(100);
    send(101);
    send(102);
    report(102, "0", '0', "0", "10");
    ledger.on_link_down();
    report(100, "1", '0', "0", "10");
    EXPECT_EQ(state(100), OrderState::live);
    report(101, "2", '2', "10", "0");
    EXPECT_EQ(state(101), OrderState::done);
    report(102, "3", '4', "0", "0");
    EXPECT_EQ(state(102), OrderState::done);
    EXPECT_EQ(exposure(), (Exposure{.position = 10, .open_buy = 10, .open_sell = 0}));
}

TEST_F(OrderLedgerTest, AResentReportSettlesAnUnknownOrderToo) {
    send(100);
    ledger.on_link_down();
    const ParsedMessage resent(
        "35=8|34=9|43=Y|122=20261130-09:59:59|49=E|52=20261130-10:00:00|56=T|37=X|11=" + id_text(100) +
        "|17=5|150=F|39=2|55=RTS-9.13|54=1|151=0|14=10|6=0|");
    ASSERT_TRUE(resent.is_sound());
    ledger.on_message(*resent, true);
    EXPECT_EQ(state(100), OrderState::done);
    EXPECT_EQ(exposure(), (Exposure{.position = 10, .open_buy = 0, .open_sell = 0}));
}

TEST_F(OrderLedgerTest, EnoughRejectsThrowTheKillSwitch) {
    send(100);
    send(101);
    send(102);
    report(100, "1", '8', "0", "0");
    report(101, "2", '8', "0", "0");
    report(101, "3", '8', "0", "0");
    EXPECT_EQ(counted("orders_rejected"), 2u) << "an order is rejected once";
    EXPECT_FALSE(kill.is_engaged());
    report(102, "4", '8', "0", "0");
    EXPECT_EQ(kill.reason(), KillReason::rejects);
    EXPECT_EQ(exposure(), Exposure{});
}

TEST_F(OrderLedgerTest, SessionAndBusinessRejectsEndTheOrderOfThatNumber) {
    send(100);
    send(101);
    hear("35=3|34=2|49=E|52=20261130-10:00:00|56=T|45=1100|372=D|373=5|");
    EXPECT_EQ(state(100), OrderState::done);
    hear("35=j|34=3|49=E|52=20261130-10:00:00|56=T|45=1101|372=D|380=3|");
    EXPECT_EQ(state(101), OrderState::done);
    EXPECT_EQ(exposure(), Exposure{});
    EXPECT_EQ(counted("orders_rejected"), 2u);
    hear("35=3|34=4|49=E|52=20261130-10:00:00|56=T|45=1101|");
    EXPECT_EQ(counted("reports_unknown"), 1u) << "already done";
    hear("35=j|34=5|49=E|52=20261130-10:00:00|56=T|372=D|380=3|");
    EXPECT_EQ(counted("reports_bad"), 1u);
}

TEST_F(OrderLedgerTest, ReportsOfNoOrderOfOursAreCounted) {
    send(100);
    report(101, "1", '0', "0", "10");
    hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|11=somebody-else|17=1|39=0|14=0|151=0|");
    hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|17=1|39=0|14=0|151=0|");
    EXPECT_EQ(counted("reports_unknown"), 3u);
    EXPECT_EQ(counted("reports_adopted"), 0u);
}

TEST_F(OrderLedgerTest, ReportsWithoutWhatIsNeededAreBad) {
    send(100);
    for (const std::string rest :
         {"14=0|151=10|", "39=0|14=x|151=10|", "39=0|14=-1|151=10|", "39=0|14=0|151=y|", "39=01|14=0|151=10|",
          "39=1|14=9999999999999999999|151=0|"})
        hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|11=" + id_text(100) + "|17=1|" + rest);
    EXPECT_EQ(counted("reports_bad"), 6u);
    EXPECT_EQ(state(100), OrderState::pending);
    EXPECT_EQ(exposure(), (Exposure{.position = 0, .open_buy = 10, .open_sell = 0}));
    hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|11=" + id_text(100) + "|39=1|14=4|");
    EXPECT_EQ(exposure(), (Exposure{.position = 4, .open_buy = 6, .open_sell = 0})) << "LeavesQty follows";
}

TEST_F(OrderLedgerTest, AReportAboutAnotherSymbolOrSideIsBad) {
    send(100);
    for (const std::string about : {"55=USD000UTSTOM|54=1|", "55=NOPE|54=1|", "55=|54=1|",
                                    "55=RTS-9.13|54=2|", "55=RTS-9.13|54=9|", "55=RTS-9.13|54=12|"})
        fill_about(about);
    EXPECT_EQ(counted("reports_bad"), 6u);
    EXPECT_EQ(counted("fills"), 0u);
    EXPECT_EQ(state(100), OrderState::pending);
    EXPECT_EQ(exposure(), (Exposure{.position = 0, .open_buy = 10, .open_sell = 0}));
    fill_about("");
    EXPECT_EQ(exposure().position, 10) << "a counterparty may leave both out";
}

TEST_F(OrderLedgerTest, AFillAtAPriceTheOrderCannotGetIsBad) {
    send(100);  // buys at 100.00
    for (const std::string price : {"100.01", "999999999999999999", "-999999999999999999", "x", "1e5"})
        fill_about("55=RTS-9.13|54=1|31=" + price + "|");
    EXPECT_EQ(counted("reports_bad"), 5u);
    EXPECT_EQ(exposure(), (Exposure{.position = 0, .open_buy = 10, .open_sell = 0}));
    fill_about("55=RTS-9.13|54=1|31=99.995|");
    EXPECT_EQ(exposure().position, 10) << "better than asked for, and finer than the scale";
    send(101, OrderSide::sell);
    report(101, "2", '1', "4", "6", "31=99.99|");
    EXPECT_EQ(counted("reports_bad"), 6u);
    report(101, "3", '1', "4", "6", "31=100.00|");
    report(101, "4", '2', "10", "0", "31=1000000.00|");
    EXPECT_EQ(counted("reports_bad"), 6u);
    EXPECT_EQ(exposure().position, 0);
    send(102);
    report(102, "5", '0', "0", "10", "31=0|");
    EXPECT_EQ(state(102), OrderState::live) << "LastPx of what is no fill is not looked at";
    report(55, "6", '1', "6", "4", "38=10|44=100.00|32=2|31=100.05|");
    EXPECT_EQ(exposure().position, 2) << "the limit of an earlier run's order is not known";
}

TEST_F(OrderLedgerTest, NoNewsAboutADoneOrderIsADuplicate) {
    send(100);
    report(100, "1", '2', "10", "0");
    report(100, "2", '2', "10", "0");  // the same fill under another ExecID
    report(100, "3", '8', "10", "0");
    EXPECT_EQ(counted("reports_duplicate"), 2u);
    EXPECT_EQ(counted("fills"), 1u);
    EXPECT_EQ(counted("orders_rejected"), 0u);
    EXPECT_EQ(exposure(), (Exposure{.position = 10, .open_buy = 0, .open_sell = 0}));
}

TEST_F(OrderLedgerTest, OtherApplicationMessagesAreOfNoInterest) {
    hear("35=9|34=2|49=E|52=20261130-10:00:00|56=T|11=" + id_text(100) + "|39=8|");
    EXPECT_EQ(counted("reports"), 0u);
    EXPECT_EQ(counted("reports_unknown"), 0u);
}

TEST_F(OrderLedgerTest, AdoptsAnOrderOfAnEarlierRunWithItsNewFillsOnly) {
    report(55, "7", '1', "6", "4", "38=10|44=100.00|32=2|");
    EXPECT_EQ(counted("reports_adopted"), 1u);
    EXPECT_EQ(exposure(), (Exposure{.position = 2, .open_buy = 4, .open_sell = 0}));
    report(55, "8", '2', "10", "0", "32=4|");
    EXPECT_EQ(exposure(), (Exposure{.position = 6, .open_buy = 0, .open_sell = 0}));
    report(55, "8", '2', "10", "0", "32=4|");
    EXPECT_EQ(exposure().position, 6);
    EXPECT_EQ(counted("reports_adopted"), 1u);
}

TEST_F(OrderLedgerTest, AdoptsNothingItCannotPlace) {
    hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|11=" + id_text(55) +
         "|17=1|39=0|14=0|151=1|54=1|55=NONE|");
    hear("35=8|34=2|49=E|52=20261130-10:00:00|56=T|11=" + id_text(55) + "|17=1|39=0|14=0|151=1|55=RTS-9.13|");
    EXPECT_EQ(counted("reports_unknown"), 2u);
    EXPECT_EQ(exposure(), Exposure{});
}

TEST_F(OrderLedgerTest, ATableSlotIsFreeAgainWhenItsOrderIsDone) {
    send(100);
    EXPECT_EQ(ledger.orders_max(), 8u);
    EXPECT_FALSE(ledger.has_room(108)) << "eight slots";
    EXPECT_TRUE(ledger.has_room(101));
    report(100, "1", '2', "10", "0");
    EXPECT_TRUE(ledger.has_room(108));
    EXPECT_NE(ledger.find(100), nullptr) << "still known";
    send(108);
    EXPECT_EQ(ledger.find(100), nullptr);
    report(100, "9", '2', "10", "0", "32=10|");
    EXPECT_EQ(counted("reports_unknown"), 1u)
        << "an order of this run is never adopted: it would count twice";
    EXPECT_EQ(exposure().position, 10);
}

TEST_F(OrderLedgerTest, TakesNoMemory) {
    const ParsedMessage fill("35=8|34=9|49=E|52=20261130-10:00:00|56=T|37=X|11=" + id_text(100) +
                             "|17=5|150=F|39=2|55=RTS-9.13|54=1|151=0|14=10|6=0|");
    const tickpath::test::AllocationGuard guard;
    send(100);
    ledger.on_message(*fill, false);
    ledger.on_link_down();
}

}  // namespace
}  // namespace tickpath::trade::test
