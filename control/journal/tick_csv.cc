#include "control/journal/tick_csv.h"

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>

#include "dataplane/model/timestamp.h"

namespace tickpath::journal {
namespace {

using model::Tick;
namespace flag = model::tick_flag;

constexpr std::array<std::string_view, 4> line_names = {"A", "B", "SA", "SB"};
constexpr std::array<std::string_view, 7> kind_names = {"quote",         "trade", "clear",  "status",
                                                        "open_interest", "index", "session"};
constexpr std::array<std::string_view, 3> side_names = {"", "bid", "ask"};
constexpr std::array<std::string_view, 5> action_names = {"add", "change", "remove", "set_valid",
                                                          "set_invalid"};

struct FlagName {
    std::uint16_t bit;
    std::string_view name;
};
constexpr std::array<FlagName, 11> flag_names = {{{flag::last_of_event, "last_of_event"},
                                                  {flag::last_of_packet, "last_of_packet"},
                                                  {flag::snapshot, "snapshot"},
                                                  {flag::stale, "stale"},
                                                  {flag::unused, "unused"},
                                                  {flag::replayed, "replayed"},
                                                  {flag::no_price, "no_price"},
                                                  {flag::no_quantity, "no_quantity"},
                                                  {flag::inexact, "inexact"},
                                                  {flag::own_event, "own_event"},
                                                  {flag::early, "early"}}};

template <std::size_t N, class Index>
std::string_view at_or_empty(const std::array<std::string_view, N>& names, Index index) {
    const auto i = static_cast<std::size_t>(index);
    return i < N ? names[i] : std::string_view();
}

void append_number(std::string& out, std::integral auto number) {
    std::array<char, 20> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), end);
}

void append_unless_zero(std::string& out, std::uint64_t number) {
    if (number != 0) append_number(out, number);
}

/// `scaled` with a point before its last `places` digits: 13331 at 2 places is 133.31, 5 at 3 places 0.005.
void append_scaled(std::string& out, std::int64_t scaled, int places) {
    const bool is_negative = scaled < 0;
    const std::uint64_t magnitude =
        is_negative ? 0 - static_cast<std::uint64_t>(scaled) : static_cast<std::uint64_t>(scaled);
    std::array<char, 20> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude);
    const auto count = static_cast<int>(end - digits.data());
    if (is_negative) out += '-';
    if (places <= 0) {
        out.append(digits.data(), end);
        return;
    }
    const int whole = count - places;
    if (whole > 0) {
        out.append(digits.data(), static_cast<std::size_t>(whole));
    } else {
        out += '0';
    }
    out += '.';
    if (whole < 0) out.append(static_cast<std::size_t>(-whole), '0');
    out.append(digits.data() + (whole > 0 ? whole : 0), end);
}

// A venue's key is text from outside: it may hold what CSV gives a meaning to.
void append_text(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void append_flags(std::string& out, std::uint16_t flags) {
    bool is_first = true;
    for (const FlagName& known : flag_names) {
        if ((flags & known.bit) == 0) continue;
        if (!is_first) out += '|';
        out += known.name;
        is_first = false;
    }
}

void append_place(std::string& out, const Tick& tick, const TickNames& names) {
    if (tick.channel < names.channels.size()) {
        append_text(out, names.channels[tick.channel]);
    } else {
        append_number(out, tick.channel);
    }
    out += ',';
    out += at_or_empty(line_names, tick.line);
    out += ',';
    append_number(out, tick.packet_sequence);
    out += ',';
    append_number(out, tick.message_index);
    out += ',';
    append_number(out, tick.entry_index);
}

void append_values(std::string& out, const Tick& tick, const model::Instrument* instrument) {
    const bool has_value = tick.kind != model::TickKind::clear && tick.kind != model::TickKind::status;
    const bool is_exact = has_value && !tick.has(flag::inexact);
    if (is_exact && !tick.has(flag::no_price))
        append_scaled(out, tick.price, instrument != nullptr ? instrument->price_places : 0);
    out += ',';
    if (is_exact && !tick.has(flag::no_quantity))
        append_scaled(out, tick.quantity, instrument != nullptr ? instrument->quantity_places : 0);
}

void append_times(std::string& out, const Tick& tick) {
    append_unless_zero(out, tick.exchange_time);
    out += ',';
    append_unless_zero(out, tick.sending_time);
    out += ',';
    append_unless_zero(out, tick.rx_time);
    out += ',';
    out += name(tick.rx_domain);
    out += ',';
    append_number(out, tick.frame_number);
}

}  // namespace

void append_tick_csv(std::string& out, const Tick& tick, const TickNames& names) {
    const model::Instrument* instrument =
        tick.instrument < names.instruments.size() ? &names.instruments[tick.instrument] : nullptr;

    append_place(out, tick, names);
    out += ',';
    if (instrument != nullptr) append_text(out, instrument->key());
    out += ',';
    if (instrument != nullptr) append_text(out, instrument->symbol());
    out += ',';
    out += at_or_empty(kind_names, tick.kind);
    out += ',';
    out += at_or_empty(side_names, tick.side);
    out += ',';
    out += at_or_empty(action_names, tick.action);
    out += ',';
    append_unless_zero(out, tick.level);
    out += ',';
    append_unless_zero(out, tick.entry_id);
    out += ',';
    append_values(out, tick, instrument);
    out += ',';
    append_unless_zero(out, tick.instrument_sequence);
    out += ',';
    append_times(out, tick);
    out += ',';
    append_flags(out, tick.flags);
    out += '\n';
}

}  // namespace tickpath::journal
