#include "control/runtime/port_steering.h"

#include <gtest/gtest.h>

namespace tickpath::runtime {
namespace {

TEST(PortSteering, RefusesToHandPacketsFromWorkerToWorker) {
    pipeline::SteeringRequest request;
    request.ports = {{.name = "veth", .capabilities = {}, .queue_count = 2}};
    request.plan.receivers = {{.name = "r0", .cpu = -1, .queues = {{0, 0}}, .channels = {}},
                              {.name = "r1", .cpu = -1, .queues = {{0, 1}}, .channels = {}}};
    request.receiver_nodes = {-1, -1};
    Diagnostics diagnostics;
    const pipeline::Steering steering = pipeline::make_steering(request, "run.xml", diagnostics);
    EXPECT_FALSE(diagnostics.has_errors());
    refuse_hand_overs(steering, request, "run.xml", diagnostics);
    EXPECT_EQ(
        diagnostics.format(),
        "run.xml: port \"veth\" is polled by both \"r0\" and \"r1\", and its device cannot send a group to a "
        "queue (steering none); name it in one <receive> only\n");
}

TEST(PortSteering, HasNothingToSayOfAPortOfOneWorker) {
    pipeline::SteeringRequest request;
    request.ports = {{.name = "veth", .capabilities = {}, .queue_count = 1}};
    request.plan.receivers = {{.name = "r0", .cpu = -1, .queues = {{0, 0}}, .channels = {}}};
    request.receiver_nodes = {-1};
    Diagnostics diagnostics;
    refuse_hand_overs(pipeline::make_steering(request, "run.xml", diagnostics), request, "run.xml",
                      diagnostics);
    EXPECT_TRUE(diagnostics.all().empty());
}

}  // namespace
}  // namespace tickpath::runtime
