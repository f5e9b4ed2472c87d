// Time stamps that capture switches write behind a frame: MetaWatch (Metamako, Arista 7130) and Exablaze HPT.
// Layouts: spec/dataplane.md §7. Cold: captures only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "decoders/base/bytes.h"

namespace tickpath::net {

enum class TrailerFormat : std::uint8_t { metamako, exablaze };

[[nodiscard]] constexpr std::string_view name(TrailerFormat format) noexcept {
    return format == TrailerFormat::metamako ? "metamako" : "exablaze";
}

/// Where a trailer ends: with the frame, or before a check sequence that the capturing interface left there.
struct TrailerLayout {
    TrailerFormat format = TrailerFormat::metamako;
    bool has_fcs_behind = false;

    friend constexpr bool operator==(TrailerLayout, TrailerLayout) noexcept = default;
};

/// All there are; the more likely first.
inline constexpr std::array<TrailerLayout, 4> trailer_layouts = {{{TrailerFormat::metamako, false},
                                                                  {TrailerFormat::metamako, true},
                                                                  {TrailerFormat::exablaze, false},
                                                                  {TrailerFormat::exablaze, true}}};

inline constexpr std::size_t trailer_bytes = 16;
inline constexpr std::size_t frame_check_bytes = 4;

/// What a switch says of one frame.
struct SwitchStamp {
    std::uint64_t time_ns = 0;  ///< nanoseconds since 1970, the nearest
    std::uint16_t device = 0;
    std::uint8_t port = 0;
};

namespace detail {

inline constexpr std::uint64_t ns_per_second = 1'000'000'000;
// A trailer has no mark of its own: it is one when its time is about that of the capture.
inline constexpr std::uint64_t seconds_off_max = 30 * 86'400;

[[nodiscard]] constexpr bool is_about(std::uint64_t seconds, std::uint64_t capture_time_ns) noexcept {
    const std::uint64_t capture_seconds = capture_time_ns / ns_per_second;
    const std::uint64_t off =
        seconds > capture_seconds ? seconds - capture_seconds : capture_seconds - seconds;
    return seconds != 0 && off <= seconds_off_max;
}

[[nodiscard]] inline SwitchStamp load_metamako(const std::byte* at) noexcept {
    // [0] is the frame's own check sequence or an extension (flags bit 1), which only refines the
    // nanoseconds.
    return {.time_ns = load_big<std::uint32_t>(at + 4) * ns_per_second + load_big<std::uint32_t>(at + 8),
            .device = load_big<std::uint16_t>(at + 13),
            .port = std::to_integer<std::uint8_t>(at[15])};
}

[[nodiscard]] inline SwitchStamp load_exablaze(const std::byte* at) noexcept {
    const std::uint64_t fraction =
        (std::uint64_t{load_big<std::uint32_t>(at + 10)} << 8) | std::to_integer<std::uint64_t>(at[14]);
    // fraction × 10^9 / 2^40 in 64 bits: 2^9 of the 10^9 is taken out of both.
    constexpr std::uint64_t five_to_the_ninth = 1'953'125;
    const std::uint64_t fraction_ns = (fraction * five_to_the_ninth + (std::uint64_t{1} << 30)) >> 31;
    return {.time_ns = load_big<std::uint32_t>(at + 6) * ns_per_second + fraction_ns,
            .device = std::to_integer<std::uint16_t>(at[4]),
            .port = std::to_integer<std::uint8_t>(at[5])};
}

}  // namespace detail

/// The stamp behind a whole frame whose packet ends at `packet_end` (Ipv4Packet::end). nullopt when there is
/// no room for a trailer of this layout, or what stands there cannot be one: nanoseconds of a second or more,
/// or a time further than 30 days from `capture_time_ns`.
[[nodiscard]] inline std::optional<SwitchStamp> read_trailer(std::span<const std::byte> frame,
                                                             std::size_t packet_end,
                                                             std::uint64_t capture_time_ns,
                                                             TrailerLayout layout) noexcept {
    const std::size_t bytes = trailer_bytes + (layout.has_fcs_behind ? frame_check_bytes : 0);
    if (frame.size() < packet_end || frame.size() - packet_end < bytes) return std::nullopt;
    const std::byte* const at = frame.data() + frame.size() - bytes;
    const bool is_metamako = layout.format == TrailerFormat::metamako;
    const std::size_t seconds_at = is_metamako ? 4 : 6;
    if (!detail::is_about(load_big<std::uint32_t>(at + seconds_at), capture_time_ns)) return std::nullopt;
    if (!is_metamako) return detail::load_exablaze(at);
    if (load_big<std::uint32_t>(at + 8) >= detail::ns_per_second) return std::nullopt;
    return detail::load_metamako(at);
}

}  // namespace tickpath::net
