// The layouts of an NSE feed as the normaliser reads them: what kind of news a message is, and where in it
// the few fields stand that ticks are made of. Made at start, then only read by any number of paths.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "decoders/base/bytes.h"
#include "decoders/base/diagnostics.h"
#include "decoders/framing/description.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::feed {

/// A number at its place in a record. A field that the layout does not have reads 0.
struct NseNumber {
    enum class Width : std::uint8_t { none, u8, i16, i32, u32, i64 };

    std::uint16_t offset = 0;
    Width width = Width::none;

    [[nodiscard]] bool exists() const noexcept { return width != Width::none; }
    [[nodiscard, gnu::always_inline]] std::int64_t load(const std::byte* record) const noexcept {
        const std::byte* const at = record + offset;
        if (width == Width::i32) [[likely]]
            return static_cast<std::int32_t>(load_big<std::uint32_t>(at));
        if (width == Width::i64) return static_cast<std::int64_t>(load_big<std::uint64_t>(at));
        if (width == Width::u32) return load_big<std::uint32_t>(at);
        if (width == Width::i16) return static_cast<std::int16_t>(load_big<std::uint16_t>(at));
        return width == Width::u8 ? std::to_integer<std::uint8_t>(*at) : 0;
    }
};

/// Levels a side that a book can have; a layout with more is cut.
inline constexpr std::uint16_t nse_levels_max = 20;

/// The levels of one side of a book, best first.
struct NseLevels {
    std::uint16_t offset = 0;  ///< in the record
    std::uint16_t stride = 0;
    std::uint16_t count = 0;
    NseNumber quantity, price;
    bool is_narrow = false;  ///< both are i32
};

enum class NseNews : std::uint8_t {
    none,       ///< nothing that ticks say: counted
    book,       ///< records with a token and both sides
    ticker,     ///< records with a token and a last fill, open interest, or both
    index,      ///< records with a name and a value
    session,    ///< the market opened, closed, …: the transcode says which
    heartbeat,  ///< circuit check
};

/// What of one layout ticks are made of. Offsets of records count from the 8-byte prefix on.
struct NseMessagePlan {
    NseNews news = NseNews::none;
    bool has_header = true;   ///< BCAST_HEADER: number and time of the message; else neither is known
    bool has_tokens = false;  ///< `token` is there in each record: an interest filter can work
    std::uint16_t records_offset = 0, record_bytes = 0, records_max = 0;
    NseNumber count;  ///< of the whole message, offset likewise; none: always records_max
    NseNumber token, book_type, trading_status;
    NseNumber volume, volume_exceeded, last_price, last_time;
    std::array<NseLevels, 2> sides;  ///< bids, asks
    NseNumber market_type, fill_price, open_interest;
    NseNumber index_value;
    std::uint16_t index_name_offset = 0, index_name_bytes = 0;

    /// The message says that it has fewer records than none, or more than there is room for.
    [[nodiscard]] bool has_bad_count(const std::byte* message) const noexcept {
        if (!count.exists()) return false;
        const std::int64_t said = count.load(message);
        return said < 0 || said > records_max;
    }
    /// Records that the message says it has, never more than there is room for.
    [[nodiscard]] std::uint32_t count_of(const std::byte* message) const noexcept {
        if (!count.exists()) return records_max;
        const std::int64_t said = count.load(message);
        return said <= 0 ? 0 : said < records_max ? static_cast<std::uint32_t>(said) : records_max;
    }
};

class CompiledNse {
public:
    [[nodiscard]] const framing::FeedDescription& description() const noexcept { return description_; }
    [[nodiscard]] const framing::nse::Layouts& layouts() const noexcept { return layouts_; }
    /// Of layouts().all()[index].
    [[nodiscard]] const NseMessagePlan& plan(std::size_t index) const noexcept { return plans_[index]; }

private:
    friend std::shared_ptr<const CompiledNse> compile_nse(const framing::FeedDescription&,
                                                          framing::nse::Layouts, Diagnostics&);
    framing::FeedDescription description_;
    framing::nse::Layouts layouts_;
    std::vector<NseMessagePlan> plans_;
};

/// What a layout's names say of it: `Records` with `Token`, `Bids`, `Asks` make a book, and so on, so that a
/// new transcode is a layout file and no code. Null when no layout of the feed's segment makes a book.
[[nodiscard]] std::shared_ptr<const CompiledNse> compile_nse(const framing::FeedDescription& description,
                                                             framing::nse::Layouts layouts,
                                                             Diagnostics& diagnostics);

}  // namespace tickpath::feed
