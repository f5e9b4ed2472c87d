#include "dataplane/feed/instrument_directory.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>

namespace tickpath::feed {

void InstrumentKey::append_number(std::uint64_t number) noexcept {
    std::array<char, 20> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    for (const char* digit = digits.data(); digit != end; ++digit)
        append(*digit);
}

InstrumentDirectory::InstrumentDirectory(const InstrumentTable& table, core::CounterPage& page,
                                         std::string_view owner)
    : table_(table),
      slots_(std::bit_ceil(
                 std::max<std::size_t>(16, 2 * (std::size_t{table.known_count} + table.learned_max) + 1)),
             model::no_instrument),
      shift_(64u - static_cast<unsigned>(std::countr_zero(slots_.size()))),
      learned_(page.add(owner, "instruments_learned")),
      not_learned_(page.add(owner, "instruments_not_learned")) {
    assert(table.known_count <= table.all.size() && table.learned_first >= table.known_count);
    assert(std::size_t{table.learned_first} + table.learned_max <= table.all.size());
    for (model::InstrumentId id = 0; id < table.known_count; ++id) {
        std::size_t at = home_of(table.all[id].key());
        while (slots_[at] != model::no_instrument)
            at = (at + 1) & (slots_.size() - 1);
        slots_[at] = id;
    }
}

model::InstrumentId InstrumentDirectory::learn(std::size_t slot, std::string_view key,
                                               framing::LearnedScale scale) noexcept {
    if (learned_count_ == table_.learned_max) {
        not_learned_.add();
        return model::no_instrument;
    }
    const model::InstrumentId id = table_.learned_first + learned_count_++;
    model::Instrument& instrument = table_.all[id];
    instrument = {};
    instrument.id = id;
    std::ranges::copy(key, instrument.feed_key.begin());
    instrument.price_places = scale.price_places;
    instrument.quantity_places = scale.quantity_places;
    slots_[slot] = id;
    learned_.add();
    return id;
}

}  // namespace tickpath::feed
