// Memory that is there before the first packet, so that no worker waits for a page later. Cold.
#pragma once

#include <cstddef>

namespace tickpath::core {

/// How surely memory stays where it was put.
enum class Residency : unsigned char {
    locked,     ///< the kernel may not take it away again
    populated,  ///< RLIMIT_MEMLOCK forbids locking: there now, and there until memory runs short
    unknown,    ///< not even that: the kernel has no MADV_POPULATE (before 5.14)
};

/// Brings everything that is mapped now into memory, the process's code, data, heap and stacks, and locks it
/// where that is allowed. Call when all memory is taken and all threads run, and before the first packet.
///
/// Locking alone does not do: it leaves pages of mapped files write-protected, and where it is forbidden
/// nothing is there that was not touched: a rare branch's first run then waits for its page of code.
/// Reservations larger than the machine's memory stay as they are.
[[nodiscard]] Residency make_memory_resident() noexcept;

/// Locks what is mapped now. False when RLIMIT_MEMLOCK forbids it.
[[nodiscard]] bool lock_memory() noexcept;

/// Populates what is mapped now, without locking it; nothing in it changes. False when the kernel cannot.
[[nodiscard]] bool populate_memory() noexcept;

/// Touches `bytes` of the calling thread's stack below the present frame.
void prefault_stack(std::size_t bytes = 256 * 1024) noexcept;

}  // namespace tickpath::core
