// How undisturbed a polling thread is: its loops, their lengths, and what the kernel did to it. Hot, once per
// loop.
#pragma once

#include <cstdint>
#include <string_view>

#include "dataplane/core/counters.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"

namespace tickpath::pipeline {

/// Belongs to one thread. Loops that did work are measured; an idle loop may sleep on purpose. A worker that
/// spins never does, so from one of its polls to the next is measured, too: that shows when it was put off
/// its CPU while nothing came.
class WorkerHealth {
public:
    /// `idle` is what the worker does after an empty poll: the kernel counts a sched_yield that lets another
    /// thread run as an involuntary switch, so a worker that yields cannot tell its own from the kernel's and
    /// counts them under another name. Its long loops tell when it was put off its CPU.
    WorkerHealth(core::CounterPage& page, std::string_view owner, core::CycleClock clock,
                 core::IdlePolicy idle)
        : clock_(clock),
          long_loop_cycles_(clock.to_cycles(long_loop_ns)),
          loops_(page.add(owner, "loops")),
          longest_loop_ns_(page.add(owner, "longest_loop_ns")),
          longest_gap_ns_(page.add(owner, "longest_gap_ns")),
          loops_over_10us_(page.add(owner, "loops_over_10us")),
          minor_faults_(page.add(owner, "minor_faults")),
          switches_(page.add(
              owner, idle == core::IdlePolicy::yield ? "switches_with_yields" : "involuntary_switches")) {}

    /// On the worker's own thread, when all memory is taken and before the first packet.
    void start() noexcept {
        at_start_ = core::thread_faults();
        last_poll_cycles_ = core::cycles_now();
    }

    /// Each poll of a worker that spins.
    void poll_began(std::uint64_t now_cycles) noexcept {
        const std::uint64_t gap_cycles = now_cycles - last_poll_cycles_;
        last_poll_cycles_ = now_cycles;
        if (gap_cycles > longest_gap_cycles_) [[unlikely]]
            note_longest_gap(gap_cycles);
    }

    void loop_done(std::uint64_t began_cycles) noexcept {
        const std::uint64_t took = core::cycles_now() - began_cycles;
        loops_.add();
        if (took > longest_cycles_) [[unlikely]]
            note_longest(took);
        if (took > long_loop_cycles_) [[unlikely]]
            loops_over_10us_.add();
    }

    /// On the worker's own thread, outside the hot path: one system call.
    void note_faults() noexcept {
        const core::ThreadFaults since = core::thread_faults() - at_start_;
        minor_faults_.set(since.minor_faults);
        switches_.set(since.involuntary_switches);
    }

private:
    static constexpr std::uint64_t long_loop_ns = 10'000;

    [[gnu::cold, gnu::noinline]] void note_longest(std::uint64_t took) noexcept {
        longest_cycles_ = took;
        longest_loop_ns_.set(clock_.to_ns(took));
    }

    [[gnu::cold, gnu::noinline]] void note_longest_gap(std::uint64_t gap_cycles) noexcept {
        longest_gap_cycles_ = gap_cycles;
        longest_gap_ns_.set(clock_.to_ns(gap_cycles));
    }

    core::CycleClock clock_;
    std::uint64_t long_loop_cycles_;
    std::uint64_t last_poll_cycles_ = 0;
    std::uint64_t longest_gap_cycles_ = 0;
    std::uint64_t longest_cycles_ = 0;
    core::ThreadFaults at_start_;
    core::Counter loops_;
    core::Counter longest_loop_ns_;
    core::Counter longest_gap_ns_;
    core::Counter loops_over_10us_;
    core::Counter minor_faults_;
    core::Counter switches_;
};

}  // namespace tickpath::pipeline
