// Whether a kernel interface is still there: an af_packet or af_xdp port under which it goes away just
// receives nothing more. Cold; asked once a second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tickpath::port {

enum class InterfaceState : std::uint8_t {
    up,
    down,        ///< set down by somebody
    no_carrier,  ///< up, but nothing at the other end
    gone,        ///< deleted, or moved to another namespace
    replaced,    ///< gone, and another one has its name
};

/// One interface from when it is first seen. A socket is bound to an interface and not to its name: once gone
/// it stays so for whoever received from it.
class InterfaceWatch {
public:
    /// The interface that has this name now. When there is none, `look` says gone.
    explicit InterfaceWatch(std::string_view name);

    /// How it is now. A machine that does not answer (no descriptor left) counts as up: that is no news.
    [[nodiscard]] InterfaceState look();

private:
    std::string name_;
    unsigned index_;
    bool is_gone_;
};

}  // namespace tickpath::port
