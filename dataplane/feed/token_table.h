// From an NSE token to an instrument: one probe, no text. Hot: once per record. Takes its memory in the
// constructor.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/instrument_directory.h"
#include "dataplane/model/instrument.h"
#include "decoders/framing/nse.h"

namespace tickpath::feed {

/// "fo", "cm", "cd": what an instrument's key begins with, for two markets use the same token numbers.
[[nodiscard]] constexpr std::string_view nse_key_prefix(framing::nse::Segment segment) noexcept {
    switch (segment) {
        case framing::nse::Segment::fo:
            return "fo|";
        case framing::nse::Segment::cm:
            return "cm|";
        case framing::nse::Segment::cd:
            return "cd|";
        case framing::nse::Segment::unknown:
            break;
    }
    return "nse|";
}

class TokenTable {
public:
    /// Enters the known instruments of the segment (keys like "fo|53673"), in a table with room for all that
    /// may be learned.
    TokenTable(const InstrumentTable& instruments, framing::nse::Segment segment)
        : prefix_(nse_key_prefix(segment)),
          slots_(std::bit_ceil(2 * (std::size_t{instruments.known_count} + instruments.learned_max) + 2)),
          shift_(64u - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
        for (model::InstrumentId id = 0; id < instruments.known_count; ++id) {
            std::string_view key = instruments.all[id].key();
            if (!key.starts_with(prefix_)) continue;
            key.remove_prefix(prefix_.size());
            std::uint32_t token = 0;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token);
            if (error == std::errc{} && end == key.data() + key.size()) insert(token, id);
        }
    }

    /// no_instrument for a token that was never entered.
    [[nodiscard]] model::InstrumentId find(std::uint32_t token) const noexcept {
        for (std::size_t at = home_of(token);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot slot = slots_[at];
            if (slot.id == model::no_instrument || slot.token == token) return slot.id;
        }
    }

    /// Also learns it, with `scale`; no_instrument when the table of learned instruments is full.
    [[gnu::cold, gnu::noinline]] model::InstrumentId learn(std::uint32_t token,
                                                           InstrumentDirectory& directory,
                                                           framing::LearnedScale scale) noexcept {
        InstrumentKey key;
        for (const char c : prefix_)
            key.append(c);
        key.append_number(token);
        const model::InstrumentId id = directory.find(key.text(), scale);
        if (id != model::no_instrument) insert(token, id);
        return id;
    }

private:
    struct Slot {
        std::uint32_t token = 0;
        model::InstrumentId id = model::no_instrument;
    };

    [[nodiscard]] std::size_t home_of(std::uint32_t token) const noexcept {
        return static_cast<std::size_t>(token * 0x9E37'79B9'7F4A'7C15u >> shift_);
    }
    void insert(std::uint32_t token, model::InstrumentId id) noexcept {
        std::size_t at = home_of(token);
        while (slots_[at].id != model::no_instrument)
            at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {token, id};
    }

    std::string_view prefix_;
    std::vector<Slot> slots_;  ///< open addressing, at most half full: every instrument once
    unsigned shift_;
};

}  // namespace tickpath::feed
