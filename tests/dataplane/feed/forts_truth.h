// What the books of the FORTS capture really are: made from the rows of its expected.csv, which an
// independent decoder wrote, with no line of the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/dataplane/feed/plain_books.h"

namespace tickpath::test {

/// Best level first; prices at two places.
struct TrueBook {
    std::vector<PlainLevel> bids, asks;

    friend bool operator==(const TrueBook&, const TrueBook&) = default;
};

class FortsTruth {
public:
    static constexpr std::int8_t price_places = 2;
    static constexpr std::size_t depth = 5;

    /// What one instrument went through.
    struct History {
        std::map<std::uint32_t, TrueBook> books;        // by instrument sequence
        std::vector<std::uint32_t> sequence_by_packet;  // from first_packet_ on
    };

    /// Throws when the file cannot be read, or when its snapshots and its increments disagree anywhere.
    explicit FortsTruth(const std::string& expected_csv);

    [[nodiscard]] std::vector<std::string> keys() const;
    [[nodiscard]] std::uint64_t first_packet() const noexcept { return first_packet_; }
    [[nodiscard]] std::uint64_t last_packet() const noexcept { return last_packet_; }

    /// The book after the instrument's entry with this number; nullptr for a number that it cannot be known
    /// of.
    [[nodiscard]] const TrueBook* book(const std::string& key, std::uint32_t sequence) const;
    /// The instrument's newest number when the venue had sent all packets up to this one.
    [[nodiscard]] std::uint32_t sequence_after(const std::string& key, std::uint64_t packet) const;
    /// The first number that its book is known after.
    [[nodiscard]] std::uint32_t first_sequence(const std::string& key) const {
        return histories_.at(key).books.begin()->first;
    }
    /// Snapshots of the capture that were equal to the increments' book.
    [[nodiscard]] std::size_t snapshots_agreed() const noexcept { return snapshots_agreed_; }

private:
    void compare(const std::string& key, std::uint32_t sequence, const TrueBook& shown);

    std::uint64_t first_packet_ = 0, last_packet_ = 0;
    std::size_t snapshots_agreed_ = 0;
    std::map<std::string, History> histories_;
};

}  // namespace tickpath::test
