// Pre-trade limits on size, price, rate, position and money. Hot: check, once per order; integers only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/instrument.h"
#include "dataplane/model/order.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/exposure.h"
#include "dataplane/trade/kill_switch.h"
#include "dataplane/trade/refusal.h"
#include "dataplane/trade/risk_limits.h"
#include "dataplane/trade/trade_settings.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::trade {

/// Orders per second with a burst: a token bucket told as the time at which it is full again, so that it is
/// one number and needs no division.
class OrderRate {
public:
    /// `per_second` 0: no limit.
    OrderRate(std::uint32_t per_second, std::uint32_t burst, core::CycleClock clock) noexcept;

    [[nodiscard]] bool allows(std::uint64_t now_cycles) const noexcept {
        const auto until_full = static_cast<std::int64_t>(full_at_cycles_ - now_cycles);
        return until_full <= slack_cycles_;
    }
    void take(std::uint64_t now_cycles) noexcept {
        if (static_cast<std::int64_t>(full_at_cycles_ - now_cycles) < 0) full_at_cycles_ = now_cycles;
        full_at_cycles_ += order_cycles_;
    }

private:
    std::uint64_t order_cycles_;  ///< in which one token grows back
    std::int64_t slack_cycles_;   ///< burst - 1 tokens
    std::uint64_t full_at_cycles_ = 0;
};

/// All limits, converted once to each instrument's scales. `check` changes nothing; `commit` takes the
/// order's share of the rate when it leaves.
class Risk {
public:
    /// Settings that no scale can hold are errors under `file`, see risk_limits.
    Risk(const RiskSettings& settings, std::span<const model::Instrument> instruments,
         const ExposureTable& exposure, const KillSwitch& kill, core::CycleClock clock, std::string_view file,
         Diagnostics& diagnostics);

    /// The first limit that `intent` breaks. Its instrument must be in the file.
    [[nodiscard]] Refusal check(const model::OrderIntent& intent, const Book& book,
                                std::uint64_t now_cycles) const noexcept;
    void commit(std::uint64_t now_cycles) noexcept { rate_.take(now_cycles); }

private:
    [[nodiscard]] Refusal check_order(const model::OrderIntent& intent,
                                      const InstrumentLimits& limits) const noexcept;
    [[nodiscard]] Refusal check_band(std::int64_t price, const Book& book) const noexcept;
    [[nodiscard]] Refusal check_worst(const model::OrderIntent& intent,
                                      const InstrumentLimits& limits) const noexcept;

    RiskLimits limits_;
    const ExposureTable& exposure_;
    const KillSwitch& kill_;
    OrderRate rate_;
};

}  // namespace tickpath::trade
