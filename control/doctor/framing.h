// The framings that `tickpath decode` knows, and a recording cut into datagrams by one of them. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/doctor/recording.h"
#include "decoders/fast/templates.h"
#include "decoders/framing/description.h"

namespace tickpath::doctor {

struct Framing {
    std::string option;  ///< as `tickpath decode` takes it: "--framing none", "--feed FILE"
    framing::Preamble preamble = {};
    bool has_length_prefix = false;
    bool is_one_message = false;    ///< resets not counted
    bool ignores_trailing = false;  ///< what follows that message is of no interest

    /// The same cut, whatever it is called.
    [[nodiscard]] bool cuts_like(const Framing& other) const noexcept {
        return preamble == other.preamble && has_length_prefix == other.has_length_prefix;
    }
    /// Whatever decodes whole in `other` does so here too.
    [[nodiscard]] bool accepts_all_of(const Framing& other) const noexcept {
        const bool is_as_patient = ignores_trailing || !other.ignores_trailing;
        return cuts_like(other) && (!is_one_message || other.is_one_message) && is_as_patient;
    }
};

[[nodiscard]] Framing framing_of(const framing::FeedDescription& feed, std::string option);

/// Those that --framing names, then what `feeds` use and none before accepts.
[[nodiscard]] std::vector<Framing> known_framings(const std::vector<framing::FeedDescription>& feeds);

struct CutDatagram {
    std::span<const std::byte> body;  ///< lives in the recording, or in Cut::joined
    std::uint32_t group = 0;
    std::string_view unit = "packet";  ///< "packet" of a capture, or "byte" of a file
    std::uint64_t place = 0;
    bool has_number = false;
    std::uint64_t number = 0;

    [[nodiscard]] std::string place_text() const { return std::string(unit) + ' ' + std::to_string(place); }
};

struct Cut {
    std::vector<CutDatagram> datagrams;         ///< group by group, in the order of each group
    std::deque<std::vector<std::byte>> joined;  ///< messages that came in chunks
    std::uint64_t bytes = 0;                    ///< of the recording
    std::uint64_t bytes_lost = 0;               ///< that belong to no datagram and to no framing
    std::uint64_t pieces_lost = 0;              ///< payloads, or rests of a file, in which they are
    std::uint64_t numbers_compared = 0;
    std::uint64_t numbers_rising = 0;  ///< by 1 to 1,000 from one datagram of a group to the next

    /// A number before each datagram that does not rise is none.
    [[nodiscard]] bool has_doubtful_numbers() const noexcept {
        return numbers_compared >= 4 && numbers_rising * 10 < numbers_compared * 9;
    }
};

/// In a file with a preamble and no lengths a datagram ends where its message ends: the templates say where.
[[nodiscard]] Cut cut(const Recording& recording, const Framing& framing,
                      const std::shared_ptr<const fast::Templates>& templates);

}  // namespace tickpath::doctor
