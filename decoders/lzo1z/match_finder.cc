#include "decoders/lzo1z/match_finder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decoders/base/bytes.h"

namespace tickpath::lzo1z {
namespace {

// Fibonacci hashing: the top bits of the product are the mixed ones.
constexpr std::uint64_t multiplier = 0x9E37'79B9'7F4A'7C15;

// A small input gets a small part of the table: clearing it all would cost more than the search.
unsigned hash_bits(std::size_t input_bytes, unsigned bits_max) noexcept {
    return std::clamp(static_cast<unsigned>(std::bit_width(input_bytes)), 6u, bits_max);
}

}  // namespace

MatchFinder::MatchFinder(std::span<const std::uint8_t> input, Workspace& workspace) noexcept
    : input_(input),
      workspace_(workspace),
      near_shift_(64 - hash_bits(input.size(), 12)),
      far_shift_(64 - hash_bits(input.size(), 11)) {
    // Positions are kept modulo 65,536 and every find is compared byte by byte, so that an entry needs no
    // mark that says it is empty; it must only be the same each time.
    std::fill_n(workspace_.heads_.begin(), std::size_t{1} << (64 - near_shift_), 0);
    std::fill_n(workspace_.far_heads_.begin(), std::size_t{1} << (64 - far_shift_), 0);
    std::fill_n(workspace_.chain_.begin(), std::min(input.size(), chain_size), 0);
}

std::size_t MatchFinder::near_hash(std::size_t at) const noexcept {
    const std::uint64_t three = load_little<std::uint32_t>(input_.data() + at) & 0xFF'FFFFu;
    return three * multiplier >> near_shift_;
}

std::size_t MatchFinder::far_hash(std::size_t at) const noexcept {
    return (load_little<std::uint64_t>(input_.data() + at) << 16) * multiplier >> far_shift_;
}

void MatchFinder::insert(std::size_t at) noexcept {
    std::uint16_t& head = workspace_.heads_[near_hash(at)];
    workspace_.chain_[at % chain_size] = head;
    head = static_cast<std::uint16_t>(at);
    workspace_.far_heads_[far_hash(at)] = static_cast<std::uint16_t>(at);
}

Match MatchFinder::at_distance(std::size_t at, std::size_t distance) const noexcept {
    if (distance == 0 || distance > at || distance > last_distance_max) return {};
    const std::uint8_t* const here = input_.data() + at;
    const std::uint8_t* const there = here - distance;
    const std::size_t left = input_.size() - at;
    std::size_t length = 0;
    for (; length + 8 <= left; length += 8) {
        const std::uint64_t difference =
            load_little<std::uint64_t>(here + length) ^ load_little<std::uint64_t>(there + length);
        if (difference != 0)
            return {length + static_cast<std::size_t>(std::countr_zero(difference)) / 8, distance};
    }
    while (length < left && here[length] == there[length])
        ++length;
    return {length, distance};
}

}  // namespace tickpath::lzo1z
