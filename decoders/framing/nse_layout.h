// Where the fields of NSE messages lie, as data: templates/feeds/nse/*.xml read into flat tables. Cold but
// for find and the loads, which run once per message and field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/bytes.h"
#include "decoders/base/diagnostics.h"
#include "decoders/framing/nse.h"

namespace tickpath::framing::nse {

enum class FieldType : std::uint8_t { u8, i16, u16, i32, u32, i64, u64, f64, text, bytes };

/// A value at its place in the message (prefix left out) or in the record it belongs to.
struct Field {
    std::string name;
    FieldType type = FieldType::i32;
    std::uint16_t offset = 0;
    std::uint16_t bytes = 4;

    /// An integer of any width; `base` is where the message (behind its prefix) or the record begins. 0 for
    /// f64, text and bytes.
    [[nodiscard]] std::int64_t integer(const std::byte* base) const noexcept;
};

/// Records that lie one behind the other.
struct Repeat {
    std::string name;
    std::uint16_t offset = 0;  ///< of the first one, in the message or in the record around it
    std::uint16_t stride = 0;
    std::uint16_t count_max = 0;
    std::optional<Field> count_field;  ///< of the message; without one there are always count_max
    std::vector<Field> fields;
    std::vector<Repeat> repeats;

    /// How many the message has: never below 0 or above count_max, whatever its field says.
    [[nodiscard]] std::uint32_t count(const std::byte* message) const noexcept {
        if (!count_field) return count_max;
        const std::int64_t count = count_field->integer(message);
        return count <= 0 ? 0 : count < count_max ? static_cast<std::uint32_t>(count) : count_max;
    }
    [[nodiscard]] const Field* find(std::string_view field) const noexcept;
    [[nodiscard]] const Repeat* find_repeat(std::string_view repeat) const noexcept;
};

/// One message of one market at one length: the same transcode has had several.
struct Layout {
    Segment segment = Segment::unknown;
    std::int16_t transcode = 0;
    std::int16_t length = 0;  ///< MessageLength
    bool has_header = true;   ///< else only the fields of `body` are there, header included
    Repeat body;              ///< the message itself: offset 0, once
    std::uint32_t line = 0;   ///< in its file, for messages
};

/// What every BCAST_HEADER holds, reserved parts left out.
[[nodiscard]] std::span<const Field> header_fields() noexcept;

class Layouts {
public:
    /// Null when nobody described a message of this length.
    [[nodiscard]] const Layout* find(Segment segment, std::int16_t transcode,
                                     std::int16_t length) const noexcept {
        const std::uint64_t key = key_of(segment, transcode, length);
        for (std::size_t at = home_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.index == no_layout) return nullptr;
            if (slot.key == key) return &all_[slot.index];
        }
    }
    /// Of a whole message, prefix included.
    [[nodiscard]] const Layout* find(Segment segment, HeaderView header) const noexcept {
        return find(segment, header.transcode(), header.message_length());
    }
    [[nodiscard]] std::span<const Layout> all() const noexcept { return all_; }
    [[nodiscard]] std::size_t index_of(const Layout& layout) const noexcept {
        return static_cast<std::size_t>(&layout - all_.data());
    }

    /// Adds the messages of a file. Those described before are replaced, so that a file of one's own goes
    /// before what comes with the program. Every problem is reported; false when there was one.
    bool add(std::string_view xml, std::string_view file_name, Diagnostics& diagnostics);

private:
    static constexpr std::uint32_t no_layout = 0xFFFF'FFFF;
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t index = no_layout;
    };
    static std::uint64_t key_of(Segment segment, std::int16_t transcode, std::int16_t length) noexcept {
        return std::uint64_t{static_cast<std::uint8_t>(segment)} << 32 |
               std::uint64_t{static_cast<std::uint16_t>(transcode)} << 16 |
               static_cast<std::uint16_t>(length);
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t key) const noexcept {
        return static_cast<std::size_t>(key * 0x9E37'79B9'7F4A'7C15u >> 32) & (slots_.size() - 1);
    }
    void index_all();

    std::vector<Layout> all_;
    std::vector<Slot> slots_ = std::vector<Slot>(2);  ///< open addressing, at most half full
};

/// The layouts that come with the program (templates/feeds/nse), then those of `file`, which go before them;
/// empty: none. nullopt when something is wrong.
[[nodiscard]] std::optional<Layouts> load_layouts(const std::string& file, Diagnostics& diagnostics);

}  // namespace tickpath::framing::nse
