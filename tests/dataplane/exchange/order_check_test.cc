#include "dataplane/exchange/order_check.h"

#include <string>

#include <gtest/gtest.h>

#include "decoders/fix/reader.h"
#include "tests/support/fix_text.h"

namespace tickpath::exchange {
namespace {

const std::string good =
    "35=D|34=2|11=id|55=SBER|54=1|60=20260105-10:00:00.123|38=0000000000000007|40=2|44=0000000000133.31|59="
    "3|";

struct Checked {
    Verdict verdict;
    std::string id;
    Order order;
};

Checked check(std::string body) {
    const std::string message = test::fix_message(std::move(body));
    fix::Reader reader;
    EXPECT_EQ(reader.read({message.data(), message.size()}).scan, fix::Scan::message);
    Checked checked;
    checked.verdict = check_order(reader.message(), checked.order);
    checked.id = checked.order.cl_ord_id;
    checked.order.cl_ord_id = checked.order.symbol = {};  // views on a message that ends here
    return checked;
}

std::string with(const std::string& from, const std::string& to) {
    std::string body = good;
    const std::size_t at = body.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return body.replace(at, from.size(), to);
}

TEST(OrderCheck, TakesAnOrderOfOurTemplate) {
    const Checked checked = check(good);
    EXPECT_EQ(checked.verdict.answer, Answer::accept);
    EXPECT_EQ(checked.id, "id");
    EXPECT_EQ(checked.order.quantity, (Decimal{7, 0}));
    EXPECT_EQ(checked.order.price, (Decimal{13331, -2}));
    EXPECT_EQ(checked.order.time_in_force, '3');
}

TEST(OrderCheck, TakesADayOrderByDefault) {
    const Checked checked = check(with("|59=3", ""));
    EXPECT_EQ(checked.verdict.answer, Answer::accept);
    EXPECT_EQ(checked.order.time_in_force, '0');
}

TEST(OrderCheck, NamesTheFirstMissingField) {
    for (const auto& [field, tag] : {std::pair{"|11=id", 11u}, std::pair{"|55=SBER", 55u},
                                     std::pair{"|54=1", 54u}, std::pair{"|60=20260105-10:00:00.123", 60u},
                                     std::pair{"|38=0000000000000007", 38u}, std::pair{"|40=2", 40u}}) {
        const Verdict verdict = check(with(field, "")).verdict;
        EXPECT_EQ(verdict.answer, Answer::reject) << field;
        EXPECT_EQ(verdict.reason, 1u);
        EXPECT_EQ(verdict.tag, tag);
    }
    const Verdict verdict = check("35=D|34=2|58=nothing").verdict;
    EXPECT_EQ(verdict.tag, 11u);
}

TEST(OrderCheck, ALimitOrderNeedsAPrice) {
    const Verdict verdict = check(with("|44=0000000000133.31", "")).verdict;
    EXPECT_EQ(verdict.answer, Answer::business_reject);
    EXPECT_EQ(verdict.reason, 5u);
    EXPECT_EQ(verdict.tag, 44u);
}

struct Case {
    const char* from;
    const char* to;
    Answer answer;
    std::uint32_t reason;
    std::uint32_t tag;
};

TEST(OrderCheck, TellsWrongTypesUnknownValuesAndOrdersItDoesNotTakeApart) {
    for (const Case c : {
             Case{"54=1", "54=Z", Answer::reject, 5, 54},
             Case{"54=1", "54=12", Answer::reject, 5, 54},
             Case{"54=1", "54=5", Answer::refuse, 11, 0},
             Case{"60=20260105-10:00:00.123", "60=today", Answer::reject, 6, 60},
             Case{"38=0000000000000007", "38=seven", Answer::reject, 6, 38},
             Case{"38=0000000000000007", "38=1e3", Answer::reject, 6, 38},
             Case{"38=0000000000000007", "38=0.0000000000000000001", Answer::reject, 6, 38},
             Case{"38=0000000000000007", "38=0", Answer::refuse, 13, 0},
             Case{"38=0000000000000007", "38=-7", Answer::refuse, 13, 0},
             Case{"40=2", "40=w", Answer::reject, 5, 40},
             Case{"40=2", "40=1", Answer::refuse, 11, 0},
             Case{"44=0000000000133.31", "44=1.2.3", Answer::reject, 6, 44},
             Case{"59=3", "59=x", Answer::reject, 5, 59},
             Case{"59=3", "59=1", Answer::refuse, 11, 0},
         }) {
        const Verdict verdict = check(with(c.from, c.to)).verdict;
        EXPECT_EQ(verdict.answer, c.answer) << c.to;
        EXPECT_EQ(verdict.reason, c.reason) << c.to;
        EXPECT_EQ(verdict.tag, c.tag) << c.to;
        EXPECT_EQ(verdict.text.empty(), c.answer != Answer::refuse) << c.to;
    }
}

TEST(OrderCheck, TakesNegativePrices) {
    EXPECT_EQ(check(with("44=0000000000133.31", "44=-000000000000.25")).order.price, (Decimal{-25, -2}));
}

}  // namespace
}  // namespace tickpath::exchange
