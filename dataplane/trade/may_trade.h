// Whether an order may be sent at all at this moment, before its size and price are looked at. Hot: once per
// order.
#pragma once

#include <cstdint>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/refusal.h"
#include "dataplane/trade/trade_settings.h"

namespace tickpath::trade {

class MayTrade {
public:
    MayTrade(const MayTradeSettings& settings, core::CycleClock clock) noexcept
        : age_max_cycles_(clock.to_cycles(settings.max_tick_age_us * 1000)),
          is_armed_(settings.armed),
          any_book_(settings.trade_when == TradeWhen::any) {}

    void arm() noexcept { is_armed_ = true; }
    void disarm() noexcept { is_armed_ = false; }
    [[nodiscard]] bool is_armed() const noexcept { return is_armed_; }

    /// `rx_cycles`: of the tick that triggers; a stamp of another core's counter may be slightly ahead of
    /// `now_cycles`.
    [[nodiscard]] Refusal check(bool session_ready, const Book& book, std::uint64_t rx_cycles,
                                std::uint64_t now_cycles) const noexcept {
        if (!is_armed_) return Refusal::disarmed;
        if (!session_ready) return Refusal::session_not_ready;
        if (!any_book_) {
            if (!book.is_valid()) return Refusal::book_invalid;
            if (book.is_crossed()) return Refusal::book_crossed;
        }
        const auto age = static_cast<std::int64_t>(now_cycles - rx_cycles);
        if (age_max_cycles_ != 0 && age > static_cast<std::int64_t>(age_max_cycles_))
            return Refusal::tick_too_old;
        return Refusal::none;
    }

private:
    std::uint64_t age_max_cycles_;
    bool is_armed_;
    bool any_book_;
};

}  // namespace tickpath::trade
