// What start-up has to say to a person about files it read: every problem at once, each with file and line.
// Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoders/base/error.h"

namespace tickpath {

enum class Severity : std::uint8_t { warning, error };

/// One finding about one place of a file. `line` and `column` count from 1; 0 means the whole file.
struct Diagnostic {
    Severity severity = Severity::error;
    Errc error = Errc::config;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string text;  ///< what was found, and what to do about it

    /// "config/lab.xml:12: group 239.1.1.300 is not an IPv4 multicast address (expected …)"
    [[nodiscard]] std::string format() const;
};

/// Collects findings; loading goes on after an error so that a person sees all of them.
class Diagnostics {
public:
    void add(Diagnostic diagnostic);
    void error(std::string_view file, std::uint32_t line, std::string text, Errc error = Errc::config);
    void warning(std::string_view file, std::uint32_t line, std::string text, Errc error = Errc::config);

    [[nodiscard]] bool has_errors() const noexcept { return error_count_ != 0; }
    [[nodiscard]] const std::vector<Diagnostic>& all() const noexcept { return all_; }

    /// One finding a line, each ended by '\n'.
    [[nodiscard]] std::string format() const;

private:
    std::vector<Diagnostic> all_;
    std::size_t error_count_ = 0;
};

/// Line and column (both from 1) of a byte offset in a text; an XML parser reports offsets only.
struct TextPosition {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};
[[nodiscard]] TextPosition position_of(std::string_view text, std::size_t offset) noexcept;

/// The entry of `known` nearest to `word` by edit distance, or empty when none is near: for "did you mean".
[[nodiscard]] std::string_view nearest_spelling(std::string_view word,
                                                const std::vector<std::string_view>& known);

}  // namespace tickpath
