#include "dataplane/core/resident_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/core/cpu.h"

namespace tickpath::core {
namespace {

constexpr std::size_t page_count = 64;
constexpr std::size_t page_bytes = 4096;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // then mlockall does nothing, and shadow memory faults, too
#else
constexpr bool is_sanitized = false;
#endif

// In a thread of its own: faults are counted per thread.
template <class Body>
void in_thread(Body body) {
    std::thread(body).join();
}

class Mapping {
public:
    Mapping(int flags, int file)
        : memory_(::mmap(nullptr, page_count * page_bytes, PROT_READ | PROT_WRITE, flags, file, 0)) {
        ::madvise(memory_, page_count * page_bytes, MADV_NOHUGEPAGE);  // one fault per page
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { ::munmap(memory_, page_count * page_bytes); }

    [[nodiscard]] std::byte& page(std::size_t index) const noexcept {
        return static_cast<std::byte*>(memory_)[index * page_bytes];
    }
    [[nodiscard]] std::uint64_t faults_of_writing() const noexcept {
        const ThreadFaults before = thread_faults();
        for (std::size_t index = 0; index < page_count; ++index)
            page(index) = std::byte{1};
        return (thread_faults() - before).minor_faults;
    }

private:
    void* memory_;
};

TEST(ResidentMemory, PopulatesWhatNobodyTouchedAndKeepsItsContent) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer's shadow memory faults";
    in_thread([] {
        const Mapping mapping(MAP_PRIVATE | MAP_ANONYMOUS, -1);
        mapping.page(3) = std::byte{7};
        ASSERT_TRUE(populate_memory());
        EXPECT_EQ(mapping.page(3), std::byte{7});
        EXPECT_EQ(mapping.faults_of_writing(), 0u);
    });
}

TEST(ResidentMemory, LeavesMappedFilesWritable) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer's shadow memory faults";
    std::string name = "/tmp/tickpath-resident-XXXXXX";
    const int file = ::mkstemp(name.data());
    ASSERT_GE(file, 0);
    ::unlink(name.c_str());
    ASSERT_EQ(::ftruncate(file, page_count * page_bytes), 0);
    in_thread([&] {
        const Mapping mapping(MAP_SHARED, file);
        (void)make_memory_resident();
        EXPECT_EQ(mapping.faults_of_writing(), 0u);
    });
    ::close(file);
    ::munlockall();
}

TEST(ResidentMemory, SkipsReservationsAndForbiddenRanges) {
    constexpr std::size_t reserved_bytes = std::size_t{1} << 44;
    void* const reserved = ::mmap(nullptr, reserved_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* const forbidden = ::mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(forbidden, MAP_FAILED);
    EXPECT_TRUE(populate_memory()) << "16 TiB are more than any machine has";
    if (reserved != MAP_FAILED) ::munmap(reserved, reserved_bytes);
    ::munmap(forbidden, page_bytes);
}

TEST(ResidentMemory, LocksOrSaysThatItMayNot) {
    if (is_sanitized) GTEST_SKIP() << "skipped: sanitizers make mlockall do nothing";
    std::ifstream status("/proc/self/status");
    const Residency residency = make_memory_resident();
    std::uint64_t locked_kib = 0;
    for (std::string word; status >> word;)
        if (word == "VmLck:") status >> locked_kib;
    EXPECT_EQ(residency, locked_kib > 0 ? Residency::locked : Residency::populated);
    ::munlockall();
}

TEST(ResidentMemory, TouchesTheStackBelow) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer's shadow memory faults";
    in_thread([] {
        prefault_stack();
        const ThreadFaults before = thread_faults();
        volatile std::byte far_below[128 * 1024];
        for (std::size_t at = 0; at < sizeof far_below; at += page_bytes)
            far_below[at] = std::byte{1};
        EXPECT_EQ((thread_faults() - before).minor_faults, 0u);
    });
}

}  // namespace
}  // namespace tickpath::core
