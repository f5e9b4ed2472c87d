// Compares ticks with the rows of an expected.csv, which an independent decoder wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "decoders/base/decimal.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/support/shared_data.h"

namespace tickpath::test {

[[nodiscard]] inline std::string shared_feed(std::string_view file) {
    return (shared_data() / "feeds" / file).string();
}

/// The decimal of two cells; nullopt for an empty mantissa.
[[nodiscard]] inline std::optional<Decimal> decimal_in(const CsvTable& rows, std::size_t row,
                                                       const std::string& column) {
    if (rows.text(row, column + "_mantissa").empty()) return std::nullopt;
    return Decimal{rows.number(row, column + "_mantissa"),
                   static_cast<std::int32_t>(rows.number(row, column + "_exponent"))};
}

/// What the row calls a tick; nullptr for types that make none.
[[nodiscard]] inline const char* kind_in(const CsvTable& rows, std::size_t row) {
    const std::string& type = rows.text(row, "type");
    if (type == "0") return "bid";
    if (type == "1") return "ask";
    return type == "J" ? "clear" : "trade";
}
[[nodiscard]] inline const char* kind_of(const model::Tick& tick) {
    if (tick.kind == model::TickKind::quote) return tick.side == model::Side::bid ? "bid" : "ask";
    return tick.kind == model::TickKind::clear ? "clear" : "trade";
}

/// Columns that all three files share, as text; equal exactly when they are.
[[nodiscard]] inline std::string common_text(std::int64_t packet, std::int64_t sending_time,
                                             std::int64_t sequence, std::int64_t entry_time,
                                             std::string_view kind) {
    return "packet " + std::to_string(packet) + " sent " + std::to_string(sending_time) + " rpt " +
           std::to_string(sequence) + " at " + std::to_string(entry_time) + " " + std::string(kind);
}
[[nodiscard]] inline std::string common_text(const model::Tick& tick) {
    return common_text(tick.packet_sequence, static_cast<std::int64_t>(tick.sending_time),
                       tick.instrument_sequence, static_cast<std::int64_t>(tick.exchange_time),
                       kind_of(tick));
}
[[nodiscard]] inline std::string common_text(const CsvTable& rows, std::size_t row) {
    return common_text(rows.number(row, "msg_seq"), rows.number(row, "sending_time"),
                       rows.number(row, "rpt_seq"), rows.number(row, "entry_time"), kind_in(rows, row));
}

}  // namespace tickpath::test
