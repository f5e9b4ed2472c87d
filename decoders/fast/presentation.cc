#include "decoders/fast/presentation.h"

#include <algorithm>

namespace tickpath::fast {
namespace {

void append_word(std::string& text, std::string_view word) {
    if (word.empty()) return;
    if (!text.empty()) text += ' ';
    text += word;
}

}  // namespace

const PresentationElement* Presentation::element(std::uint64_t value) const noexcept {
    const auto found = std::find_if(elements.begin(), elements.end(),
                                    [&](const PresentationElement& one) { return one.value == value; });
    return found == elements.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> Presentation::value_of(std::string_view name) const noexcept {
    for (const PresentationElement& one : elements)
        if (one.name == name || (!one.id.empty() && one.id == name)) return one.value;
    return std::nullopt;
}

std::string Presentation::text(std::uint64_t value) const {
    std::string text;
    switch (kind) {
        case PresentationKind::plain:
            break;
        case PresentationKind::enumerated:
        case PresentationKind::boolean:
            if (const PresentationElement* const one = element(value)) text = one->label();
            break;
        case PresentationKind::set:
            for (const PresentationElement& one : elements)
                if ((value >> one.value & 1u) != 0) append_word(text, one.label());
            break;
        case PresentationKind::timestamp:
            append_word(text, name_of(unit));
            append_word(text, name_of(epoch));
            break;
    }
    return text;
}

// As the XML spells them.
std::string_view name_of(PresentationKind kind) noexcept {
    switch (kind) {
        case PresentationKind::plain:
            return "";
        case PresentationKind::enumerated:
            return "enum";
        case PresentationKind::boolean:
            return "boolean";
        case PresentationKind::set:
            return "set";
        case PresentationKind::timestamp:
            return "timestamp";
    }
    return "";
}

std::string_view name_of(TimeUnit unit) noexcept {
    switch (unit) {
        case TimeUnit::unsaid:
            return "";
        case TimeUnit::day:
            return "day";
        case TimeUnit::second:
            return "second";
        case TimeUnit::millisecond:
            return "millisecond";
        case TimeUnit::microsecond:
            return "microsecond";
        case TimeUnit::nanosecond:
            return "nanosecond";
    }
    return "";
}

std::string_view name_of(TimeEpoch epoch) noexcept {
    switch (epoch) {
        case TimeEpoch::unsaid:
            return "";
        case TimeEpoch::today:
            return "today";
        case TimeEpoch::unix_:
            return "unix";
        case TimeEpoch::millennium:
            return "millennium";
    }
    return "";
}

}  // namespace tickpath::fast
