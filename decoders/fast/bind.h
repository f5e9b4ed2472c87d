// Fields into the members of a user's struct. Names and types are checked once, when templates are loaded;
// reading is then a load per member, without look-up or allocation.
//
//     struct Quote { Decimal price; std::uint64_t size; std::optional<std::uint32_t> level; };
//     const auto quotes = bind_rows<Quote>(tmpl, "MDEntries", diagnostics, bind<&Quote::price>("MDEntryPx"),
//                                          bind<&Quote::size>("MDEntrySize", 0),
//                                          bind<&Quote::level>("Level"));
//     for (const Row row : message.root().rows(quotes->sequence())) quotes->read(row, quote);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "decoders/base/decimal.h"
#include "decoders/base/diagnostics.h"
#include "decoders/base/error.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

namespace detail {

template <class>
struct MemberTraits;
template <class S, class T>
struct MemberTraits<T S::*> {
    using Struct = S;
    using Member = T;
};

template <class T>
struct Plain {
    using Type = T;
    static constexpr bool is_optional = false;
};
template <class T>
struct Plain<std::optional<T>> {
    using Type = T;
    static constexpr bool is_optional = true;
};

template <class T>
concept Bindable =
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, Decimal> || std::same_as<T, Text>;

/// Whether every value of the field is a value of T.
template <Bindable T>
[[nodiscard]] constexpr bool holds(FieldType type) noexcept {
    if constexpr (std::same_as<T, Decimal>) return type == FieldType::decimal;
    if constexpr (std::same_as<T, Text>) return is_text(type);
    if constexpr (std::same_as<T, std::uint32_t>) return type == FieldType::u32;
    if constexpr (std::same_as<T, std::int32_t>) return type == FieldType::i32;
    if constexpr (std::same_as<T, std::uint64_t>) return type == FieldType::u32 || type == FieldType::u64;
    if constexpr (std::same_as<T, std::int64_t>)
        return type == FieldType::i32 || type == FieldType::i64 || type == FieldType::u32;
    return false;
}

template <Bindable T>
[[nodiscard]] T load(const Row& row, FieldRef field) noexcept {
    if constexpr (std::same_as<T, Decimal>) return row.decimal(field);
    if constexpr (std::same_as<T, Text>) return row.text(field);
    if constexpr (std::integral<T>) return static_cast<T>(row.u64(field));
}

template <Bindable T>
[[nodiscard]] constexpr std::string_view cpp_name() noexcept {
    if constexpr (std::same_as<T, Decimal>) return "Decimal";
    if constexpr (std::same_as<T, Text>) return "Text";
    if constexpr (std::same_as<T, std::uint32_t>) return "std::uint32_t";
    if constexpr (std::same_as<T, std::int32_t>) return "std::int32_t";
    if constexpr (std::same_as<T, std::uint64_t>) return "std::uint64_t";
    return "std::int64_t";
}

/// The field `path` of the rows of `sequence` (of the message itself when that is empty). On failure says
/// which name is wrong, with the template's file and line, and returns null.
[[nodiscard]] const Field* find_to_bind(const Template& tmpl, std::string_view sequence,
                                        std::string_view path, Diagnostics& diagnostics);
void refuse_type(const Template& tmpl, const Field& field, std::string_view member_type,
                 Diagnostics& diagnostics);
void refuse_optional(const Template& tmpl, const Field& field, Diagnostics& diagnostics);

}  // namespace detail

/// One member and the field it is filled from: what bind() returns.
template <auto member>
class BoundMember {
public:
    using Struct = typename detail::MemberTraits<decltype(member)>::Struct;
    using Member = typename detail::MemberTraits<decltype(member)>::Member;
    using Value = typename detail::Plain<Member>::Type;
    static_assert(detail::Bindable<Value>,
                  "a member is a std::int32_t, uint32_t, int64_t, uint64_t, Decimal or Text, or a "
                  "std::optional of one");

    BoundMember(std::string_view path, std::optional<Value> otherwise) : path_(path), otherwise_(otherwise) {}

    [[nodiscard]] bool resolve(const Template& tmpl, std::string_view sequence, Diagnostics& diagnostics) {
        const Field* const field = detail::find_to_bind(tmpl, sequence, path_, diagnostics);
        if (field == nullptr) return false;
        field_ = field->ref;
        if (!detail::holds<Value>(field->ref.type)) {
            detail::refuse_type(tmpl, *field, detail::cpp_name<Value>(), diagnostics);
            return false;
        }
        if (!field->optional || detail::Plain<Member>::is_optional || otherwise_) return true;
        detail::refuse_optional(tmpl, *field, diagnostics);
        return false;
    }

    Errc read(const Row& row, Struct& into) const noexcept {
        if (row.has(field_)) {
            into.*member = detail::load<Value>(row, field_);
        } else if constexpr (detail::Plain<Member>::is_optional) {
            into.*member = otherwise_;
        } else {
            into.*member = otherwise_.value_or(Value{});
        }
        return Errc::ok;
    }

private:
    std::string_view path_;
    std::optional<Value> otherwise_;
    FieldRef field_;
};

/// A price or size as an integer at a fixed number of decimal places: what bind_scaled() returns.
template <auto member>
class BoundScaled {
public:
    using Struct = typename detail::MemberTraits<decltype(member)>::Struct;
    using Member = typename detail::MemberTraits<decltype(member)>::Member;
    static_assert(std::same_as<typename detail::Plain<Member>::Type, std::int64_t>,
                  "a scaled member is a std::int64_t or a std::optional of it");

    BoundScaled(std::string_view path, int places, std::optional<std::int64_t> otherwise)
        : path_(path), places_(places), otherwise_(otherwise) {}

    [[nodiscard]] bool resolve(const Template& tmpl, std::string_view sequence, Diagnostics& diagnostics) {
        const Field* const field = detail::find_to_bind(tmpl, sequence, path_, diagnostics);
        if (field == nullptr) return false;
        field_ = field->ref;
        if (field->ref.type != FieldType::decimal) {
            detail::refuse_type(tmpl, *field, "scaled integer (of a decimal)", diagnostics);
            return false;
        }
        if (!field->optional || detail::Plain<Member>::is_optional || otherwise_) return true;
        detail::refuse_optional(tmpl, *field, diagnostics);
        return false;
    }

    /// Errc::inexact, and the member as it was, when digits would be lost or int64 overflows.
    Errc read(const Row& row, Struct& into) const noexcept {
        if (!row.has(field_)) {
            if constexpr (detail::Plain<Member>::is_optional) {
                into.*member = otherwise_;
            } else {
                into.*member = otherwise_.value_or(0);
            }
            return Errc::ok;
        }
        const std::optional<std::int64_t> scaled = at_places(row.decimal(field_), places_);
        if (!scaled) return Errc::inexact;
        into.*member = *scaled;
        return Errc::ok;
    }

private:
    std::string_view path_;
    int places_;
    std::optional<std::int64_t> otherwise_;
    FieldRef field_;
};

/// Binds a member to the field `path`, which goes through groups ("Group/Inner") but not through sequences
/// and must outlive bind_rows(). A field that may be absent needs a std::optional member or a value to take
/// instead: `bind<&Quote::size>("MDEntrySize", 0)`.
template <auto member>
[[nodiscard]] BoundMember<member> bind(
    std::string_view path, std::optional<typename BoundMember<member>::Value> otherwise = std::nullopt) {
    return {path, otherwise};
}

/// The same for a decimal field as an integer with `places` digits after the point: (10715, -2) at 4 places
/// is 1071500.
template <auto member>
[[nodiscard]] BoundScaled<member> bind_scaled(std::string_view path, int places,
                                              std::optional<std::int64_t> otherwise = std::nullopt) {
    return {path, places, otherwise};
}

/// Reads rows of one template into structs. A value: copy it into whatever uses it.
template <class Struct, class... Bound>
class RowBinding {
public:
    RowBinding(FieldRef sequence, Bound... bound) : sequence_(sequence), bound_(std::move(bound)...) {}

    /// The sequence whose elements this reads: message.root().rows(binding.sequence()).
    [[nodiscard]] FieldRef sequence() const noexcept { return sequence_; }

    /// Fills every bound member; the others stay. Returns Errc::inexact when a scaled member could not hold
    /// its value exactly; the members that could are filled all the same.
    Errc read(const Row& row, Struct& into) const noexcept {
        Errc first = Errc::ok;
        std::apply(
            [&](const Bound&... each) {
                const auto note = [&](Errc error) { first = first == Errc::ok ? error : first; };
                (note(each.read(row, into)), ...);
            },
            bound_);
        return first;
    }

private:
    FieldRef sequence_;
    std::tuple<Bound...> bound_;
};

/// Checks names and types against a template. `sequence` is a path to the sequence whose elements are read,
/// empty for the message's own fields. nullopt when anything does not fit; every reason is in `diagnostics`.
template <class Struct, class... Bound>
[[nodiscard]] std::optional<RowBinding<Struct, Bound...>> bind_rows(const Template& tmpl,
                                                                    std::string_view sequence,
                                                                    Diagnostics& diagnostics,
                                                                    Bound... bound) {
    static_assert((std::same_as<Struct, typename Bound::Struct> && ...), "members of another struct");
    bool fits = true;
    ((fits = bound.resolve(tmpl, sequence, diagnostics) && fits), ...);
    if (!fits) return std::nullopt;
    const std::optional<FieldRef> rows = sequence.empty() ? FieldRef{} : tmpl.field(sequence);
    return RowBinding<Struct, Bound...>(rows.value_or(FieldRef{}), std::move(bound)...);
}

}  // namespace tickpath::fast
