// What commands say to a person: on stderr, each line after the program's name. Data never comes here.
#pragma once

#include <iostream>
#include <string_view>

#include "decoders/base/diagnostics.h"
#include "decoders/base/printable.h"

namespace tickpath::cli {

inline void say(std::string_view line) {
    std::cerr << "tickpath: " << printable(line) << '\n';
}

/// Every finding on a line of its own.
inline void say(const Diagnostics& findings) {
    for (const Diagnostic& finding : findings.all())
        say(finding.format());
}

}  // namespace tickpath::cli
