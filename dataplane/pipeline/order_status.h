// The state of the order session and its link, as a trade thread tells control. Cold: written when it
// changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dataplane/model/order_link.h"
#include "dataplane/session/fix_session.h"

namespace tickpath::pipeline {

/// A text of bounded length that crosses threads by value.
struct StatusText {
    std::size_t chars = 0;
    std::array<char, 192> bytes{};

    [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), chars}; }
    void set(std::string_view text) noexcept {
        chars = std::min(text.size(), bytes.size());
        std::copy_n(text.begin(), chars, bytes.begin());
    }
};

struct OrderStatus {
    session::State session = session::State::disconnected;
    model::LinkState link = model::LinkState::down;
    StatusText why;           ///< the link or session is down, for a person
    std::uint64_t ends = 0;   ///< connections that are over
    StatusText last_end_why;  ///< of the last of them: the next one may be up before anybody has looked

    /// The next status. An end is one whatever follows it, so each is told.
    void become(session::State session_now, model::LinkState link_now, std::string_view text) noexcept {
        const bool has_ended =
            session != session::State::disconnected && session_now == session::State::disconnected;
        session = session_now;
        link = link_now;
        why.set(text);
        if (!has_ended) return;
        ++ends;
        last_end_why = why;
    }
    /// Since `earlier` a connection has ended, and this status does not say why.
    [[nodiscard]] bool hides_an_end_since(const OrderStatus& earlier) const noexcept {
        return ends != earlier.ends && last_end_why.chars != 0 && last_end_why.view() != why.view();
    }
    [[nodiscard]] bool is_like(const OrderStatus& other) const noexcept {
        return session == other.session && link == other.link && why.view() == other.why.view() &&
               ends == other.ends;
    }
};

}  // namespace tickpath::pipeline
