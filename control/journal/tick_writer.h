// Drains tick rings into a CSV file. One cold thread; the cores that fill the rings never wait for the disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "control/journal/tick_csv.h"
#include "dataplane/model/rings.h"
#include "decoders/base/error.h"

namespace tickpath::journal {

/// Writes what its rings bring, ring by ring, each ring's ticks in their order. Ticks flagged `replayed` were
/// written when they were `stale` and are left out; so is `own_event`, which is no market data.
class TickWriter {
public:
    /// Makes the file anew with its header line. `io` when the system refuses (errno is set).
    /// The rings outlive the writer, which is their only consumer.
    [[nodiscard]] static Result<std::unique_ptr<TickWriter>> open(const std::string& path,
                                                                  std::vector<model::TickRing*> rings,
                                                                  TickNames names);
    /// Stops if that has not been done.
    ~TickWriter();
    TickWriter(const TickWriter&) = delete;
    TickWriter& operator=(const TickWriter&) = delete;

    /// Starts the thread that drains.
    void start();
    /// Call when no producer publishes any more: drains the rings to their end, writes out and joins. False
    /// when the file is incomplete because the system refused a write.
    [[nodiscard]] bool stop();

    /// Lines written so far, without the header; from any thread.
    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_.load(std::memory_order_relaxed); }

private:
    TickWriter(int descriptor, std::vector<model::TickRing*> rings, TickNames names);
    void run();
    /// Takes at most `drain_ticks_max` of each ring; false when all were empty.
    bool drain();
    void flush();

    int descriptor_;
    std::vector<model::TickRing*> rings_;
    TickNames names_;
    std::string buffer_;
    bool has_failed_ = false;  // of the draining thread; read after join
    std::atomic<std::uint64_t> lines_{0};
    std::atomic<bool> is_stopping_{false};
    std::thread thread_;
};

}  // namespace tickpath::journal
