// The encoder's dictionary: what the decoder will remember, and how it was before the current message. Hot;
// all memory is taken in the constructor.
//
// Nothing of a refused message reaches a decoder, so nothing of it may stay here: the state bits are copied
// at the start of a message, and a value is put aside when the message first replaces it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoders/fast/message.h"
#include "decoders/fast/operators.h"
#include "decoders/fast/program.h"

namespace tickpath::fast {

class EncodeDictionary {
public:
    /// `text_bytes_max`: the longest text that an entry keeps. `refers`: the dictionary does not outlive a
    /// message, so that longer texts may stay in the caller's row.
    EncodeDictionary(const Program& program, std::uint32_t text_bytes_max, bool refers);

    void begin_message() noexcept;
    /// Back to where begin_message() was called.
    void roll_back() noexcept;
    /// All entries undefined.
    void forget() noexcept;

    [[nodiscard]] bool is_assigned(unsigned entry) const noexcept { return test(assigned_, entry); }
    /// Means something only where is_assigned() is false.
    [[nodiscard]] bool is_empty(unsigned entry) const noexcept { return test(empty_, entry); }
    void set_empty(unsigned entry) noexcept {
        assigned_[entry / 64] &= ~mask(entry);
        empty_[entry / 64] |= mask(entry);
    }

    [[nodiscard]] std::uint64_t integer(unsigned entry) const noexcept { return values_[entry]; }
    [[nodiscard]] DecimalPair decimal(unsigned entry) const noexcept {
        return {values_[entry], exponents_[entry]};
    }
    [[nodiscard]] Text text(unsigned entry) const noexcept { return texts_[entry]; }

    [[gnu::always_inline]] void keep_integer(unsigned entry, std::uint64_t value) noexcept {
        replace(entry);
        values_[entry] = value;
    }
    void keep_decimal(unsigned entry, DecimalPair value) noexcept {
        replace(entry);
        values_[entry] = value.mantissa;
        exponents_[entry] = value.exponent;
    }
    /// False when the text is too long to be kept.
    [[nodiscard]] bool keep_text(unsigned entry, Text value) noexcept;
    /// The same for a text of the templates, which stays where it is.
    void keep_constant(unsigned entry, Text value) noexcept {
        replace(entry);
        texts_[entry] = value;
    }

    /// FieldType of the fields that the entry's value belongs to, where fields of several types share it
    /// (D4).
    [[nodiscard]] std::uint8_t type(unsigned entry) const noexcept { return types_[entry]; }
    void set_type(unsigned entry, std::uint8_t type) noexcept {
        put_aside(entry);
        types_[entry] = type;
    }

private:
    struct Saved {
        std::uint16_t entry = 0;
        std::uint8_t type = 0;
        std::uint8_t turn = 0;
        std::uint64_t value = 0;
        std::uint64_t exponent = 0;
        Text text;
    };

    [[nodiscard]] static std::uint64_t mask(unsigned entry) noexcept {
        return std::uint64_t{1} << (entry % 64);
    }
    [[nodiscard]] static bool test(const std::vector<std::uint64_t>& bits, unsigned entry) noexcept {
        return (bits[entry / 64] & mask(entry)) != 0;
    }
    /// An entry that was undefined or empty before the message needs no value to go back to.
    [[gnu::always_inline]] void put_aside(unsigned entry) noexcept {
        if (!test(unsaved_, entry)) [[likely]]
            return;
        save(entry);
    }
    void save(unsigned entry) noexcept;
    [[gnu::always_inline]] void replace(unsigned entry) noexcept {
        put_aside(entry);
        assigned_[entry / 64] |= mask(entry);
    }

    std::vector<std::uint64_t> assigned_;
    std::vector<std::uint64_t> empty_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> exponents_;
    std::vector<Text> texts_;
    std::vector<std::uint8_t> types_;

    // Two places a text, so that the one before the message stays while the message writes the other.
    std::vector<char> places_;
    std::vector<std::uint32_t> place_of_;  ///< entry → pair of places
    std::vector<std::uint8_t> turn_;       ///< entry → which of the two
    std::uint32_t text_bytes_max_;
    bool refers_;

    std::vector<std::uint64_t> assigned_before_;
    std::vector<std::uint64_t> empty_before_;
    std::vector<std::uint64_t> unsaved_;  ///< assigned before the message, and not put aside yet
    std::vector<Saved> saved_;            ///< room for each entry once
};

}  // namespace tickpath::fast
