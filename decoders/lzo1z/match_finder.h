// Finds earlier occurrences of the bytes at a position. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/lzo1z/block_writer.h"
#include "decoders/lzo1z/compress.h"

namespace tickpath::lzo1z {

class MatchFinder {
public:
    MatchFinder(std::span<const std::uint8_t> input, Workspace& workspace) noexcept;

    /// A position that is passed over can be found later. Call once for each, in rising order, while at least
    /// hashed_bytes are left.
    void insert(std::size_t at) noexcept;

    /// Calls `candidate(Match)` for each match found, at most `tries_max` of the near table. Before
    /// insert(at).
    template <class Candidate>
    void each(std::size_t at, unsigned tries_max, Candidate&& candidate) const noexcept {
        std::size_t distance = static_cast<std::uint16_t>(at - workspace_.heads_[near_hash(at)]);
        for (unsigned tries = 0; tries < tries_max; ++tries) {
            offer(at, distance, candidate);
            const std::size_t step =
                static_cast<std::uint16_t>(at - distance - workspace_.chain_[(at - distance) % chain_size]);
            if (step == 0 || distance + step >= chain_size) break;
            distance += step;
        }
        offer(at, static_cast<std::uint16_t>(at - workspace_.far_heads_[far_hash(at)]), candidate);
    }

    /// The match at this distance, length 0 when there is none.
    [[nodiscard]] Match at_distance(std::size_t at, std::size_t distance) const noexcept;

    static constexpr std::size_t hashed_bytes = 8;

private:
    static constexpr std::size_t chain_size = 4096;

    template <class Candidate>
    void offer(std::size_t at, std::size_t distance, Candidate&& candidate) const noexcept {
        const Match match = at_distance(at, distance);
        if (match.length >= 3) candidate(match);
    }
    [[nodiscard]] std::size_t near_hash(std::size_t at) const noexcept;
    [[nodiscard]] std::size_t far_hash(std::size_t at) const noexcept;

    std::span<const std::uint8_t> input_;
    Workspace& workspace_;
    unsigned near_shift_;
    unsigned far_shift_;
};

}  // namespace tickpath::lzo1z
