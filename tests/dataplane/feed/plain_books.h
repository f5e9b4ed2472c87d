// A consumer as simple as can be: level books made from ticks the way model::Tick says, to see whether the
// flags tell the truth.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "dataplane/model/tick.h"

namespace tickpath::test {

struct PlainLevel {
    std::int64_t price = 0;
    std::int64_t quantity = 0;

    friend bool operator==(const PlainLevel&, const PlainLevel&) = default;
};

struct PlainBook {
    bool is_valid = false;
    std::uint32_t sequence = 0;
    std::array<std::vector<PlainLevel>, 2> sides;  // bid, ask; best first

    [[nodiscard]] bool same_levels(const PlainBook& other) const { return sides == other.sides; }
};

/// Books of one channel of `depth` levels a side.
class PlainBooks {
public:
    explicit PlainBooks(std::size_t depth) : depth_(depth) {}

    void apply(const model::Tick& tick) {
        namespace flag = model::tick_flag;
        if (tick.kind == model::TickKind::status) return set_status(tick);
        if (tick.has(flag::unused) || (tick.has(flag::stale) && !tick.has(flag::replayed))) return;
        PlainBook& book = books[tick.instrument];
        if (tick.instrument_sequence != 0) book.sequence = tick.instrument_sequence;
        if (tick.kind == model::TickKind::clear) book.sides = {};
        if (tick.kind == model::TickKind::quote) apply_quote(book, tick);
    }

    std::map<model::InstrumentId, PlainBook> books;
    std::size_t misplaced = 0;  // changes and removals of levels that are not there

private:
    void set_status(const model::Tick& tick) {
        const bool is_valid = tick.action == model::TickAction::set_valid;
        if (tick.instrument != model::no_instrument) {
            books[tick.instrument].is_valid = is_valid;
            return;
        }
        for (auto& [id, book] : books)
            book.is_valid = is_valid;
    }

    void apply_quote(PlainBook& book, const model::Tick& tick) {
        std::vector<PlainLevel>& side = book.sides[tick.side == model::Side::bid ? 0 : 1];
        const std::size_t at = tick.level - 1u;
        if (at > side.size() || (at == side.size() && tick.action != model::TickAction::add)) {
            ++misplaced;
            return;
        }
        const auto place = side.begin() + static_cast<std::ptrdiff_t>(at);
        if (tick.action == model::TickAction::add) {
            side.insert(place, {tick.price, tick.quantity});
            if (side.size() > depth_) side.pop_back();
        } else if (tick.action == model::TickAction::change) {
            *place = {tick.price, tick.quantity};
        } else {
            side.erase(place);
        }
    }

    std::size_t depth_;
};

}  // namespace tickpath::test
