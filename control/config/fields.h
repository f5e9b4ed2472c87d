// How the schema names the attributes of an element once, for the two who need them: the reader that fills
// structs from a file, and the list that the reference in templates/config/README.md is tested against. Cold.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/decimal.h"

namespace tickpath::config {

enum class Need : std::uint8_t { optional, required };

/// Inclusive bounds of a number and its unit ("us", "frames"); an empty unit is a plain count.
struct Range {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::string_view unit = {};
    bool is_power_of_two = false;
};

/// Judges the form of a text; writes one sentence for a person when it returns false.
using FormCheck = bool (*)(std::string_view text, std::string& why_not);

/// One spelling of an enumeration's value.
template <class E>
struct Choice {
    std::string_view word;
    E value;
};

/// Visits the attributes of one element in the order of the reference. The value passed in holds the default;
/// an attribute that is absent leaves it alone.
class Fields {
public:
    virtual ~Fields() = default;

    virtual void text(std::string_view name, std::string& value, Need need = Need::optional) = 0;
    /// A text of a form described by `type` in the reference ("pcap:FILE, …").
    virtual void form(std::string_view name, std::string& value, Need need, std::string_view type,
                      FormCheck check) = 0;
    virtual void word(std::string_view name, std::string& value, std::span<const std::string_view> known) = 0;
    /// A path in the file is relative to the file; the value is made absolute. Whether it exists is for
    /// check.h.
    virtual void path(std::string_view name, std::filesystem::path& value, Need need = Need::optional) = 0;
    virtual void yes_no(std::string_view name, bool& value) = 0;
    /// Not negative; exact.
    virtual void decimal(std::string_view name, Decimal& value, std::string_view unit) = 0;
    /// Names separated by blanks or commas, each at most once.
    virtual void words(std::string_view name, std::vector<std::string>& value,
                       Need need = Need::optional) = 0;

    template <std::integral T>
    void number(std::string_view name, T& value, Range range, Need need = Need::optional) {
        std::optional<std::int64_t> wide = static_cast<std::int64_t>(value);
        wide_number(name, wide, range, need);
        value = static_cast<T>(*wide);
    }

    template <std::integral T>
    void number(std::string_view name, std::optional<T>& value, Range range) {
        std::optional<std::int64_t> wide;
        if (value) wide = static_cast<std::int64_t>(*value);
        wide_number(name, wide, range, Need::optional);
        if (wide) value = static_cast<T>(*wide);
    }

    template <class E, std::size_t N>
    void choice(std::string_view name, E& value, const std::array<Choice<E>, N>& choices) {
        std::array<std::string_view, N> known;
        std::string chosen;
        for (std::size_t i = 0; i < N; ++i) {
            known[i] = choices[i].word;
            if (choices[i].value == value) chosen = choices[i].word;
        }
        word(name, chosen, known);
        for (const Choice<E>& choice : choices)
            if (choice.word == chosen) value = choice.value;
    }

protected:
    virtual void wide_number(std::string_view name, std::optional<std::int64_t>& value, Range range,
                             Need need) = 0;
};

}  // namespace tickpath::config
