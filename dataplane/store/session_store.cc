#include "dataplane/store/session_store.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace tickpath::store {
namespace {

constexpr std::size_t file_bytes = 4096;
constexpr std::array<char, 8> file_magic = {'T', 'I', 'C', 'K', 'S', 'E', 'S', '1'};
constexpr std::uint32_t file_version = 1;
constexpr std::size_t identity_bytes_max = 512;

/// The file, one page. Numbers start on a cache line of their own.
struct FilePage {
    std::array<char, 8> magic = file_magic;
    std::uint32_t version = file_version;
    std::uint32_t reserved = 0;
    std::array<char, identity_bytes_max> identity{};
    alignas(64) core::SessionNumbers numbers;
};
static_assert(sizeof(FilePage) <= file_bytes);

[[nodiscard]] std::string identity_text(const SessionIdentity& identity) {
    return identity.begin_string + '|' + identity.sender + '|' + identity.target;
}

/// CompIDs may hold any character; a file name may not, and two sessions must never share a file.
[[nodiscard]] std::string as_file_name(std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string name;
    for (const char c : text) {
        const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                              c == '.' || c == '_';
        if (is_plain) {
            name += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        name += {'%', hex[byte >> 4], hex[byte & 0xFu]};
    }
    return name;
}

[[nodiscard]] std::string system_text(const std::string& path, std::string_view what) {
    return path + ": " + std::string(what) + ": " + std::strerror(errno);
}

[[nodiscard]] std::string in_use_text(const std::string& path) {
    return path + ": is in use: this session already runs in another process; stop that one first";
}

/// Names the file in the abstract socket namespace, short enough for sockaddr_un whatever the path: FNV-1a.
[[nodiscard]] std::string lock_name_of(const std::string& path) {
    std::error_code failure;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(path, failure);
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325u;
    for (const char c : failure ? path : whole.string())
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3u;
    return "tickpath-session-store-" + std::to_string(hash);
}

/// Writes a whole fresh file aside and gives it its name in one step: killed at any point, the name is either
/// absent or a complete file. True also when another process was faster.
[[nodiscard]] bool make_file(const std::string& path, const std::string& identity, std::uint64_t utc_ns,
                             bool& is_new, std::string& error_text) {
    const std::string aside = path + ".new." + std::to_string(::getpid());
    alignas(64) std::array<char, file_bytes> bytes{};
    auto* const page = new (bytes.data()) FilePage;
    identity.copy(page->identity.data(), identity_bytes_max - 1);
    page->numbers.start(utc_ns, first_order_counter(utc_ns));

    const int descriptor = ::open(aside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        error_text = system_text(aside, "cannot be made");
        return false;
    }
    // Every byte is written: blocks are taken now, so that a disk that fills up later cannot fail a mapped
    // store.
    const bool is_written =
        ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
        ::fsync(descriptor) == 0;
    if (!is_written) error_text = system_text(aside, "cannot be written");
    ::close(descriptor);
    if (is_written) {
        is_new = ::link(aside.c_str(), path.c_str()) == 0;
        if (!is_new && errno != EEXIST) error_text = system_text(path, "cannot be made");
    }
    ::unlink(aside.c_str());
    return error_text.empty();
}

/// What is wrong with an existing file; nullopt when nothing is.
[[nodiscard]] std::optional<std::string> damage_of(const FilePage& page, const std::string& identity) {
    if (page.magic != file_magic) return "it does not start with TICKSES1";
    if (page.version != file_version)
        return "its version is " + std::to_string(page.version) + ", this program knows " +
               std::to_string(file_version);
    if (page.identity.back() != '\0' || identity != page.identity.data())
        return "it belongs to another session";
    if (!page.numbers.is_intact()) return "its numbers fail their check";
    if (page.numbers.is_used_up())
        return "its numbers (next outbound " + std::to_string(page.numbers.next_outbound()) +
               ", next inbound " + std::to_string(page.numbers.next_inbound()) + ") are beyond " +
               std::to_string(core::SessionNumbers::start_max) + " and cannot go on";
    return std::nullopt;
}

}  // namespace

std::unique_ptr<SessionStore> SessionStore::open(const std::string& directory,
                                                 const SessionIdentity& identity, std::uint64_t utc_ns,
                                                 std::string& error_text) {
    error_text.clear();
    const std::string whole_identity = identity_text(identity);
    if (whole_identity.size() >= identity_bytes_max) {
        error_text = "the session's CompIDs are too long for a store (" +
                     std::to_string(whole_identity.size()) + " characters, at most " +
                     std::to_string(identity_bytes_max - 1) + ")";
        return nullptr;
    }
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure) {
        error_text = directory + ": the store's directory cannot be made: " + failure.message();
        return nullptr;
    }

    std::unique_ptr<SessionStore> store(new SessionStore);
    store->path_ = directory + '/' + as_file_name(identity.begin_string) + '-' +
                   as_file_name(identity.sender) + '-' + as_file_name(identity.target) + ".numbers";
    const std::string& path = store->path_;
    if (!store->lock_name(error_text)) return nullptr;
    store->descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (store->descriptor_ < 0 && errno == ENOENT) {
        if (!make_file(path, whole_identity, utc_ns, store->is_new_, error_text)) return nullptr;
        store->descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    }
    if (store->descriptor_ < 0) {
        error_text = system_text(path, "cannot be opened for writing");
        return nullptr;
    }
    if (!store->map(whole_identity, error_text)) return nullptr;
    return store;
}

// An abstract name is not in any folder, so nobody removes it, and the kernel takes it back with the process.
bool SessionStore::lock_name(std::string& error_text) {
    const std::string name = lock_name_of(path_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    const auto address_bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    name_lock_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (name_lock_ >= 0 &&
        ::bind(name_lock_, reinterpret_cast<const sockaddr*>(&address), address_bytes) == 0)
        return true;
    error_text = errno == EADDRINUSE ? in_use_text(path_) : system_text(path_, "its name cannot be locked");
    return false;
}

bool SessionStore::is_there() const noexcept {
    struct stat ours {};
    struct stat named {};
    return ::fstat(descriptor_, &ours) == 0 && ::stat(path_.c_str(), &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

bool SessionStore::map(const std::string& identity, std::string& error_text) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        error_text = errno == EWOULDBLOCK ? in_use_text(path_) : system_text(path_, "cannot be locked");
        return false;
    }
    const std::string advice =
        "; restore the file, or remove it after you have agreed with the counterparty to start again at 1";
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || status.st_size != static_cast<off_t>(file_bytes)) {
        error_text = path_ + ": is damaged: it has " + std::to_string(status.st_size) + " bytes instead of " +
                     std::to_string(file_bytes) + advice;
        return false;
    }
    memory_ = ::mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_, 0);
    if (memory_ == MAP_FAILED) {
        memory_ = nullptr;
        error_text = system_text(path_, "cannot be mapped");
        return false;
    }
    auto* const page = static_cast<FilePage*>(memory_);
    if (const auto damage = damage_of(*page, identity)) {
        error_text = path_ + ": is damaged: " + *damage + advice;
        return false;
    }
    numbers_ = &page->numbers;
    numbers_->set_next_outbound(
        numbers_->next_outbound());  // the first write faults: now, not with the first order
    return true;
}

SessionStore::~SessionStore() {
    if (memory_ != nullptr) ::munmap(memory_, file_bytes);
    if (descriptor_ >= 0) ::close(descriptor_);  // lets the lock go
    if (name_lock_ >= 0) ::close(name_lock_);
}

}  // namespace tickpath::store
