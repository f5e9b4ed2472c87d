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

}  // namespace

std::string_view code(Errc error) noexcept {
    return codes[static_cast<std::size_t>(error)];
}
std::string_view describe(Errc error) noexcept {
    return phrases[static_cast<std::size_t>(error)];
}

}  // namespace tickpath
