// What a message has changed in the dictionaries, so that a message whose end has not arrived yet can be
// taken back (spec/fast.md §13.3). Only streams keep one.
//
// PERF: of each entry two bits are copied per message, one word for 64 entries; a value is copied only when
// the message overwrites it. The dictionary itself is never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickpath::fast {

struct Runtime;

class UndoLog {
public:
    /// Takes all memory it will ever need.
    explicit UndoLog(const Runtime& runtime);

    /// Before a message.
    void begin(const Runtime& runtime) noexcept;

    /// Before an entry's value or type is written.
    [[gnu::always_inline]] void note(const Runtime& runtime, unsigned entry) noexcept {
        const std::uint64_t bit = std::uint64_t{1} << (entry & 63);
        if ((unsaved_[entry / 64] & bit) == 0) return;  // undefined before the message, or saved already
        unsaved_[entry / 64] &= ~bit;
        save(runtime, entry);
    }

    /// Everything as it was at begin().
    void undo(Runtime& runtime) const noexcept;

private:
    struct Saved {
        std::uint64_t value;
        std::uint64_t exponent;
        std::uint16_t entry;
        std::uint8_t type;
    };

    void save(const Runtime& runtime, unsigned entry) noexcept;

    std::vector<std::uint64_t> assigned_;
    std::vector<std::uint64_t> empty_;
    std::vector<std::uint64_t> unsaved_;  ///< assigned at begin() and not overwritten yet
    std::vector<Saved> saved_;
    std::size_t saved_count_ = 0;
    bool has_template_id_ = false;
    std::uint32_t template_id_ = 0;
    std::uint32_t template_index_ = 0;
};

}  // namespace tickpath::fast
