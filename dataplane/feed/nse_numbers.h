// What can be learned from the numbers and times of NSE messages: which copies are twins, which are older
// than what is known, and where messages may be missing. Hot: once per message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "decoders/framing/nse.h"

namespace tickpath::feed {

/// When a message was sent, as its place before or behind others: in units of TimeStamp2, 1/65536 seconds.
/// The time is the one thing that can be trusted for that: BCSeqNo comes from many counters (spec
/// nse-broadcast §7).
struct NseTime {
    std::uint64_t earliest = 0;  ///< 0: the message does not say
    std::uint64_t latest = 0;    ///< a whole second later where only LogTime is there

    [[nodiscard]] static NseTime of(framing::nse::HeaderView header) noexcept {
        const std::uint64_t stamp = header.time_stamp_2();
        if (framing::nse::unix_ns_of_time_stamp_2(stamp) != 0) [[likely]]
            return {stamp, stamp};
        if (header.log_time() <= 0) return {};
        const std::uint64_t second = std::uint64_t{static_cast<std::uint32_t>(header.log_time())} << 16;
        return {second, second | 0xFFFFu};
    }
};

/// Finds the copy that the other of two redundant sources sends: same TimeStamp2, BCSeqNo, TransCode and
/// first token (spec nse-broadcast §7). Remembers the newest few thousand messages; what it forgot passes as
/// new, which costs a second reading of a snapshot and nothing else.
class NseTwins {
public:
    /// True when the other source (`copy` 0 or 1) has delivered this message before. Of messages with neither
    /// a time nor a number nobody can say that.
    [[nodiscard]] bool has(framing::nse::HeaderView header, std::uint32_t first_token,
                           std::uint8_t copy) const noexcept {
        const Seen wanted = seen_of(header, first_token, copy);
        const Seen& seen = seen_[place_of(wanted)];
        if ((wanted.time | static_cast<std::uint32_t>(header.sequence())) == 0) [[unlikely]]
            return false;
        return seen.is_used && seen.time == wanted.time && seen.number == wanted.number &&
               seen.code == wanted.code && seen.copy != copy;
    }
    void add(framing::nse::HeaderView header, std::uint32_t first_token, std::uint8_t copy) noexcept {
        const Seen seen = seen_of(header, first_token, copy);
        seen_[place_of(seen)] = seen;
    }

private:
    struct Seen {
        std::uint64_t time = 0;
        std::uint64_t number = 0;
        std::uint16_t code = 0;
        std::uint8_t copy = 0;
        bool is_used = false;
    };
    static constexpr unsigned seen_bits = 12;

    static Seen seen_of(framing::nse::HeaderView header, std::uint32_t first_token,
                        std::uint8_t copy) noexcept {
        return {.time = header.time_stamp_2(),
                .number = std::uint64_t{static_cast<std::uint32_t>(header.sequence())} << 32 | first_token,
                .code = static_cast<std::uint16_t>(header.transcode()),
                .copy = copy,
                .is_used = true};
    }
    static std::size_t place_of(const Seen& seen) noexcept {
        return static_cast<std::size_t>((seen.time ^ seen.number ^ seen.code) * 0x9E37'79B9'7F4A'7C15u >>
                                        (64 - seen_bits));
    }

    std::array<Seen, std::size_t{1} << seen_bits> seen_{};
};

/// Guesses at missing messages, for statistics alone. BCSeqNo comes from many independent counters (§7), so
/// one is kept per machine and transcode, and believed once it has only grown for a while; a step back makes
/// it be forgotten. No book depends on it: every message is complete.
class NseSoftGaps {
public:
    /// Messages that the step from the last number of this counter leaves out; 0 also while it is not yet
    /// believed.
    [[nodiscard]] std::uint32_t on_message(framing::nse::HeaderView header) noexcept {
        const std::uint32_t key =
            std::uint32_t{header.machine()} << 16 | static_cast<std::uint16_t>(header.transcode());
        Numbering& numbering = numberings_[(key * 0x9E37'79B1u) >> (32 - numbering_bits)];
        const std::int32_t number = header.sequence();
        if (numbering.key != key || !numbering.is_used || number <= numbering.last) {
            numbering = {key, number, 0, true};
            return 0;
        }
        const auto step = static_cast<std::uint32_t>(static_cast<std::int64_t>(number) - numbering.last);
        numbering.last = number;
        if (numbering.growth < growth_believed) {
            ++numbering.growth;
            return 0;
        }
        return step - 1;
    }

    static constexpr std::uint16_t growth_believed = 32;  ///< steps forward in a row

private:
    struct Numbering {
        std::uint32_t key = 0;
        std::int32_t last = 0;
        std::uint16_t growth = 0;
        bool is_used = false;
    };
    static constexpr unsigned numbering_bits = 10;
    std::array<Numbering, std::size_t{1} << numbering_bits> numberings_{};
};

}  // namespace tickpath::feed
