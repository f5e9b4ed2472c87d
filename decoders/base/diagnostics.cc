#include "decoders/base/diagnostics.h"

#include <algorithm>
#include <numeric>

#include "decoders/base/printable.h"

namespace tickpath {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string Diagnostic::format() const {
    std::string out = file;
    if (line != 0) out += ':' + std::to_string(line);
    if (line != 0 && column != 0) out += ':' + std::to_string(column);
    if (!out.empty()) out += ": ";
    if (severity == Severity::warning) out += "warning: ";
    return printable(out + text);
}

void Diagnostics::add(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::error) ++error_count_;
    all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(std::string_view file, std::uint32_t line, std::string text, Errc error) {
    add({Severity::error, error, std::string(file), line, 0, std::move(text)});
}

void Diagnostics::warning(std::string_view file, std::uint32_t line, std::string text, Errc error) {
    add({Severity::warning, error, std::string(file), line, 0, std::move(text)});
}

std::string Diagnostics::format() const {
    std::string out;
    for (const Diagnostic& diagnostic : all_)
        out += diagnostic.format() + '\n';
    return out;
}

TextPosition position_of(std::string_view text, std::size_t offset) noexcept {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t last_break = before.rfind('\n');
    const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
    return {lines + 1, static_cast<std::uint32_t>(before.size() - line_start) + 1};
}

std::string_view nearest_spelling(std::string_view word, const std::vector<std::string_view>& known) {
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace tickpath
