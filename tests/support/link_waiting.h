// For tests of order links: text as bytes, the clock that links are polled by, and waiting for a kernel.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <thread>

namespace tickpath::test {

inline std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Monotonic, as the links' poll() wants it.
inline std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Calls `step` until it says yes; false after five seconds.
inline bool eventually(const std::function<bool()>& step) {
    const std::uint64_t end = now_ns() + 5'000'000'000;
    while (!step()) {
        if (now_ns() > end) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
}

}  // namespace tickpath::test
