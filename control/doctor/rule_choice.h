// Which reset rule a recording was made under: those that fail go first, then those whose values differ are
// weighed against one another. Errors alone do not tell (spec/fast-feeds.md §2). Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "control/doctor/framing_choice.h"
#include "control/doctor/reset_evidence.h"
#include "control/doctor/trial.h"

namespace tickpath::doctor {

struct RuleTry {
    Trial trial;
    bool is_found = false;
    bool gives_found_values = false;  ///< the found one, and those that differ from it in no value
    bool failed = false;              ///< decodes less than others
    std::string reason;               ///< why it is not this one
    ResetEvidence evidence;           ///< from its comparison with the found one
};

struct RuleChoice {
    std::vector<RuleTry> tries;  ///< from the rule that resets most often to the one that never does
    std::size_t best = 0;        ///< index
    /// Observations that speak for it in the closest comparison; negative when another was not beaten.
    std::int64_t weight = 0;
    bool is_alone = false;  ///< no rule that decodes as well gives other values

    [[nodiscard]] std::vector<Rule> same_rules() const;
};

[[nodiscard]] RuleChoice choose_rule(const Recording& recording,
                                     const std::shared_ptr<const fast::Templates>& templates,
                                     const std::string& templates_xml, const FramingTry& framing);

}  // namespace tickpath::doctor
