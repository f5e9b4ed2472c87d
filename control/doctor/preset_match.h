// Which feed descriptions fit what was found: framing, reset rule, templates, groups. Cold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "control/doctor/framing_choice.h"
#include "control/doctor/trial.h"
#include "decoders/framing/description.h"

namespace tickpath::doctor {

struct PresetMatch {
    std::string source;  ///< as --feed takes it: a preset's name or a file
    bool framing_fits = false;
    bool reset_fits = false;
    std::size_t mappings = 0;        ///< message kinds it maps
    std::size_t mappings_found = 0;  ///< of those, with a template in the file
    std::size_t groups = 0;          ///< of the recording; 0 for a file
    std::size_t groups_known = 0;    ///< of those, in the description

    /// Groups do not count: a recording may be made elsewhere.
    [[nodiscard]] bool fits() const noexcept { return framing_fits && reset_fits && mappings_found != 0; }
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] Rule rule_of(const framing::FeedDescription& feed);

/// `same` are the rules that give the found values.
[[nodiscard]] PresetMatch match_preset(const framing::FeedDescription& feed, const fast::Templates& templates,
                                       const Recording& recording, const FramingTry& found,
                                       const std::vector<Rule>& same);

}  // namespace tickpath::doctor
