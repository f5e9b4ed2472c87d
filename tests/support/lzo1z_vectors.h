// Reads the LZO1Z vectors of the shared data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/shared_data.h"

namespace tickpath::test {

using Octets = std::vector<std::uint8_t>;

struct Lzo1zPair {
    std::string name;
    Octets block;
    Octets raw;
};

inline Octets octets_of(const std::filesystem::path& path) {
    const std::string text = read_file(path);
    return {text.begin(), text.end()};
}

/// The cells of a CSV file without quotes, its header left out.
inline std::vector<std::vector<std::string>> csv_rows(const std::filesystem::path& path) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::vector<std::string> cells{""};
        for (const char c : line) {
            if (c == ',') {
                cells.emplace_back();
            } else {
                cells.back() += c;
            }
        }
        rows.push_back(cells);
    }
    return rows;
}

inline std::vector<Lzo1zPair> lzo1z_pairs() {
    const std::filesystem::path folder = shared_data() / "lzo1z";
    std::vector<Lzo1zPair> pairs;
    for (const auto& row : csv_rows(folder / "valid.csv"))
        pairs.push_back({row[0], octets_of(folder / "valid" / (row[0] + ".lz")),
                         octets_of(folder / "valid" / (row[0] + ".raw"))});
    return pairs;
}

/// A file of many small pairs: u16 little-endian sizes of block and raw bytes, then both.
inline std::vector<Lzo1zPair> lzo1z_pack(const std::string& name) {
    const Octets file = octets_of(shared_data() / "lzo1z" / "valid" / (name + ".pack"));
    std::vector<Lzo1zPair> pairs;
    for (std::size_t at = 0; at + 4 <= file.size();) {
        const auto size = [&](std::size_t from) {
            return std::size_t{file[from]} | std::size_t{file[from + 1]} << 8;
        };
        const auto first = file.begin() + static_cast<std::ptrdiff_t>(at) + 4;
        const auto middle = first + static_cast<std::ptrdiff_t>(size(at));
        const auto last = middle + static_cast<std::ptrdiff_t>(size(at + 2));
        pairs.push_back(
            {name + " " + std::to_string(pairs.size()), Octets(first, middle), Octets(middle, last)});
        at = static_cast<std::size_t>(last - file.begin());
    }
    return pairs;
}

inline std::vector<Lzo1zPair> lzo1z_packs() {
    std::vector<Lzo1zPair> all;
    for (const char* name : {"nse_like_1000", "nse_like_short_1000", "tiny_2000"})
        for (Lzo1zPair& pair : lzo1z_pack(name))
            all.push_back(std::move(pair));
    return all;
}

}  // namespace tickpath::test
