// Keeps a session's numbers in a mapped file, so that they survive kill -9. Cold: open; hot: SessionNumbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataplane/core/session_numbers.h"

namespace tickpath::store {

/// Who the numbers belong to; part of the file's name and written inside it (spec/fix-session.md §2).
struct SessionIdentity {
    std::string begin_string = "FIX.4.4";
    std::string sender;
    std::string target;
};

/// The order counter of a session without a file: hundredths of a second since 1970, modulo 2^29, so that
/// half of the 2^30 order identifiers are ahead. A store that was removed thus does not repeat the
/// identifiers of the day before, not even in a replay: it would take more than 100 orders a second since the
/// old one was made, or 62 days to the centisecond.
[[nodiscard]] constexpr std::uint64_t first_order_counter(std::uint64_t utc_ns) noexcept {
    return utc_ns / 10'000'000 % (std::uint64_t{1} << 29);
}

/// One file per session, one process at a time. The mapping is shared and prefaulted: a number is in the file
/// when the setter returns, without a system call; only a power cut can lose it.
class SessionStore {
public:
    /// Opens or makes DIRECTORY/BEGIN-SENDER-TARGET.numbers, and the directory. `utc_ns` dates a new file.
    ///
    /// The name is locked besides the file, so that a second process is refused also after the folder of a
    /// living session was removed (within a network namespace: it is an abstract socket).
    ///
    /// nullptr when the file is used by another process, cannot be written, is damaged or belongs to another
    /// session; then `error_text` tells a person what to do. Never falls back to a fresh start: a session
    /// that silently restarts at 1 sends numbers its peer has seen (spec §6).
    [[nodiscard]] static std::unique_ptr<SessionStore> open(const std::string& directory,
                                                            const SessionIdentity& identity,
                                                            std::uint64_t utc_ns, std::string& error_text);
    ~SessionStore();
    SessionStore(const SessionStore&) = delete;
    SessionStore& operator=(const SessionStore&) = delete;

    [[nodiscard]] core::SessionNumbers& numbers() noexcept { return *numbers_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] bool is_new() const noexcept { return is_new_; }  ///< made by this open
    /// False when somebody has removed or replaced the file: nothing that is written now outlives the
    /// process.
    [[nodiscard]] bool is_there() const noexcept;

private:
    SessionStore() = default;
    [[nodiscard]] bool lock_name(std::string& error_text);
    [[nodiscard]] bool map(const std::string& identity, std::string& error_text);

    std::string path_;
    int name_lock_ = -1;
    int descriptor_ = -1;
    void* memory_ = nullptr;
    core::SessionNumbers* numbers_ = nullptr;
    bool is_new_ = false;
};

}  // namespace tickpath::store
