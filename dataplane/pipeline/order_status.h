// The state of the order session and its link, as a trade thread tells control. Cold: written when it
// changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "dataplane/model/order_link.h"
#include "dataplane/session/fix_session.h"

namespace tickpath::pipeline {

struct OrderStatus {
    session::State session = session::State::disconnected;
    model::LinkState link = model::LinkState::down;
    std::size_t text_chars = 0;
    std::array<char, 192> text_bytes{};  ///< why the link or session is down, for a person

    [[nodiscard]] std::string_view text() const noexcept { return {text_bytes.data(), text_chars}; }
    void set_text(std::string_view why) noexcept {
        text_chars = std::min(why.size(), text_bytes.size());
        std::copy_n(why.begin(), text_chars, text_bytes.begin());
    }
    [[nodiscard]] bool is_like(const OrderStatus& other) const noexcept {
        return session == other.session && link == other.link && text() == other.text();
    }
};

}  // namespace tickpath::pipeline
