// What the integers of a FAST 1.2 field mean to a person. On the wire and in rows such a field is a plain
// integer of its FieldType; this says which names its values have, or which time they count. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickpath::fast {

enum class PresentationKind : std::uint8_t {
    plain,       ///< the number itself
    enumerated,  ///< <enum>: a uInt32 that names one element
    boolean,     ///< <boolean>: an enum of false and true
    set,         ///< <set>: a uInt64 with a bit per element
    timestamp,   ///< <timestamp>: an int64 count of units since an epoch
};

enum class TimeUnit : std::uint8_t { unsaid, day, second, millisecond, microsecond, nanosecond };
enum class TimeEpoch : std::uint8_t { unsaid, today, unix_, millennium };

inline constexpr std::size_t set_elements_max = 64;  ///< bits of the uInt64 that carries a set

/// One element of an enum or a set.
struct PresentationElement {
    std::string name;  ///< by custom the FIX value ("1")
    std::string id;    ///< by custom the word for it ("Active"); empty when the file gives none
    /// Enum: the integer on the wire, which is the explicit value, else the position from 0. Set: the bit.
    std::uint64_t value = 0;

    [[nodiscard]] std::string_view label() const noexcept { return id.empty() ? name : id; }
};

struct Presentation {
    PresentationKind kind = PresentationKind::plain;
    /// int8, uInt8: 8; int16, uInt16: 16. The wire form is that of int32 or uInt32, the bounds are narrower.
    /// 0: the bounds of the FieldType.
    std::uint8_t bits = 0;
    TimeUnit unit = TimeUnit::unsaid;
    TimeEpoch epoch = TimeEpoch::unsaid;
    std::vector<PresentationElement> elements;

    /// The element an enum's value means; null when the file does not list it, which is no error: venues add
    /// values before they publish templates.
    [[nodiscard]] const PresentationElement* element(std::uint64_t value) const noexcept;
    /// Of an element's name or id; nullopt when there is none.
    [[nodiscard]] std::optional<std::uint64_t> value_of(std::string_view name) const noexcept;
    /// What a person reads beside the number: "Active", "OpeningPrice HighPrice", "nanosecond unix". Bits and
    /// values that the file does not list are left out; empty when nothing is left.
    [[nodiscard]] std::string text(std::uint64_t value) const;
};

[[nodiscard]] std::string_view name_of(PresentationKind kind) noexcept;
[[nodiscard]] std::string_view name_of(TimeUnit unit) noexcept;
[[nodiscard]] std::string_view name_of(TimeEpoch epoch) noexcept;

}  // namespace tickpath::fast
