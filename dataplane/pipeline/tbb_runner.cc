#include "dataplane/pipeline/tbb_runner.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

namespace tickpath::pipeline {
namespace {

// Enough that a slow portion does not stop the others, few enough that memory stays small.
constexpr unsigned portions_per_job = 4;

}  // namespace

void run_in_order(OrderedWork& work, unsigned jobs) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, jobs);
    using Item = std::shared_ptr<WorkItem>;  // owned also by what is thrown away when something throws
    const auto read = [&work](oneapi::tbb::flow_control& control) -> Item {
        Item item = work.read();
        if (item == nullptr) control.stop();
        return item;
    };
    const auto decode = [&work](Item item) -> Item {
        work.work(*item);
        return item;
    };
    const auto finish = [&work](const Item& item) { work.finish(*item); };
    using oneapi::tbb::filter_mode;
    oneapi::tbb::parallel_pipeline(
        std::size_t{jobs} * portions_per_job,
        oneapi::tbb::make_filter<void, Item>(filter_mode::serial_in_order, read) &
            oneapi::tbb::make_filter<Item, Item>(filter_mode::parallel, decode) &
            oneapi::tbb::make_filter<Item, void>(filter_mode::serial_in_order, finish));
}

}  // namespace tickpath::pipeline
