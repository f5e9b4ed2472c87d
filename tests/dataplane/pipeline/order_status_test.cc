#include "dataplane/pipeline/order_status.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::pipeline {
namespace {

using model::LinkState;
using session::State;

TEST(OrderStatus, TellsAnEndThatTheNextConnectionHasHidden) {
    OrderStatus status;
    status.become(State::active, LinkState::up, "");
    const OrderStatus seen = status;
    status.become(State::disconnected, LinkState::down, "the peer does not read what we send");
    EXPECT_FALSE(status.hides_an_end_since(seen)) << "it says so itself";
    status.become(State::logon_sent, LinkState::up, "");
    EXPECT_TRUE(status.hides_an_end_since(seen));
    EXPECT_EQ(status.last_end_why.view(), "the peer does not read what we send");
    EXPECT_FALSE(status.hides_an_end_since(status));
}

TEST(OrderStatus, IsAnotherAfterAnEndThoughAllElseIsTheSame) {
    OrderStatus status;
    status.become(State::active, LinkState::up, "");
    const OrderStatus seen = status;
    EXPECT_TRUE(status.is_like(seen));
    status.become(State::disconnected, LinkState::down, "closed on Sundays");
    status.become(State::active, LinkState::up, "");
    EXPECT_FALSE(status.is_like(seen));
    EXPECT_TRUE(status.hides_an_end_since(seen));
}

TEST(OrderStatus, AConnectThatFailsIsNoEnd) {
    OrderStatus status;
    const OrderStatus seen = status;
    status.become(State::disconnected, LinkState::connecting, "");
    status.become(State::disconnected, LinkState::down, "connection refused");
    EXPECT_EQ(status.ends, 0u);
    EXPECT_FALSE(status.hides_an_end_since(seen));
    EXPECT_FALSE(status.is_like(seen));
}

TEST(OrderStatus, CutsATextThatIsTooLong) {
    OrderStatus status;
    status.become(State::active, LinkState::up, std::string(1'000, 'x'));
    EXPECT_EQ(status.why.view(), std::string(192, 'x'));
}

}  // namespace
}  // namespace tickpath::pipeline
