// One reset rule tried on a cut recording: what decodes, what fails, and whether the numbers make sense.
// Cold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/doctor/framing.h"
#include "control/doctor/leaves.h"
#include "decoders/fast/decoder.h"

namespace tickpath::doctor {

struct Rule {
    fast::ResetRule rule = fast::ResetRule::never;
    std::uint32_t template_id = 0;  ///< of ResetRule::template_id

    [[nodiscard]] std::string name() const;  ///< as --reset takes it: "datagram", "template:120"
    friend bool operator==(const Rule&, const Rule&) = default;
};

struct Trial {
    Rule rule;
    std::uint64_t datagrams = 0;
    std::uint64_t whole = 0;  ///< decoded to their last byte
    std::uint64_t messages = 0;
    std::uint64_t datagrams_of_many = 0;  ///< with more than one message, those without fields not counted
    std::uint64_t bytes_whole = 0;  ///< in whole datagrams; of a file that is one datagram, up to the error
    std::map<Errc, std::uint64_t> errors;
    std::array<std::uint64_t, fast::report_count> reports{};
    std::uint64_t without_identifier = 0;  ///< D5 because a message relies on a remembered template
    std::string first_error;               ///< "packet 12, byte 4: D9, …"; empty when there was none
    std::map<std::uint32_t, std::uint64_t> unknown_templates;  ///< identifiers that gave D9, how often
    std::map<std::uint32_t, std::uint64_t> bare_templates;     ///< messages without any field, how often
    std::vector<std::uint64_t> values;  ///< a hash of each datagram's values; 0 when it did not decode

    // Numbers that a person would look at.
    std::uint64_t numbers_compared = 0;  ///< FIX MsgSeqNum (34), from message to message of a group
    std::uint64_t number_jumps = 0;      ///< other than the same or one more
    std::vector<double> prices;          ///< absolute values of FIX 270, 44 and 31 that are not zero

    [[nodiscard]] std::uint64_t failed() const noexcept { return datagrams - whole; }
    /// Prices more than a thousand times above or below the median.
    [[nodiscard]] std::uint64_t prices_out_of_band() const;
    /// "D9 in 208, truncated in 3"; empty without errors.
    [[nodiscard]] std::string error_counts() const;
};

/// The decoder of one group after the other, because groups share no dictionary: it starts anew with each.
/// A decoder takes megabytes and a recording may have any number of groups, so there is one for all.
class GroupDecoder {
public:
    GroupDecoder(const std::shared_ptr<const fast::Templates>& templates, Rule rule,
                 std::size_t datagram_bytes_max);
    /// Datagrams come group by group, as a Cut has them.
    [[nodiscard]] fast::Decoder& of(std::uint32_t group);

private:
    fast::Decoder decoder_;
    std::uint32_t group_ = 0;
};

/// The longest body, for GroupDecoder.
[[nodiscard]] std::size_t longest(const Cut& cut);

/// Behind an error the dictionaries are reset, so that one bad datagram does not poison the rest.
[[nodiscard]] Trial try_rule(const std::shared_ptr<const fast::Templates>& templates, const Cut& cut,
                             const Framing& framing, std::size_t groups, Rule rule);

/// Identifiers whose messages may be the feed's resets, by a trial of ResetRule::never: of templates without
/// fields, and the unknown one that half of all failures are about (T7 files do not have theirs).
[[nodiscard]] std::vector<std::uint32_t> reset_candidates(const Trial& never);

}  // namespace tickpath::doctor
