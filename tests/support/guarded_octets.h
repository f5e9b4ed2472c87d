// Bytes that end right before a page nobody may touch: reading or writing one too far is a crash, not a
// guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <sys/mman.h>
#include <unistd.h>

namespace tickpath::test {

class GuardedOctets {
public:
    explicit GuardedOctets(std::size_t bytes_max) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        usable_ = (bytes_max + page) / page * page;
        mapped_ = usable_ + page;
        void* const at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<std::uint8_t*>(at);
        mprotect(begin_ + usable_, page, PROT_NONE);
    }
    ~GuardedOctets() { munmap(begin_, mapped_); }
    GuardedOctets(const GuardedOctets&) = delete;
    GuardedOctets& operator=(const GuardedOctets&) = delete;

    /// The last `bytes` bytes before the guard.
    [[nodiscard]] std::span<std::uint8_t> last(std::size_t bytes) const {
        return {begin_ + usable_ - bytes, bytes};
    }
    [[nodiscard]] std::span<std::uint8_t> copy(std::span<const std::uint8_t> bytes) const {
        const std::span<std::uint8_t> to = last(bytes.size());
        if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
        return to;
    }

private:
    std::uint8_t* begin_ = nullptr;
    std::size_t usable_ = 0;
    std::size_t mapped_ = 0;
};

}  // namespace tickpath::test
