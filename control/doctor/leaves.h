// A decoded message as a flat list of values, so that the outcomes of two reset rules can be laid side by
// side. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decoders/fast/decoder.h"

namespace tickpath::doctor {

struct Leaf {
    const fast::Field* field = nullptr;  ///< of a sequence: the value is its length
    bool present = false;
    bool is_number = false;
    std::int64_t number = 0;    ///< integers, mantissas and lengths; uInt64 by its bits
    std::int32_t exponent = 0;  ///< of a decimal
    std::string text;           ///< of strings and byte vectors

    [[nodiscard]] bool same_value(const Leaf& other) const noexcept {
        return present == other.present && number == other.number && exponent == other.exponent &&
               text == other.text;
    }
};

/// The fields in template order; elements of sequences one behind the other. What is inside an absent group
/// is left out.
void append_leaves(const std::vector<fast::Field>& fields, fast::Row row, std::vector<Leaf>& out);

/// "933", "12.5", "CETS", "nothing".
[[nodiscard]] std::string to_text(const Leaf& leaf);

/// Grows with every value of the message.
[[nodiscard]] std::uint64_t hash_of(const std::vector<Leaf>& leaves, std::uint64_t seed) noexcept;

}  // namespace tickpath::doctor
