// Made-up inputs for LZO1Z of many kinds: noise, small alphabets, records, periods, far matches. The same
// seed gives the same bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tickpath::test {

class Lzo1zInputs {
public:
    explicit Lzo1zInputs(std::uint64_t seed) : random_(seed) {}

    /// Up to `bytes_max` bytes, mostly few.
    std::vector<std::uint8_t> next(std::size_t bytes_max) {
        const std::size_t size =
            below(4) != 0 ? below(std::min<std::size_t>(bytes_max, 300) + 1) : below(bytes_max + 1);
        const std::size_t alphabet = below(2) != 0 ? 256 : 1 + below(8);
        const std::size_t repeats_one_in = 1 + below(24);
        const std::size_t distance_max = below(3) != 0 ? 300 : 60'000;
        const std::size_t length_max = below(6) != 0 ? 12 : 1'200;
        std::vector<std::uint8_t> bytes;
        bytes.reserve(size);
        while (bytes.size() < size) {
            if (!bytes.empty() && below(repeats_one_in) == 0) {
                const std::size_t distance = 1 + below(std::min(bytes.size(), distance_max));
                for (std::size_t left = 2 + below(length_max); left != 0 && bytes.size() < size; --left)
                    bytes.push_back(bytes[bytes.size() - distance]);
            } else {
                bytes.push_back(static_cast<std::uint8_t>(below(alphabet)));
            }
        }
        return bytes;
    }

    /// Overwrites 1 to 3 bytes, and now and then cuts or lengthens.
    void damage(std::vector<std::uint8_t>& block) {
        for (std::size_t i = 1 + below(3); i != 0 && !block.empty(); --i)
            block[below(block.size())] = static_cast<std::uint8_t>(below(4) != 0 ? random_() : below(20));
        const std::size_t chance = below(12);
        if (chance == 0) block.resize(below(block.size() + 1));
        if (chance == 1) block.push_back(static_cast<std::uint8_t>(random_()));
    }

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

private:
    std::mt19937_64 random_;
};

}  // namespace tickpath::test
