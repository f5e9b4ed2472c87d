#include "dataplane/feed/normalizer.h"

namespace tickpath::feed {

Normalizer::Normalizer(framing::BookModel book, framing::LearnedScale scale, InstrumentDirectory& directory,
                       core::CounterPage& page, std::string_view owner)
    : book_(book),
      scale_(scale),
      directory_(directory),
      inexact_(page.add(owner, "inexact")),
      unknown_actions_(page.add(owner, "unknown_actions")),
      entry_ids_unknown_(page.add(owner, "entry_ids_not_numbers")),
      keys_unusable_(page.add(owner, "keys_unusable")) {}

model::InstrumentId Normalizer::find_by_text(const MessageReader& message) noexcept {
    const CompiledMessage& mapping = message.mapping();
    InstrumentKey key;
    for (std::uint32_t i = 0; i < mapping.key_count; ++i) {
        const FieldAt& field = mapping.key[i];
        if (i != 0) key.append('|');
        if (fast::is_text(field.ref.type)) {
            const fast::Text text = message.text(field);
            for (std::size_t at = 0; at < text.size() && !key.is_too_long(); ++at)
                key.append(text[at]);
        } else {
            key.append_number(message.integer(field));
        }
    }
    // A zero byte would end the key early in Instrument::feed_key and make two instruments one.
    if (key.is_too_long() || key.text().find('\0') != std::string_view::npos) [[unlikely]] {
        keys_unusable_.add();
        return model::no_instrument;
    }
    return directory_.find(key.text(), scale_);
}

}  // namespace tickpath::feed
