// Writes the instructions of a block. Knows the format and its costs; which matches are worth having is
// decided elsewhere. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tickpath::lzo1z {

struct Match {
    std::size_t length = 0;
    std::size_t distance = 0;
};

inline constexpr std::size_t near_distance_max = 1792;    ///< M2
inline constexpr std::size_t mid_distance_max = 2816;     ///< M1b
inline constexpr std::size_t far_distance_max = 16'384;   ///< M3
inline constexpr std::size_t last_distance_max = 49'151;  ///< M4
inline constexpr std::size_t short_length_max = 8;        ///< M2 and repeat

class BlockWriter {
public:
    explicit BlockWriter(std::span<std::byte> out) noexcept;

    /// Bytes that a match behind `literals` pending ones takes. 0: it cannot be written (too short for its
    /// distance).
    [[nodiscard]] std::size_t cost(Match match, std::size_t literals) const noexcept;

    /// The literals before the match, then the match. What does not fit is noted, not written.
    void match(std::span<const std::uint8_t> literals, Match match) noexcept;
    void finish(std::span<const std::uint8_t> literals) noexcept;

    [[nodiscard]] std::size_t remembered_distance() const noexcept { return distance_; }
    [[nodiscard]] bool overrun() const noexcept { return overrun_; }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    void literals(std::span<const std::uint8_t> bytes) noexcept;
    void byte(std::size_t value) noexcept;
    void extension(std::size_t rest) noexcept;
    void distance_bytes(std::size_t stored) noexcept;

    std::uint8_t* begin_;
    std::uint8_t* at_;
    std::uint8_t* end_;
    std::size_t distance_ = 0;  ///< of the last match; 0 before the first
    unsigned state_ = 0;        ///< literals of the last instruction, 4 and more are 4
    bool overrun_ = false;
};

}  // namespace tickpath::lzo1z
