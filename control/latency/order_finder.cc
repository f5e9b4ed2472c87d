#include "control/latency/order_finder.h"

#include "decoders/net/tcp.h"

namespace tickpath::latency {

void OrderFinder::on_frame(const StampedFrame& frame) {
    const Result<net::TcpSegment> segment = net::parse_tcp(frame.packet);
    if (!segment || (segment->payload.empty() && !segment->is_syn)) return;
    const FlowKey key{frame.packet.source_address, segment->source_port, frame.packet.address, segment->port};
    auto flow = flows_.find(key);
    if (flow == flows_.end()) {
        if (flows_.size() == flows_max) {
            ++segments_passed_over_;
            return;
        }
        flow = flows_.try_emplace(key).first;
    }
    flow->second.on_segment(*segment, frame.place, orders_, counts_);
}

void OrderFinder::finish() {
    for (auto& [key, flow] : flows_)
        flow.finish(orders_, counts_);
}

}  // namespace tickpath::latency
