// The instrument file: which instruments are known, their FIX symbols, scales and limits. Cold.
//
// CSV with a header line; columns in any order, values in real units as decimal text ("0.01", "133310"):
//   key,symbol,price_places,quantity_places       required
//   tick_size,lot_size,price_min,price_max,order_quantity_max,position_max       optional; empty = not set
// Empty lines and lines that start with '#' are skipped. A cell may stand in double quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/model/instrument.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::config {

/// Known instruments, ids 0, 1, … in the order of the file. Reports every problem with file and line: unknown
/// or missing columns, numbers that do not fit their scale exactly, empty or repeated keys, texts too long.
[[nodiscard]] std::vector<model::Instrument> parse_instruments(std::string_view csv,
                                                               std::string_view file_name,
                                                               Diagnostics& diagnostics);
[[nodiscard]] std::vector<model::Instrument> load_instruments(const std::string& path,
                                                              Diagnostics& diagnostics);

}  // namespace tickpath::config
