#include "control/config/instruments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "control/config/attribute_reader.h"
#include "decoders/base/decimal.h"
#include "decoders/base/whole_file.h"

namespace tickpath::config {
namespace {

using Cells = std::vector<std::string>;

constexpr int places_max = 18;

// Spreadsheets put it before UTF-8.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// A million instruments have about 100 MB.
constexpr std::size_t instrument_file_bytes_max = std::size_t{256} << 20;

/// The decimal scale at which a column's values are kept.
enum class Scale : std::uint8_t { price, quantity };

/// A column that holds a value in real units.
struct ValueColumn {
    std::string_view name;
    std::int64_t model::Instrument::*member;
    Scale scale;
    bool may_be_negative;
};
constexpr auto value_columns = std::to_array<ValueColumn>({
    {"tick_size", &model::Instrument::tick_size, Scale::price, false},
    {"lot_size", &model::Instrument::lot_size, Scale::quantity, false},
    {"price_min", &model::Instrument::price_min, Scale::price, true},
    {"price_max", &model::Instrument::price_max, Scale::price, true},
    {"order_quantity_max", &model::Instrument::order_quantity_max, Scale::quantity, false},
    {"position_max", &model::Instrument::position_max, Scale::quantity, false},
});
constexpr auto required_columns =
    std::to_array<std::string_view>({"key", "symbol", "price_places", "quantity_places"});

std::vector<std::string_view> known_columns() {
    std::vector<std::string_view> known(required_columns.begin(), required_columns.end());
    for (const ValueColumn& column : value_columns)
        known.push_back(column.name);
    return known;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// Cells of one line without blanks around them; nullopt when a quote is not closed.
std::optional<Cells> split(std::string_view line) {
    Cells cells(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += c;
            ++i;
        } else if (c == '"' && (is_quoted || trimmed(cells.back()).empty())) {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            cells.back() = trimmed(cells.back());
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    cells.back() = trimmed(cells.back());
    if (is_quoted) return std::nullopt;
    return cells;
}

class InstrumentFile {
public:
    InstrumentFile(std::string_view file_name, Diagnostics& diagnostics)
        : file_name_(file_name), diagnostics_(diagnostics) {}

    std::vector<model::Instrument> read(std::string_view csv) {
        if (csv.starts_with(byte_order_mark)) csv.remove_prefix(byte_order_mark.size());
        while (!csv.empty()) {
            const std::size_t end = std::min(csv.find('\n'), csv.size());
            std::string_view text = csv.substr(0, end);
            csv.remove_prefix(std::min(end + 1, csv.size()));
            ++line_;
            if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
            if (trimmed(text).empty() || trimmed(text).front() == '#') continue;
            if (!columns_.empty()) has_rows_ = true;
            const std::optional<Cells> cells = split(text);
            if (!cells) {
                error("a quote is not closed");
            } else if (columns_.empty()) {
                if (!read_header(*cells)) return {};
            } else {
                read_row(*cells);
            }
        }
        if (columns_.empty())
            diagnostics_.error(file_name_, 0, "no header line, expected " + expected_header());
        else if (!has_rows_)
            diagnostics_.warning(file_name_, 0, "no instrument below the header line: none may be traded");
        return std::move(instruments_);
    }

private:
    void error(std::string text) { diagnostics_.error(file_name_, line_, std::move(text)); }

    static std::string expected_header() {
        std::string out;
        for (const std::string_view name : known_columns())
            out += (out.empty() ? "" : ",") + std::string(name);
        return out;
    }

    /// False when rows cannot be read by it.
    bool read_header(const Cells& cells) {
        const std::vector<std::string_view> known = known_columns();
        bool is_good = true;
        for (const std::string& name : cells) {
            if (std::ranges::find(known, name) == known.end()) {
                const std::string_view near = nearest_spelling(name, known);
                error("unknown column " + name +
                      (near.empty() ? std::string() : " (did you mean " + std::string(near) + "?)"));
                is_good = false;
            } else if (std::ranges::count(cells, name) > 1) {
                error("column " + name + " stands twice");
                is_good = false;
            }
        }
        for (const std::string_view name : required_columns) {
            if (std::ranges::find(cells, name) != cells.end()) continue;
            error("column " + std::string(name) + " is missing");
            is_good = false;
        }
        columns_ = cells;
        return is_good;
    }

    [[nodiscard]] std::string cell(std::string_view column) const {
        const auto at = std::ranges::find(columns_, column);
        return at == columns_.end() ? std::string()
                                    : (*row_)[static_cast<std::size_t>(at - columns_.begin())];
    }

    void read_row(const Cells& cells) {
        if (cells.size() != columns_.size())
            return error(std::to_string(cells.size()) + " cells, the header has " +
                         std::to_string(columns_.size()));
        row_ = &cells;
        model::Instrument instrument;
        instrument.id = static_cast<model::InstrumentId>(instruments_.size());
        instrument.is_known = true;
        read_text("key", instrument.feed_key);
        read_text("symbol", instrument.fix_symbol);
        instrument.price_places = read_places("price_places");
        instrument.quantity_places = read_places("quantity_places");
        for (const ValueColumn& column : value_columns)
            read_value(column, instrument);
        check_band(instrument);
        const auto [seen, is_new] = lines_by_key_.try_emplace(cell("key"), line_);
        if (!is_new)
            error("key " + seen->first + " stands in line " + std::to_string(seen->second) + " already");
        instruments_.push_back(instrument);
    }

    template <std::size_t N>
    void read_text(std::string_view column, std::array<char, N>& text) {
        const std::string value = cell(column);
        if (value.empty()) error(std::string(column) + " is empty");
        if (value.size() >= N)
            return error(std::string(column) + " " + value + " has more than " + std::to_string(N - 1) +
                         " characters");
        std::ranges::copy(value, text.begin());
    }

    std::int8_t read_places(std::string_view column) {
        const std::string value = cell(column);
        int places = -1;
        const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), places);
        if (failure == std::errc() && end == value.data() + value.size() && places >= 0 &&
            places <= places_max)
            return static_cast<std::int8_t>(places);
        error(std::string(column) + " \"" + value + "\" is not a number of decimal places from 0 to " +
              std::to_string(places_max));
        return 0;
    }

    void read_value(const ValueColumn& column, model::Instrument& instrument) {
        std::string text = cell(column.name);
        if (text.empty()) return;
        const int places =
            column.scale == Scale::price ? instrument.price_places : instrument.quantity_places;
        const bool is_negative = column.may_be_negative && text.front() == '-';
        std::optional<Decimal> value = parse_decimal(std::string_view(text).substr(is_negative ? 1 : 0));
        if (!value) return error(std::string(column.name) + " \"" + text + "\" is not a decimal number");
        if (is_negative) value->mantissa = -value->mantissa;
        const std::optional<std::int64_t> scaled = at_places(*value, places);
        if (!scaled)
            return error(std::string(column.name) + " " + text + " cannot be held exactly with " +
                         std::to_string(places) + " decimal places");
        instrument.*column.member = *scaled;
    }

    void check_band(const model::Instrument& instrument) {
        if (cell("price_min").empty() != cell("price_max").empty())
            return error("price_min and price_max go together");
        if (instrument.price_min > instrument.price_max) error("price_min is above price_max");
    }

    std::string_view file_name_;
    Diagnostics& diagnostics_;
    std::uint32_t line_ = 0;
    Cells columns_;
    bool has_rows_ = false;  ///< right or wrong ones
    const Cells* row_ = nullptr;
    std::map<std::string, std::uint32_t> lines_by_key_;
    std::vector<model::Instrument> instruments_;
};

}  // namespace

std::vector<model::Instrument> parse_instruments(std::string_view csv, std::string_view file_name,
                                                 Diagnostics& diagnostics) {
    return InstrumentFile(file_name, diagnostics).read(csv);
}

std::vector<model::Instrument> load_instruments(const std::string& path, Diagnostics& diagnostics) {
    const FileContent content = read_whole_file(path, instrument_file_bytes_max);
    if (!content) {
        diagnostics.error(path, 0, content.why, content.error);
        return {};
    }
    return parse_instruments(content.bytes, path, diagnostics);
}

}  // namespace tickpath::config
