#include "dataplane/core/resident_memory.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace tickpath::core {
namespace {

constexpr std::size_t page_bytes = 4096;

/// One line of /proc/self/maps.
struct MappedRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::array<char, 5> access{};  ///< "rwxp", '-' for what is not allowed

    [[nodiscard]] bool is_readable() const noexcept { return access[0] == 'r'; }
    [[nodiscard]] bool is_writable() const noexcept { return access[1] == 'w'; }
};

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

std::size_t machine_bytes() noexcept {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? static_cast<std::size_t>(pages) * page_bytes : 0;
}

/// Ranges that another thread unmapped meanwhile, or that are a device's, fail with other errors than EINVAL
/// for an unknown advice would: they have no page to bring in.
bool populate(const MappedRange& range) noexcept {
    // A private page is copied by the write that comes first: that shall be now.
    const int advice = range.is_writable() ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses come from the kernel as text
    return ::madvise(reinterpret_cast<void*>(range.begin), range.end - range.begin, advice) == 0;
}

bool has_populate() noexcept {
    alignas(page_bytes) static std::array<std::byte, page_bytes> page{};
    return ::madvise(page.data(), page.size(), MADV_POPULATE_READ) == 0;
}

}  // namespace

bool lock_memory() noexcept {
    // Not MCL_FUTURE: under a small RLIMIT_MEMLOCK it succeeds and lets a later mmap of someone else fail.
    return ::mlockall(MCL_CURRENT) == 0;
}

bool populate_memory() noexcept {
    if (!has_populate()) return false;
    const std::unique_ptr<std::FILE, CloseFile> maps(std::fopen("/proc/self/maps", "re"));
    if (!maps) return false;
    const std::size_t most = machine_bytes();
    std::array<char, 512> line{};
    while (std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
        MappedRange range;
        if (std::sscanf(line.data(), "%lx-%lx %4s", &range.begin, &range.end, range.access.data()) != 3)
            continue;  // the rest of a long file name
        if (range.is_readable() && range.end - range.begin <= most) (void)populate(range);
    }
    return true;
}

Residency make_memory_resident() noexcept {
    const bool is_populated = populate_memory();
    if (lock_memory()) return Residency::locked;
    return is_populated ? Residency::populated : Residency::unknown;
}

void prefault_stack(std::size_t bytes) noexcept {
    for (std::size_t done = 0; done < bytes; done += page_bytes) {
        auto* const page = static_cast<volatile std::byte*>(__builtin_alloca(page_bytes));
        page[0] = std::byte{0};
    }
}

}  // namespace tickpath::core
