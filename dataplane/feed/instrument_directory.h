// From an instrument's name on the feed to its small number. Known instruments come from the instrument file,
// others are learned into a bounded table. Hot: once per entry; allocates only in the constructor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/model/instrument.h"
#include "decoders/framing/description.h"

namespace tickpath::feed {

/// A key as text, built without allocation: several fields are joined by '|'.
class InstrumentKey {
public:
    /// One less than Instrument::feed_key, which ends in a zero.
    static constexpr std::size_t chars_max = sizeof(model::Instrument::feed_key) - 1;

    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }
    [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }

    void append(char c) noexcept {
        if (size_ == chars_max) [[unlikely]] {
            is_too_long_ = true;
            return;
        }
        text_[size_++] = c;
    }
    void append_number(std::uint64_t number) noexcept;

private:
    std::array<char, chars_max> text_;
    std::size_t size_ = 0;
    bool is_too_long_ = false;
};

class InstrumentDirectory {
public:
    InstrumentDirectory(const InstrumentTable& table, core::CounterPage& page, std::string_view owner);

    /// The instrument of this key; a new one is learned with `scale`. no_instrument when the learned table is
    /// full, which is counted each time.
    [[nodiscard]] model::InstrumentId find(std::string_view key, framing::LearnedScale scale) noexcept {
        for (std::size_t at = home_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            const model::InstrumentId id = slots_[at];
            if (id == model::no_instrument) [[unlikely]]
                return learn(at, key, scale);
            if (table_.all[id].key() == key) [[likely]]
                return id;
        }
    }

    /// The same without learning: no_instrument for a key that was never met.
    [[nodiscard]] model::InstrumentId find_known(std::string_view key) const noexcept {
        for (std::size_t at = home_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            const model::InstrumentId id = slots_[at];
            if (id == model::no_instrument || table_.all[id].key() == key) return id;
        }
    }

    /// The same for keys that are one number: remembers the text's answer by the number.
    [[nodiscard]] model::InstrumentId find(std::uint64_t key, framing::LearnedScale scale) noexcept {
        Numbered& cached = numbered_[key * multiplier >> (64 - numbered_bits)];
        if (cached.number == key && cached.id != model::no_instrument) [[likely]]
            return cached.id;
        InstrumentKey text;
        text.append_number(key);
        const model::InstrumentId id = find(text.text(), scale);
        cached = {key, id};
        return id;
    }

    [[nodiscard]] const model::Instrument& instrument(model::InstrumentId id) const noexcept {
        return table_.all[id];
    }
    [[nodiscard]] std::size_t size() const noexcept { return table_.all.size(); }

private:
    struct Numbered {
        std::uint64_t number = 0;
        model::InstrumentId id = model::no_instrument;
    };
    static constexpr unsigned numbered_bits = 10;
    static constexpr std::uint64_t multiplier = 0x9E37'79B9'7F4A'7C15u;

    [[nodiscard]] std::size_t home_of(std::string_view key) const noexcept {
        std::uint64_t hash = key.size();
        while (key.size() >= sizeof hash) {  // at most 31 characters
            std::uint64_t word;
            std::memcpy(&word, key.data(), sizeof word);
            hash = (hash ^ word) * multiplier;
            hash ^= hash >> 29;
            key.remove_prefix(sizeof word);
        }
        std::uint64_t rest = 0;
        if (!key.empty()) std::memcpy(&rest, key.data(), key.size());
        return static_cast<std::size_t>((hash ^ rest) * multiplier >> shift_);
    }

    [[gnu::cold, gnu::noinline]] model::InstrumentId learn(std::size_t slot, std::string_view key,
                                                           framing::LearnedScale scale) noexcept;

    InstrumentTable table_;
    std::uint32_t learned_count_ = 0;
    std::vector<model::InstrumentId> slots_;  ///< open addressing, at most half full
    unsigned shift_ = 63;
    std::array<Numbered, std::size_t{1} << numbered_bits> numbered_{};
    core::Counter learned_;
    core::Counter not_learned_;
};

}  // namespace tickpath::feed
