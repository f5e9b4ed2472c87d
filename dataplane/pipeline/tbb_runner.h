// Work on all cores whose results must come out in order: oneTBB behind two small classes, so that nothing
// else includes it. For captures that are read at leisure, never on the path of a live tick. Cold.
#pragma once

#include <memory>

namespace tickpath::pipeline {

/// One portion of work, large enough that handing it over costs nothing beside it.
struct WorkItem {
    WorkItem() = default;
    WorkItem(const WorkItem&) = delete;
    WorkItem& operator=(const WorkItem&) = delete;
    virtual ~WorkItem() = default;
};

class OrderedWork {
public:
    virtual ~OrderedWork() = default;

    /// The next portion, null at the end. One call at a time, in order.
    [[nodiscard]] virtual std::unique_ptr<WorkItem> read() = 0;
    /// Called by several threads at once, each with a portion of its own.
    virtual void work(WorkItem& item) = 0;
    /// One call at a time, in the order of read().
    virtual void finish(WorkItem& item) = 0;
};

/// Runs until read() gives null and everything is finished. At most `jobs` threads, the caller's among them;
/// a few portions per thread exist at a time. What a call throws ends the work and is thrown here.
void run_in_order(OrderedWork& work, unsigned jobs);

}  // namespace tickpath::pipeline
