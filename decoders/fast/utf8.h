// Whether bytes are UTF-8, FAST 1.1 §10.6.4 and error R2.
#pragma once

#include <string_view>

namespace tickpath::fast {

/// Overlong forms, surrogates and values above U+10FFFF are not (RFC 3629).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace tickpath::fast
