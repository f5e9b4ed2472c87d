#include "dataplane/core/counters.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/core/cache_line.h"

namespace tickpath::core {
namespace {

constexpr std::string_view magic = "TICKCNT1";
constexpr std::uint32_t version = 1;
constexpr std::size_t cells_per_line = cache_line_bytes / sizeof(std::uint64_t);

struct Header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t capacity;
    std::uint32_t used;
    char reserved[44];
};
static_assert(sizeof(Header) == 64);

struct Entry {
    char name[112];
    std::uint64_t cell;
    std::uint64_t reserved;
};
static_assert(sizeof(Entry) == 128);

// Each owner may leave up to one line of padding behind; eight cells an entry is the worst case.
constexpr std::size_t bytes_for(std::size_t capacity) {
    return sizeof(Header) + capacity * (sizeof(Entry) + cache_line_bytes);
}

std::string_view name_of(const Entry& entry) {
    return {entry.name, ::strnlen(entry.name, sizeof entry.name)};
}

// Locks the file, sees that it is empty or an old page, and gives it its size.
Errc take(int fd, std::size_t bytes) {
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return Errc::io;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return Errc::io;
    char start[magic.size()] = {};
    if (info.st_size != 0 && (::pread(fd, start, sizeof start, 0) != static_cast<ssize_t>(sizeof start) ||
                              std::string_view(start, sizeof start) != magic))
        return Errc::bad_syntax;
    // Blocks are taken now: on a disk that fills up later a store into the mapping would be SIGBUS.
    if (const int cause = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes)); cause != 0) {
        errno = cause;  // it does not do so itself
        return Errc::io;
    }
    return ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? Errc::ok : Errc::io;
}

std::atomic<std::uint64_t> unread_cell{0};

}  // namespace

struct CounterPage::Layout {
    Header* header;
    Entry* entries;
    std::atomic<std::uint64_t>* cells;
};

Counter::Counter() noexcept : cell_(&unread_cell) {}

CounterPage CounterPage::anonymous(std::size_t capacity) {
    const std::size_t bytes = bytes_for(capacity);
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) std::terminate();  // start-up without 200 KiB of memory cannot go on
    CounterPage page(memory, bytes);
    *page.layout().header = {.magic = {},
                             .version = version,
                             .capacity = static_cast<std::uint32_t>(capacity),
                             .used = 0,
                             .reserved = {}};
    std::memcpy(page.layout().header->magic, magic.data(), magic.size());
    return page;
}

Result<CounterPage> CounterPage::file(const std::string& path, std::size_t capacity) {
    const std::size_t bytes = bytes_for(capacity);
    // Not O_TRUNC: whoever has the file mapped would die of SIGBUS.
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return Errc::io;
    const Errc refusal = take(fd, bytes);
    void* memory = refusal == Errc::ok
                       ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0)
                       : MAP_FAILED;
    if (memory == MAP_FAILED) {
        const int cause = errno;
        ::close(fd);
        errno = cause;
        return refusal == Errc::ok ? Errc::io : refusal;
    }
    std::memset(memory, 0, bytes);
    CounterPage page(memory, bytes, fd);
    Header& header = *page.layout().header;
    std::memcpy(header.magic, magic.data(), magic.size());
    header.version = version;
    header.capacity = static_cast<std::uint32_t>(capacity);
    return page;
}

Result<CounterPage> CounterPage::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return Errc::io;
    struct stat info {};
    const bool known = ::fstat(fd, &info) == 0 && static_cast<std::size_t>(info.st_size) >= sizeof(Header);
    const auto bytes = static_cast<std::size_t>(known ? info.st_size : 0);
    void* memory = known ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    ::close(fd);
    if (memory == MAP_FAILED) return Errc::io;
    CounterPage page(memory, bytes);
    if (!page.is_sound()) return Errc::bad_syntax;
    return page;
}

// What another process wrote may be anything: no index in it may lead out of the mapping.
bool CounterPage::is_sound() const noexcept {
    const auto& header = *static_cast<const Header*>(memory_);
    if (std::string_view(header.magic, magic.size()) != magic || header.version != version ||
        header.used > header.capacity || bytes_ != bytes_for(header.capacity))
        return false;
    const Layout at = layout();
    return std::all_of(at.entries, at.entries + header.used,
                       [&](const Entry& entry) { return entry.cell < header.capacity * cells_per_line; });
}

CounterPage::CounterPage(CounterPage&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      next_cell_(other.next_cell_),
      last_owner_(std::move(other.last_owner_)) {}

CounterPage& CounterPage::operator=(CounterPage&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(next_cell_, other.next_cell_);
    std::swap(last_owner_, other.last_owner_);
    return *this;
}

CounterPage::~CounterPage() {
    if (memory_ != nullptr) ::munmap(memory_, bytes_);
    if (descriptor_ >= 0) ::close(descriptor_);  // lets the lock go
}

CounterPage::Layout CounterPage::layout() const noexcept {
    auto* bytes = static_cast<char*>(memory_);
    auto* header = reinterpret_cast<Header*>(bytes);
    auto* entries = reinterpret_cast<Entry*>(bytes + sizeof(Header));
    auto* cells =
        reinterpret_cast<std::atomic<std::uint64_t>*>(bytes + bytes_ - header->capacity * cache_line_bytes);
    return {header, entries, cells};
}

Counter CounterPage::add(std::string_view owner, std::string_view name) {
    const Layout at = layout();
    std::string full = std::string(owner) + '.' + std::string(name);
    full.resize(std::min(full.size(), sizeof(Entry::name) - 1));
    for (std::size_t i = 0; i < at.header->used; ++i)
        if (name_of(at.entries[i]) == full) return Counter(at.cells[at.entries[i].cell]);
    if (owner != last_owner_)
        next_cell_ = (next_cell_ + cells_per_line - 1) / cells_per_line * cells_per_line;
    last_owner_ = owner;
    if (at.header->used == at.header->capacity)
        return Counter(at.cells[at.entries[at.header->capacity - 1].cell]);
    if (at.header->used == at.header->capacity - 1) full = "counters.overflow";
    Entry& entry = at.entries[at.header->used++];
    std::memcpy(entry.name, full.data(), full.size());
    entry.cell = next_cell_++;
    return Counter(at.cells[entry.cell]);
}

std::size_t CounterPage::size() const noexcept {
    return layout().header->used;
}

std::string_view CounterPage::name(std::size_t index) const noexcept {
    return name_of(layout().entries[index]);
}

std::uint64_t CounterPage::value(std::size_t index) const noexcept {
    const Layout at = layout();
    return at.cells[at.entries[index].cell].load(std::memory_order_relaxed);
}

std::uint64_t CounterPage::value(std::string_view full_name) const noexcept {
    for (std::size_t i = 0; i < size(); ++i)
        if (name(i) == full_name) return value(i);
    return 0;
}

std::uint64_t CounterPage::sum(std::string_view suffix) const noexcept {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        const std::string_view full = name(i);
        if (full.size() > suffix.size() && full.ends_with(suffix) &&
            full[full.size() - suffix.size() - 1] == '.')
            total += value(i);
    }
    return total;
}

}  // namespace tickpath::core
