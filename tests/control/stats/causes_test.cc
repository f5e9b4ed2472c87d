#include "control/stats/causes.h"

#include <string>

#include <gtest/gtest.h>

#include "dataplane/trade/refusal.h"

namespace tickpath::stats {
namespace {

TEST(Causes, AreDecidedByTheLastPartOfTheName) {
    EXPECT_EQ(cause_of("r0.router.not_udp").phrase, "not UDP");
    EXPECT_EQ(cause_of("not_udp").kind, CauseKind::drop);
    EXPECT_EQ(cause_of("r0.not_udp.else").phrase, "");
}

TEST(Causes, KeepTheNameOfAnUnlistedCounter) {
    const Cause cause = cause_of("r0.somewhere.something_new");
    EXPECT_EQ(cause.counter, "something_new");
    EXPECT_EQ(cause.kind, CauseKind::flow);
    EXPECT_EQ(cause_of("").counter, "");
    EXPECT_EQ(cause_of("trailing.").counter, "");
}

TEST(Causes, HaveAPhraseForEveryRefusal) {
    for (std::size_t i = 1; i < trade::refusal_count; ++i) {
        const Cause cause = cause_of("trade.refused_" + std::string(trade::refusal_names[i]));
        EXPECT_EQ(cause.kind, CauseKind::refusal);
        EXPECT_EQ(cause.phrase, trade::refusal_phrases[i]);
    }
    EXPECT_EQ(cause_of("trade.refused_by_the_moon").kind, CauseKind::refusal);
}

}  // namespace
}  // namespace tickpath::stats
