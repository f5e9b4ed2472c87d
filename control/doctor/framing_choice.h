// Which framing cuts a recording into datagrams that decode. Cold.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "control/doctor/framing.h"
#include "control/doctor/trial.h"

namespace tickpath::doctor {

/// Less than this share of a recording's bytes decoded: nothing can be said to fit.
inline constexpr double share_min = 0.9;

struct FramingTry {
    Framing framing;
    Cut cut;
    Trial trial;         ///< of the rule that decodes most
    double share = 0;    ///< of the bytes that decode
    std::string reason;  ///< why it is not this one; empty for the best if that decodes enough
};

struct FramingChoice {
    std::vector<FramingTry> tries;
    std::size_t best = 0;   ///< index
    bool is_clear = false;  ///< no other does as well
};

[[nodiscard]] FramingChoice choose_framing(const Recording& recording,
                                           const std::shared_ptr<const fast::Templates>& templates,
                                           const std::vector<framing::FeedDescription>& feeds);

}  // namespace tickpath::doctor
