#include "dataplane/trade/order_gateway.h"

#include <string>

namespace tickpath::trade {

PreparedOrders::PreparedOrders(const fix::OrderTemplate& order, const fix::TemplateIdentity& identity,
                               std::span<const model::Instrument> instruments, std::string_view file,
                               std::uint32_t line, Diagnostics& diagnostics)
    : prepared_(instruments.size()) {
    std::vector<std::size_t> symbol_chars;  // of messages_, by index
    for (std::size_t i = 0; i < instruments.size(); ++i) {
        const model::Instrument& of = instruments[i];
        const auto constants =
            fix::TemplateInstrument::make(of.symbol(), of.price_places, of.quantity_places);
        if (!constants) {
            diagnostics.error(file, line,
                              "instrument " + std::string(of.key()) +
                                  ": no order can be written with symbol '" + std::string(of.symbol()) +
                                  "', price_places " + std::to_string(of.price_places) +
                                  " and quantity_places " + std::to_string(of.quantity_places));
            continue;
        }
        const auto same = std::find(symbol_chars.begin(), symbol_chars.end(), of.symbol().size());
        prepared_[i] = {*constants, static_cast<std::uint32_t>(same - symbol_chars.begin())};
        if (same != symbol_chars.end()) continue;
        symbol_chars.push_back(of.symbol().size());
        messages_.emplace_back(order, identity);
    }
}

}  // namespace tickpath::trade
