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

/// Inclusive bounds of a number and its unit ("µs", "frames"); an empty unit is a plain count.
struct Range {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::string_view unit = {};
};

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
    /// A path in the file is relative to the file; the value is made absolute. Whether it exists is for
    /// check.h.
    virtual void path(std::string_view name, std::filesystem::path& value, Need need = Need::optional) = 0;
    virtual void yes_no(std::string_view name, bool& value) = 0;
    virtual void decimal(std::string_view name, std::optional<Decimal>& value, std::string_view unit) = 0;
    /// Names separated by spaces or commas.
    virtual void words(std::string_view name, std::vector<std::string>& value,
                       Need need = Need::optional) = 0;

    template <std::integral T>
    void number(std::string_view name, T& value, Range range, Need need = Need::optional) {
        auto wide = static_cast<std::int64_t>(value);
        wide_number(name, wide, range, need);
        value = static_cast<T>(wide);
    }

    template <class E, std::size_t N>
    void choice(std::string_view name, E& value, const std::array<Choice<E>, N>& choices) {
        std::array<std::string_view, N> words_known;
        std::size_t index = 0;
        for (std::size_t i = 0; i < N; ++i) {
            words_known[i] = choices[i].word;
            if (choices[i].value == value) index = i;
        }
        one_of(name, index, words_known);
        value = choices[index].value;
    }

protected:
    virtual void wide_number(std::string_view name, std::int64_t& value, Range range, Need need) = 0;
    virtual void one_of(std::string_view name, std::size_t& index,
                        std::span<const std::string_view> known) = 0;
};

}  // namespace tickpath::config
