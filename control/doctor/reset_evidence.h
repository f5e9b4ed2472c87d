// What tells two reset rules apart when both decode: a sender that remembers leaves out what its receiver
// knows, and one that forgets sends it again. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "control/doctor/trial.h"

namespace tickpath::doctor {

/// Field names that an initial value stands behind: a clear bit gives that, so their repeats prove nothing.
[[nodiscard]] std::set<std::string> fields_with_initial_value(const std::string& xml);

/// Of rule A against rule B, by what happens where A resets.
struct ResetEvidence {
    std::uint64_t datagrams_differing = 0;  ///< of those that decode under both
    std::uint64_t values_differing = 0;
    std::string example;  ///< "packet 7: OrigTime is 933 under datagram, 1877 under never"

    // At the first use of a copied or incremented field behind a reset of A, where B still knows its value.
    std::uint64_t sent_again = 0;  ///< the very value B remembers: the sender had forgotten it
    std::uint64_t left_out = 0;    ///< not sent: either the sender remembers, or there is no value

    // Delta fields, at their first use behind a reset of A.
    std::uint64_t fields_running_away = 0;    ///< whole values, which B adds up without end
    std::uint64_t fields_in_small_steps = 0;  ///< mere differences, which A takes for values

    /// How strongly it speaks for A (above 0), for B (below 0), or 0 when it does not tell. One unit is one
    /// observation.
    [[nodiscard]] std::int64_t weight() const noexcept;
};

[[nodiscard]] ResetEvidence compare_rules(const std::shared_ptr<const fast::Templates>& templates,
                                          const std::set<std::string>& with_initial, const Cut& cut,
                                          std::size_t groups, Rule resetting, Rule remembering);

}  // namespace tickpath::doctor
