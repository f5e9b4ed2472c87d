#include "decoders/base/error.h"

#include <array>

namespace tickpath {
namespace {

constexpr std::array<std::string_view, errc_count> codes = {
#define TICKPATH_ERRC(name, code, phrase) code,
    TICKPATH_ERRORS(TICKPATH_ERRC)
#undef TICKPATH_ERRC
};

constexpr std::array<std::string_view, errc_count> phrases = {
#define TICKPATH_ERRC(name, code, phrase) phrase,
    TICKPATH_ERRORS(TICKPATH_ERRC)
#undef TICKPATH_ERRC
};

// A C caller or a damaged record can hold a number that is not in the list: it still prints as something.
std::string_view entry(const std::array<std::string_view, errc_count>& texts, Errc error) noexcept {
    const auto index = static_cast<std::size_t>(error);
    return index < texts.size() ? texts[index] : "unknown error";
}

}  // namespace

std::string_view code(Errc error) noexcept {
    return entry(codes, error);
}
std::string_view describe(Errc error) noexcept {
    return entry(phrases, error);
}

}  // namespace tickpath
