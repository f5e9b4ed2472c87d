#include "decoders/fast/encode_dictionary.h"

#include <algorithm>

namespace tickpath::fast {

EncodeDictionary::EncodeDictionary(const Program& program, std::uint32_t text_bytes_max, bool refers)
    : assigned_(program.dictionary_words),
      empty_(program.dictionary_words),
      values_(program.entry_count),
      exponents_(program.entry_count),
      texts_(program.entry_count),
      types_(program.entry_types),
      place_of_(program.entry_count),
      turn_(program.entry_count),
      text_bytes_max_(text_bytes_max),
      refers_(refers),
      assigned_before_(program.dictionary_words),
      empty_before_(program.dictionary_words),
      unsaved_(program.dictionary_words) {
    std::uint32_t pairs = 0;
    for (const std::uint16_t entry : program.all_text_entries)
        place_of_[entry] = pairs++;
    places_.resize(std::size_t{pairs} * 2 * text_bytes_max);
    saved_.reserve(program.entry_count);
}

void EncodeDictionary::begin_message() noexcept {
    for (std::size_t i = 0; i < assigned_.size(); ++i) {
        assigned_before_[i] = unsaved_[i] = assigned_[i];
        empty_before_[i] = empty_[i];
    }
    saved_.clear();
}

void EncodeDictionary::roll_back() noexcept {
    for (const Saved& saved : saved_) {
        values_[saved.entry] = saved.value;
        exponents_[saved.entry] = saved.exponent;
        texts_[saved.entry] = saved.text;
        types_[saved.entry] = saved.type;
        turn_[saved.entry] = saved.turn;
    }
    std::copy(assigned_before_.begin(), assigned_before_.end(), assigned_.begin());
    std::copy(empty_before_.begin(), empty_before_.end(), empty_.begin());
}

void EncodeDictionary::forget() noexcept {
    for (std::size_t i = 0; i < assigned_.size(); ++i)
        assigned_[i] = empty_[i] = 0;
}

void EncodeDictionary::save(unsigned entry) noexcept {
    unsaved_[entry / 64] &= ~mask(entry);
    saved_.push_back({.entry = static_cast<std::uint16_t>(entry),
                      .type = types_[entry],
                      .turn = turn_[entry],
                      .value = values_[entry],
                      .exponent = exponents_[entry],
                      .text = texts_[entry]});
    turn_[entry] ^= 1;  // the text's place belongs to what was put aside
}

bool EncodeDictionary::keep_text(unsigned entry, Text value) noexcept {
    if (value.size() > text_bytes_max_) {
        if (!refers_) return false;
        keep_constant(entry, value);
        return true;
    }
    replace(entry);
    const std::size_t place = (std::size_t{place_of_[entry]} * 2 + turn_[entry]) * text_bytes_max_;
    value.copy_to({places_.data() + place, text_bytes_max_});
    texts_[entry] = Text(places_.data() + place, static_cast<std::uint32_t>(value.size()), 0xFF);
    return true;
}

}  // namespace tickpath::fast
