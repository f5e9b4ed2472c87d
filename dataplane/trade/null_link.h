// The order link of a run that sends nothing: no connection, ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/model/order_link.h"

namespace tickpath::trade {

/// For order_link=none, where every order is refused, and order_link=shadow.
class NullLink {
public:
    [[nodiscard]] bool send(std::span<const std::byte>) noexcept { return false; }
    [[nodiscard]] std::size_t receive(std::span<std::byte>) noexcept { return 0; }
    void poll(std::uint64_t) noexcept {}
    [[nodiscard]] model::LinkState state() const noexcept { return model::LinkState::down; }
    [[nodiscard]] std::size_t backlog_bytes() const noexcept { return 0; }
    void close(bool) noexcept {}
    [[nodiscard]] std::uint64_t generation() const noexcept { return 0; }
};
static_assert(model::OrderLink<NullLink>);

}  // namespace tickpath::trade
