// The check `fast`: how is this recording framed, and when are its dictionaries forgotten. Cold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/doctor/check.h"
#include "control/doctor/recording.h"
#include "decoders/fast/templates.h"
#include "decoders/framing/description.h"

namespace tickpath::doctor {

struct FastQuestion {
    Recording recording;
    std::string templates_file;
    std::string templates_xml;
    std::shared_ptr<const fast::Templates> templates;
    std::vector<framing::FeedDescription> feeds;  ///< presets, and files that a person named
};

/// `found`: with the options that `tickpath decode` takes. `cannot_tell`: what is missing. `bad_data`: less
/// than nine tenths of the bytes decode under any of them, or the file cannot be read.
[[nodiscard]] CheckReport check_fast(const FastQuestion& question);

}  // namespace tickpath::doctor
