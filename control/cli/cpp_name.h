// Names that go into generated C++ as they are. Cold.
#pragma once

#include <string_view>

namespace tickpath::cli {

/// Whether a namespace can have this name: "fast_demo", "ours::decoders"; no keyword among its parts.
[[nodiscard]] bool is_namespace(std::string_view text);

}  // namespace tickpath::cli
