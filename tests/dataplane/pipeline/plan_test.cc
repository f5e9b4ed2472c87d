#include "dataplane/pipeline/plan.h"

#include <gtest/gtest.h>

namespace tickpath::pipeline {
namespace {

PlanRequest two_ports() {
    return {.port_names = {"a", "b"},
            .port_queue_counts = {1, 2},
            .receivers = {},
            .channels = {{"book", {0, 1}}},
            .split = false,
            .trade_cpu = -1};
}

TEST(Plan, DefaultIsOneReceiverThatPollsEveryQueue) {
    Diagnostics diagnostics;
    const Plan plan = make_plan(two_ports(), "c.xml", diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    ASSERT_EQ(plan.receivers.size(), 1u);
    EXPECT_EQ(plan.receivers[0].queues, (std::vector<QueueRef>{{0, 0}, {1, 0}, {1, 1}}));
    EXPECT_EQ(plan.receivers[0].channels, (std::vector<std::uint16_t>{0}));
}

TEST(Plan, GivesEachReceiverTheChannelsOfItsPorts) {
    PlanRequest request = two_ports();
    request.split = true;
    request.receivers = {{"r0", 0, {0}}, {"r1", 1, {1}}};
    request.channels = {{"left", {0, 0}}, {"right", {1}}};
    Diagnostics diagnostics;
    const Plan plan = make_plan(request, "c.xml", diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    EXPECT_EQ(plan.receivers[0].channels, (std::vector<std::uint16_t>{0}));
    EXPECT_EQ(plan.receivers[1].channels, (std::vector<std::uint16_t>{1}));
}

TEST(Plan, RefusesAChannelWhoseLinesBelongToTwoWorkers) {
    PlanRequest request = two_ports();
    request.split = true;
    request.receivers = {{"r0", 0, {0}}, {"r1", 1, {1}}};
    Diagnostics diagnostics;
    (void)make_plan(request, "c.xml", diagnostics);
    EXPECT_EQ(diagnostics.format(),
              "c.xml: channel \"book\" is split: its lines arrive at ports \"a\" and \"b\", which different "
              "workers poll; "
              "give both ports to one <receive>\n");
}

TEST(Plan, RefusesSeveralReceiversWithoutRings) {
    PlanRequest request = two_ports();
    request.receivers = {{"r0", 0, {0}}, {"r1", 1, {1}}};
    request.channels.clear();
    Diagnostics diagnostics;
    (void)make_plan(request, "c.xml", diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_NE(diagnostics.all()[0].text.find("need layout=\"split\""), std::string::npos);
}

TEST(Plan, PollsPortsInTheOrderTheyAreNamedInAndEachOnce) {
    PlanRequest request = two_ports();
    request.receivers = {{"r0", 0, {1, 0, 1}}};
    Diagnostics diagnostics;
    const Plan plan = make_plan(request, "c.xml", diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    EXPECT_EQ(plan.receivers[0].queues, (std::vector<QueueRef>{{1, 0}, {1, 1}, {0, 0}}));
}

TEST(Plan, NamesAPortPolledTwiceAndAPortPolledByNobody) {
    PlanRequest request = two_ports();
    request.split = true;
    request.receivers = {{"r0", 0, {0}}, {"r1", 1, {0}}};
    request.channels.clear();
    Diagnostics diagnostics;
    (void)make_plan(request, "c.xml", diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 2u) << diagnostics.format();
    EXPECT_EQ(
        diagnostics.all()[0].text,
        "port \"a\" is polled by both \"r0\" and \"r1\" and has 1 queue; name it in one <receive> only, or "
        "set queue_count=\"2\" where the device takes flow rules");
    EXPECT_NE(diagnostics.all()[1].text.find("\"b\" is polled by no worker"), std::string::npos);
}

}  // namespace
}  // namespace tickpath::pipeline
