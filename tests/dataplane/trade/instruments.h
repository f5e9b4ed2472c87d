// Two known instruments for tests of the trade room.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dataplane/model/instrument.h"

namespace tickpath::trade::test {

inline model::Instrument make_instrument(model::InstrumentId id, std::string_view key,
                                         std::string_view symbol, std::int8_t price_places,
                                         std::int8_t quantity_places) {
    model::Instrument instrument;
    instrument.id = id;
    std::copy(key.begin(), key.end(), instrument.feed_key.begin());
    std::copy(symbol.begin(), symbol.end(), instrument.fix_symbol.begin());
    instrument.price_places = price_places;
    instrument.quantity_places = quantity_places;
    instrument.is_known = true;
    return instrument;
}

/// 0: prices to 2 places, whole quantities. 1: prices to 4 places, quantities to 1, a longer symbol.
inline std::vector<model::Instrument> two_instruments() {
    return {make_instrument(0, "49664582", "RTS-9.13", 2, 0),
            make_instrument(1, "USD|CETS", "USD000UTSTOM", 4, 1)};
}

}  // namespace tickpath::trade::test
