// Reading a message by names, and all of it without knowing its template: for tools, logs and tests. A name
// is compared with those of all siblings each time; what runs per packet keeps FieldRefs (message.h) or binds
// a struct (bind.h). Allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "decoders/base/decimal.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

class NamedRows;

/// A row together with the fields that it consists of: a message, a group, an element of a sequence. Valid as
/// long as the row, that is, until the decoder's next() or begin().
class NamedRow {
public:
    NamedRow(const std::vector<Field>& fields, Row row) noexcept : fields_(&fields), row_(row) {}
    explicit NamedRow(const Message& message) noexcept : NamedRow(message.tmpl().fields(), message.root()) {}

    [[nodiscard]] const std::vector<Field>& fields() const noexcept { return *fields_; }
    [[nodiscard]] const Row& row() const noexcept { return row_; }

    /// The field of this path, or null. A path goes through groups ("Group/Inner"), never through a sequence:
    /// its elements are rows of their own.
    [[nodiscard]] const Field* find(std::string_view path) const noexcept {
        for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
             slash = path.find('/', slash + 1)) {
            const Field* const outer = find_field(*fields_, path.substr(0, slash));
            if (outer == nullptr || outer->ref.type != FieldType::group) return nullptr;
        }
        return find_field(*fields_, path);
    }

    /// Whether there is such a field and it has a value.
    [[nodiscard]] bool has(std::string_view path) const noexcept {
        const Field* const field = find(path);
        return field != nullptr && row_.has(field->ref);
    }

    // nullopt when there is no such field, when it is absent, when it is of another kind, and when the value
    // does not fit: a signed value below zero is no u64, a uInt64 above the largest int64 no i64.
    [[nodiscard]] std::optional<std::uint64_t> u64(std::string_view path) const noexcept {
        const Field* const field = find_if_present(path);
        if (field == nullptr || !is_integer(field->ref.type)) return std::nullopt;
        if (is_signed(field->ref.type) && row_.i64(field->ref) < 0) return std::nullopt;
        return row_.u64(field->ref);
    }
    [[nodiscard]] std::optional<std::int64_t> i64(std::string_view path) const noexcept {
        const Field* const field = find_if_present(path);
        if (field == nullptr || !is_integer(field->ref.type)) return std::nullopt;
        const bool fits = is_signed(field->ref.type) || row_.i64(field->ref) >= 0;
        return fits ? std::optional(row_.i64(field->ref)) : std::nullopt;
    }
    [[nodiscard]] std::optional<Decimal> decimal(std::string_view path) const noexcept {
        const Field* const field = find_if_present(path);
        if (field == nullptr || field->ref.type != FieldType::decimal) return std::nullopt;
        return row_.decimal(field->ref);
    }
    [[nodiscard]] std::optional<Text> text(std::string_view path) const noexcept {
        const Field* const field = find_if_present(path);
        if (field == nullptr || !is_text(field->ref.type)) return std::nullopt;
        return row_.text(field->ref);
    }
    /// The elements of a sequence; none where the others would be nullopt.
    [[nodiscard]] inline NamedRows rows(std::string_view path) const noexcept;

private:
    [[nodiscard]] const Field* find_if_present(std::string_view path) const noexcept {
        const Field* const field = find(path);
        return field != nullptr && row_.has(field->ref) ? field : nullptr;
    }

    const std::vector<Field>* fields_;
    Row row_;
};

/// The elements of a sequence in wire order.
class NamedRows {
public:
    class Iterator {
    public:
        Iterator(const std::vector<Field>* fields, Rows::Iterator at) noexcept : fields_(fields), at_(at) {}
        [[nodiscard]] NamedRow operator*() const noexcept { return {*fields_, *at_}; }
        Iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        const std::vector<Field>* fields_;
        Rows::Iterator at_;
    };

    /// `fields` are those of an element; null only with no rows.
    NamedRows(const std::vector<Field>* fields, Rows rows) noexcept : fields_(fields), rows_(rows) {}

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    [[nodiscard]] NamedRow operator[](std::size_t i) const noexcept { return {*fields_, rows_[i]}; }
    [[nodiscard]] Iterator begin() const noexcept { return {fields_, rows_.begin()}; }
    [[nodiscard]] Iterator end() const noexcept { return {fields_, rows_.end()}; }

private:
    const std::vector<Field>* fields_;
    Rows rows_;
};

inline NamedRows NamedRow::rows(std::string_view path) const noexcept {
    const Field* const field = find_if_present(path);
    if (field == nullptr || field->ref.type != FieldType::sequence) return {nullptr, {}};
    return {&field->fields, row_.rows(field->ref)};
}

/// The message behind a dynamic templateRef.
struct NamedMessage {
    const Template& tmpl;
    NamedRow fields;
};

/// Lambdas as one visitor: Overloaded{[](const Field&, Decimal) {…}, [](const Field&, const auto&) {…}}.
template <class... Function>
struct Overloaded : Function... {
    using Function::operator()...;
};
template <class... Function>
Overloaded(Function...) -> Overloaded<Function...>;

/// Calls visit(field, value) with the value of one field that is there, in its own type: std::uint64_t,
/// std::int64_t, Decimal, Text, NamedRow (a group), NamedRows (a sequence) or NamedMessage (a dynamic
/// reference). Going into the last three is the visitor's choice.
template <class Visitor>
void visit_field(const Field& field, const Row& row, Visitor&& visit) {
    switch (field.ref.type) {
        case FieldType::u32:
        case FieldType::u64:
            return visit(field, row.u64(field.ref));
        case FieldType::i32:
        case FieldType::i64:
            return visit(field, row.i64(field.ref));
        case FieldType::decimal:
            return visit(field, row.decimal(field.ref));
        case FieldType::ascii:
        case FieldType::unicode:
        case FieldType::bytes:
            return visit(field, row.text(field.ref));
        case FieldType::group:
            return visit(field, NamedRow(field.fields, row));
        case FieldType::sequence:
            return visit(field, NamedRows(&field.fields, row.rows(field.ref)));
        case FieldType::dynamic: {
            const DynamicRow inner = row.dynamic(field.ref);
            if (inner.tmpl == nullptr) return;
            return visit(field, NamedMessage{*inner.tmpl, NamedRow(inner.tmpl->fields(), inner.row)});
        }
    }
}

/// Calls visit(field, value) for each field of the row that is there, in template order.
template <class Visitor>
void for_each_field(const NamedRow& row, Visitor&& visit) {
    for (const Field& field : row.fields())
        if (row.row().has(field.ref)) visit_field(field, row.row(), visit);
}

}  // namespace tickpath::fast
