// Text from outside, as it may stand on a terminal or in a log. Cold.
#pragma once

#include <string>
#include <string_view>

namespace tickpath {

/// The text with everything escaped ("\x1b", "\xff") that is no UTF-8 or controls a terminal; line breaks
/// and tabs stay. A name in a file or on a command line may hold any byte.
[[nodiscard]] std::string printable(std::string_view text);

/// The same with line breaks and tabs escaped, too, for a value that has to stay on its line.
[[nodiscard]] std::string printable_in_line(std::string_view text);

}  // namespace tickpath
