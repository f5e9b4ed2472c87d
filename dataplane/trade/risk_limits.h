// The risk settings of a configuration at each instrument's scales. Cold: made once at start.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/model/instrument.h"
#include "dataplane/trade/exposure.h"
#include "dataplane/trade/trade_settings.h"
#include "dataplane/trade/wide.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::trade {

/// Limits of one instrument, the tighter of the settings' and its own, at its scales; 0 = not checked.
struct InstrumentLimits {
    std::int64_t quantity_max = 0;
    std::int64_t net_max = 0;
    std::int64_t tick_size = 0;
    std::int64_t lot_size = 0;
    std::int64_t price_min = 0;
    std::int64_t price_max = 0;
};

struct RiskLimits {
    static constexpr int band_places = 6;  ///< of band_percent

    std::vector<InstrumentLimits> instruments;  ///< by id
    Wide gross_max = 0;                         ///< at the exposure's gross_places
    Wide notional_max = 0;                      ///< at the exposure's notional_places
    std::int64_t band_percent = 0;
};

/// Settings that a scale cannot hold exactly are errors at the line of the settings under `file`: one for
/// each setting, which names the first instrument and counts the others.
[[nodiscard]] RiskLimits risk_limits(const RiskSettings& settings,
                                     std::span<const model::Instrument> instruments,
                                     const ExposureTable& exposure, std::string_view file,
                                     Diagnostics& diagnostics);

}  // namespace tickpath::trade
