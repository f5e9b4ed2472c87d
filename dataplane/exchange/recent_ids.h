// Remembers the last ClOrdIDs of a session, to find one that comes twice. Bounded; once per order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickpath::exchange {

/// Keeps 64-bit hashes in a table of fixed size; the newest id of a slot pushes the oldest out.
class RecentIds {
public:
    /// `id_count_max` is rounded up to a power of two.
    explicit RecentIds(std::size_t id_count_max) {
        std::size_t slots = 4 * ways;
        while (slots < id_count_max)
            slots *= 2;
        hashes_.resize(slots);
    }

    /// False when the id is among the remembered ones.
    [[nodiscard]] bool add(std::string_view id) noexcept {
        const std::uint64_t hash = hash_of(id);
        std::uint64_t* const bucket = &hashes_[(hash >> 32) % (hashes_.size() / ways) * ways];
        for (std::size_t way = 0; way < ways; ++way)
            if (bucket[way] == hash) return false;
        for (std::size_t way = ways - 1; way != 0; --way)
            bucket[way] = bucket[way - 1];
        bucket[0] = hash;
        return true;
    }

private:
    static constexpr std::size_t ways = 8;

    /// FNV-1a, then mixed: FNV alone puts like ids into few buckets. Never 0, which marks an empty place.
    [[nodiscard]] static std::uint64_t hash_of(std::string_view id) noexcept {
        std::uint64_t hash = 0xCBF2'9CE4'8422'2325u;
        for (const char c : id)
            hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x0000'0100'0000'01B3u;
        hash = (hash ^ hash >> 33) * 0xFF51'AFD7'ED55'8CCDu;
        return (hash ^ hash >> 33) | 1;
    }

    std::vector<std::uint64_t> hashes_;
};

}  // namespace tickpath::exchange
