// The floor of the FAST decode benches: what a person would write by hand for the one template of
// refresh_template_xml and nothing else. No program, no table, no field looked up: loops over stop bits, and
// a struct. It trusts its input but for its end, and knows no error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tickpath::bench {

struct FloorEntry {
    std::uint32_t action = 0;
    std::uint32_t security = 0;
    std::uint32_t sequence = 0;
    std::uint32_t level = 0;
    std::span<const std::uint8_t> type;  ///< its last byte keeps the stop bit
    std::int64_t price = 0;
    std::int64_t size = 0;
    std::int32_t exponent = 0;
    bool has_price = false;
    bool has_size = false;
    bool has_level = false;
};

class FloorDecoder {
public:
    static constexpr std::size_t entries_max = 64;

    /// Decodes one packet with dictionaries forgotten; false when it is not one, or ends too early.
    [[nodiscard]] bool decode(std::span<const std::byte> packet) noexcept;

    [[nodiscard]] std::span<const FloorEntry> entries() const noexcept { return {entries_.data(), count_}; }
    [[nodiscard]] std::uint32_t sequence() const noexcept { return sequence_; }
    [[nodiscard]] std::uint64_t sending_time() const noexcept { return sending_time_; }

private:
    std::array<FloorEntry, entries_max> entries_;
    std::size_t count_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint64_t sending_time_ = 0;
};

}  // namespace tickpath::bench
