// Chooses the layout that the plan asks for. Cold.
#pragma once

#include <memory>

#include "dataplane/pipeline/inline_pipeline.h"
#include "dataplane/pipeline/split_pipeline.h"

namespace tickpath::pipeline {

template <port::Port Port, class Trade>
[[nodiscard]] std::unique_ptr<Pipeline> make_pipeline(const PipelineParts<Port>& parts, Trade& trade) {
    if (parts.plan.split) return std::make_unique<SplitPipeline<Port, Trade>>(parts, trade);
    return std::make_unique<InlinePipeline<Port, Trade>>(parts, trade);
}

}  // namespace tickpath::pipeline
