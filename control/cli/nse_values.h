// A decompressed NSE message as named values, in the order of its layout. Cold.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decoders/framing/nse_layout.h"

namespace tickpath::cli {

/// A field: either a scalar or rows. Numbers are as sent, unscaled; f64 in the shortest decimal form.
struct NseValue {
    std::string name;
    std::string text{};      ///< of a scalar
    bool is_number = false;  ///< else a string, in JSON in quotes
    bool has_rows = false;
    std::vector<std::vector<NseValue>> rows{};
};

/// Header fields, then the message's own. Without a layout (null) the header and `Body`, the rest in hex.
/// `message` is whole (framing::nse::check_length), prefix included.
[[nodiscard]] std::vector<NseValue> nse_values(std::span<const std::byte> message,
                                               const framing::nse::Layout* layout);

/// `{"name":value,…}`
void append_json(std::string& out, const std::vector<NseValue>& values);
/// `<name=value|…|Records=<…><…>>`
void append_text(std::string& out, const std::vector<NseValue>& values);

}  // namespace tickpath::cli
