// The part of check.h that is about feeds: descriptions, lines and the ports they arrive at. Cold.
#pragma once

#include <vector>

#include "control/config/check.h"

namespace tickpath::config {

/// One entry per <feed>, in order; an incomplete one (with a finding) when its description cannot be used.
[[nodiscard]] std::vector<CheckedFeed> check_feeds(const RunConfig& config, Diagnostics& diagnostics);

/// Index of the port of this name; nullopt, with a finding that names the nearest, when there is none.
/// Without a finding when a port is nameless, which the loader reports.
[[nodiscard]] std::optional<std::uint16_t> find_port(const RunConfig& config, std::string_view name,
                                                     FileLine line, Diagnostics& diagnostics);

/// False, with a finding, when `file` cannot be opened for reading.
bool check_readable(const RunConfig& config, const std::filesystem::path& file, FileLine line,
                    Diagnostics& diagnostics);

}  // namespace tickpath::config
