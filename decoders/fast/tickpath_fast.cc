#include "decoders/fast/tickpath_fast.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/message_builder.h"
#include "decoders/fast/stream_decoder.h"
#include "decoders/fast/template_loader.h"

namespace fast = tickpath::fast;
using tickpath::Decimal;
using tickpath::Diagnostics;
using tickpath::Errc;

struct tickpath_templates {
    std::shared_ptr<const fast::Templates> all;
};

namespace {

/// Texts of a tickpath_error_place, with their 0.
struct ErrorTexts {
    std::string tmpl;
    std::string field;
};

}  // namespace

struct tickpath_decoder {
    fast::Decoder decoder;
    ErrorTexts texts;
};

struct tickpath_stream {
    fast::StreamDecoder decoder;
    ErrorTexts texts;
};

struct tickpath_builder {
    fast::MessageBuilder builder;
};

struct tickpath_encoder {
    fast::Encoder encoder;
};

namespace {

// C sees the same bytes: a row is two pointers, a field eight bytes, and the types have the same numbers.
static_assert(sizeof(tickpath_row) == sizeof(fast::Row) && sizeof(tickpath_field) == sizeof(fast::FieldRef));
static_assert(offsetof(tickpath_field, type) == offsetof(fast::FieldRef, type) &&
              offsetof(tickpath_field, constant) == offsetof(fast::FieldRef, constant));
static_assert(TICKPATH_TYPE_DYNAMIC == static_cast<int>(fast::FieldType::dynamic) &&
              TICKPATH_TYPE_DECIMAL == static_cast<int>(fast::FieldType::decimal));
static_assert(TICKPATH_RESET_TEMPLATE_ID == static_cast<int>(fast::ResetRule::template_id));
static_assert(sizeof(tickpath_row_builder) == sizeof(fast::RowBuilder));
static_assert(TICKPATH_NO_TEMPLATE == fast::Message::no_template);

fast::Row row_of(tickpath_row row) noexcept {
    return std::bit_cast<fast::Row>(row);
}
tickpath_row row_of(const fast::Row& row) noexcept {
    return std::bit_cast<tickpath_row>(row);
}
fast::FieldRef field_of(tickpath_field field) noexcept {
    return {.slot = field.slot,
            .presence = field.presence,
            .row_words = field.row_words,
            .type = static_cast<fast::FieldType>(field.type),
            .constant = field.constant != 0};
}
// `fits`: whether the field is of the kind that the caller reads. C has no types that would say so.
bool is_there(tickpath_row row, tickpath_field field, bool fits) noexcept {
    return fits && row.words != nullptr && row_of(row).has(field_of(field));
}
Decimal decimal_of(tickpath_decimal decimal) noexcept {
    return {decimal.mantissa, decimal.exponent};
}

fast::RowBuilder row_of(tickpath_row_builder row) noexcept {
    return std::bit_cast<fast::RowBuilder>(row);
}

const fast::Template no_template;  // of no Templates: whoever is given it fails with `unknown`

// `index` out of range is a failure like others, which the builder remembers.
const fast::Template& template_of(const fast::MessageBuilder& builder, std::uint32_t index) noexcept {
    const std::vector<fast::Template>& all = builder.templates().all();
    return index < all.size() ? all[index] : no_template;
}

// Where memory for a value is missing the whole message fails: without the value it would be another one.
template <class Set>
int set(tickpath_row_builder row, tickpath_field field, Set set_value) noexcept {
    if (row.builder == nullptr) return 0;
    try {
        fast::RowBuilder builder = row_of(row);
        return set_value(builder, field_of(field)) ? 1 : 0;
    } catch (...) {
        static_cast<fast::MessageBuilder*>(row.builder)->begin(no_template);
        return 0;
    }
}

tickpath_error number_of(Errc error) noexcept {
    return static_cast<tickpath_error>(error);
}

Errc errc_of(tickpath_error error) noexcept {
    constexpr Errc unknown{0xFF};  // prints as what it is
    return error >= 0 && error < 0xFF ? static_cast<Errc>(error) : unknown;
}

// As much as fits, always ended by 0; returns the whole length.
std::size_t copy_text(std::string_view text, char* out, std::size_t size) noexcept {
    if (size == 0) return text.size();
    const std::size_t copied = std::min(text.size(), size - 1);
    std::memcpy(out, text.data(), copied);
    out[copied] = '\0';
    return text.size();
}

std::uint32_t chosen(std::uint32_t wanted, std::uint32_t by_default) noexcept {
    return wanted != 0 ? wanted : by_default;
}

fast::Limits limits_of(const tickpath_limits& limits) noexcept {
    const fast::Limits by_default;
    return {.datagram_bytes_max = chosen(limits.datagram_bytes_max, by_default.datagram_bytes_max),
            .sequence_length_max = chosen(limits.sequence_length_max, by_default.sequence_length_max),
            .string_bytes_max = chosen(limits.string_bytes_max, by_default.string_bytes_max),
            .entity_bytes_max = chosen(limits.entity_bytes_max, by_default.entity_bytes_max),
            .map_bytes_max = chosen(limits.map_bytes_max, by_default.map_bytes_max),
            .dynamic_depth_max = chosen(limits.dynamic_depth_max, by_default.dynamic_depth_max),
            .row_words_max = chosen(limits.row_words_max, by_default.row_words_max),
            .scratch_bytes_max = chosen(limits.scratch_bytes_max, by_default.scratch_bytes_max),
            .dictionary_text_bytes_max =
                chosen(limits.dictionary_text_bytes_max, by_default.dictionary_text_bytes_max)};
}

// A tickpath_decoder or a tickpath_stream.
template <class Made>
Made* make(const tickpath_templates* templates, const tickpath_decoder_options& options) noexcept {
    if (static_cast<unsigned>(options.reset) > TICKPATH_RESET_TEMPLATE_ID) return nullptr;
    try {
        return new Made{{templates->all,
                         {.reset = static_cast<fast::ResetRule>(options.reset),
                          .reset_template_id = options.reset_template_id,
                          .strict = options.strict != 0,
                          .limits = limits_of(options.limits)}},
                        {}};
    } catch (...) {  // no memory, which is all that can be wrong
        return nullptr;
    }
}

// `start` is the message's first byte as the caller counts.
tickpath_message message_of(const fast::Message& decoded, std::size_t start) noexcept {
    return {.template_index = decoded.template_index(),
            .template_id = decoded.template_id(),
            .start = static_cast<std::uint32_t>(start),
            .end = static_cast<std::uint32_t>(start + (decoded.end() - decoded.start())),
            .root = row_of(decoded.root())};
}

template <class Made>
tickpath_error error_of(Made& made, tickpath_error_place* place) noexcept {
    const Errc error = made.decoder.error();
    if (place == nullptr) return number_of(error);
    const fast::DecodeError what = made.decoder.error_place();
    try {
        made.texts = {std::string(what.template_label), std::string(what.field)};
    } catch (...) {  // no memory for the names; the rest is told
        made.texts = {};
    }
    *place = {.error = number_of(error),
              .offset = what.offset,
              .template_id = what.template_id,
              .template_name = made.texts.tmpl.c_str(),
              .field = made.texts.field.c_str()};
    return number_of(error);
}

template <class Load>
tickpath_templates* load(char* findings, std::size_t findings_size, Load load_into) noexcept {
    copy_text("", findings, findings_size);
    try {
        Diagnostics diagnostics;
        auto loaded = std::make_unique<tickpath_templates>(tickpath_templates{load_into(diagnostics)});
        copy_text(diagnostics.format(), findings, findings_size);
        return loaded->all ? loaded.release() : nullptr;
    } catch (const std::bad_alloc&) {
        copy_text("not enough memory\n", findings, findings_size);
    } catch (...) {
        copy_text("cannot be read\n", findings, findings_size);
    }
    return nullptr;
}

}  // namespace

const char* tickpath_error_code(tickpath_error error) {
    return tickpath::code(errc_of(error)).data();
}

const char* tickpath_error_text(tickpath_error error) {
    return tickpath::describe(errc_of(error)).data();
}

tickpath_templates* tickpath_templates_load_file(const char* path, char* findings, size_t findings_size) {
    return load(findings, findings_size,
                [path](Diagnostics& diagnostics) { return fast::load_template_file(path, diagnostics); });
}

tickpath_templates* tickpath_templates_load(const char* xml, size_t xml_size, const char* name,
                                            char* findings, size_t findings_size) {
    return load(findings, findings_size, [&](Diagnostics& diagnostics) {
        return fast::load_templates(std::string_view(xml, xml_size), name, diagnostics);
    });
}

void tickpath_templates_free(tickpath_templates* templates) {
    delete templates;
}

uint32_t tickpath_templates_count(const tickpath_templates* templates) {
    return static_cast<std::uint32_t>(templates->all->all().size());
}

uint32_t tickpath_template_by_name(const tickpath_templates* templates, const char* name) {
    const fast::Template* const found = templates->all->find_template(std::string_view(name));
    return found == nullptr ? TICKPATH_NO_TEMPLATE : templates->all->index_of(*found);
}

uint32_t tickpath_template_by_id(const tickpath_templates* templates, uint32_t id) {
    const fast::Template* const found = templates->all->find_template(id);
    return found == nullptr ? TICKPATH_NO_TEMPLATE : templates->all->index_of(*found);
}

const char* tickpath_template_name(const tickpath_templates* templates, uint32_t index) {
    return index < templates->all->all().size() ? templates->all->all()[index].label().c_str() : nullptr;
}

tickpath_error tickpath_field_find(const tickpath_templates* templates, uint32_t template_index,
                                   const char* path, tickpath_field* field) {
    *field = {};
    field->type = TICKPATH_TYPE_NONE;
    if (template_index >= templates->all->all().size()) return number_of(Errc::unknown);
    const std::optional<fast::FieldRef> found = templates->all->all()[template_index].field(path);
    if (!found) return number_of(Errc::unknown);
    *field = {.slot = found->slot,
              .presence = found->presence,
              .row_words = found->row_words,
              .type = static_cast<std::uint8_t>(found->type),
              .constant = static_cast<std::uint8_t>(found->constant)};
    return number_of(Errc::ok);
}

tickpath_decoder* tickpath_decoder_new(const tickpath_templates* templates,
                                       tickpath_decoder_options options) {
    return make<tickpath_decoder>(templates, options);
}

void tickpath_decoder_free(tickpath_decoder* decoder) {
    delete decoder;
}

void tickpath_decoder_begin(tickpath_decoder* decoder, const void* data, size_t size,
                            size_t writable_tailroom) {
    decoder->decoder.begin({static_cast<const std::byte*>(data), size}, writable_tailroom);
}

int tickpath_decoder_next(tickpath_decoder* decoder, tickpath_message* message) {
    if (!decoder->decoder.next()) return 0;
    const fast::Message& decoded = decoder->decoder.message();
    *message = message_of(decoded, decoded.start());
    return 1;
}

tickpath_error tickpath_decoder_error(tickpath_decoder* decoder, tickpath_error_place* place) {
    return error_of(*decoder, place);
}

void tickpath_decoder_reset(tickpath_decoder* decoder) {
    decoder->decoder.reset();
}

tickpath_stream* tickpath_stream_new(const tickpath_templates* templates, tickpath_decoder_options options) {
    return make<tickpath_stream>(templates, options);
}

void tickpath_stream_free(tickpath_stream* stream) {
    delete stream;
}

void tickpath_stream_begin(tickpath_stream* stream, const void* received, size_t size,
                           size_t writable_tailroom) {
    stream->decoder.begin({static_cast<const std::byte*>(received), size}, writable_tailroom);
}

int tickpath_stream_next(tickpath_stream* stream, tickpath_message* message) {
    if (!stream->decoder.next()) return 0;
    *message = message_of(stream->decoder.message(), stream->decoder.message_start());
    return 1;
}

size_t tickpath_stream_consumed(const tickpath_stream* stream) {
    return stream->decoder.consumed();
}

tickpath_error tickpath_stream_error(tickpath_stream* stream, tickpath_error_place* place) {
    return error_of(*stream, place);
}

void tickpath_stream_reset(tickpath_stream* stream) {
    stream->decoder.reset();
}

int tickpath_has(tickpath_row row, tickpath_field field) {
    return is_there(row, field, field.type != TICKPATH_TYPE_NONE) ? 1 : 0;
}

uint64_t tickpath_u64(tickpath_row row, tickpath_field field) {
    const bool fits = is_integer(field_of(field).type);
    return is_there(row, field, fits) ? row_of(row).u64(field_of(field)) : 0;
}

int64_t tickpath_i64(tickpath_row row, tickpath_field field) {
    return static_cast<std::int64_t>(tickpath_u64(row, field));
}

tickpath_decimal tickpath_decimal_of(tickpath_row row, tickpath_field field) {
    if (!is_there(row, field, field.type == TICKPATH_TYPE_DECIMAL)) return {0, 0};
    const Decimal decimal = row_of(row).decimal(field_of(field));
    return {decimal.mantissa, decimal.exponent};
}

size_t tickpath_text(tickpath_row row, tickpath_field field, char* out, size_t size) {
    if (!is_there(row, field, is_text(field_of(field).type))) return copy_text("", out, size);
    const fast::Text text = row_of(row).text(field_of(field));
    if (size != 0) out[text.copy_to({out, size - 1})] = '\0';
    return text.size();
}

size_t tickpath_row_count(tickpath_row row, tickpath_field field) {
    if (!is_there(row, field, field.type == TICKPATH_TYPE_SEQUENCE)) return 0;
    return row_of(row).rows(field_of(field)).size();
}

tickpath_row tickpath_row_at(tickpath_row row, tickpath_field field, size_t index) {
    if (index >= tickpath_row_count(row, field)) return {nullptr, nullptr};
    return row_of(row_of(row).rows(field_of(field))[index]);
}

uint32_t tickpath_dynamic(const tickpath_templates* templates, tickpath_row row, tickpath_field field,
                          tickpath_row* inner) {
    *inner = {nullptr, nullptr};
    if (!is_there(row, field, field.type == TICKPATH_TYPE_DYNAMIC)) return TICKPATH_NO_TEMPLATE;
    const fast::DynamicRow found = row_of(row).dynamic(field_of(field));
    if (found.tmpl == nullptr) return TICKPATH_NO_TEMPLATE;
    *inner = row_of(found.row);
    return templates->all->index_of(*found.tmpl);
}

tickpath_error tickpath_decimal_at_places(tickpath_decimal decimal, int places, int64_t* scaled) {
    const std::optional<std::int64_t> exact = at_places(decimal_of(decimal), places);
    if (!exact) return number_of(Errc::inexact);
    *scaled = *exact;
    return number_of(Errc::ok);
}

int tickpath_decimal_compare(tickpath_decimal a, tickpath_decimal b) {
    const std::strong_ordering order = compare_values(decimal_of(a), decimal_of(b));
    return (order > 0) - (order < 0);
}

size_t tickpath_decimal_text(tickpath_decimal decimal, char* out, size_t size) {
    try {
        return copy_text(to_text(decimal_of(decimal)), out, size);
    } catch (...) {  // no memory
        return copy_text("", out, size);
    }
}

tickpath_builder* tickpath_builder_new(const tickpath_templates* templates) {
    try {
        return new tickpath_builder{fast::MessageBuilder(templates->all)};
    } catch (...) {  // no memory
        return nullptr;
    }
}

void tickpath_builder_free(tickpath_builder* builder) {
    delete builder;
}

tickpath_row_builder tickpath_builder_begin(tickpath_builder* builder, uint32_t template_index) {
    try {
        const fast::Template& tmpl = template_of(builder->builder, template_index);
        return std::bit_cast<tickpath_row_builder>(builder->builder.begin(tmpl));
    } catch (...) {  // no memory
        builder->builder.begin(no_template);
        return {nullptr, 0, 0};
    }
}

int tickpath_set_u64(tickpath_row_builder row, tickpath_field field, uint64_t value) {
    return set(row, field, [value](auto& to, fast::FieldRef ref) { return to.set_u64(ref, value); });
}

int tickpath_set_i64(tickpath_row_builder row, tickpath_field field, int64_t value) {
    return set(row, field, [value](auto& to, fast::FieldRef ref) { return to.set_i64(ref, value); });
}

int tickpath_set_decimal(tickpath_row_builder row, tickpath_field field, tickpath_decimal value) {
    return set(row, field,
               [value](auto& to, fast::FieldRef ref) { return to.set_decimal(ref, decimal_of(value)); });
}

int tickpath_set_text(tickpath_row_builder row, tickpath_field field, const char* text, size_t size) {
    return set(row, field, [text, size](auto& to, fast::FieldRef ref) {
        return to.set_text(ref, std::string_view(text, size));
    });
}

tickpath_row_builder tickpath_add_element(tickpath_row_builder row, tickpath_field sequence) {
    tickpath_row_builder element = {nullptr, 0, 0};
    set(row, sequence, [&element](auto& to, fast::FieldRef ref) {
        element = std::bit_cast<tickpath_row_builder>(to.add_element(ref));
        return true;
    });
    return element;
}

tickpath_row_builder tickpath_set_dynamic(tickpath_row_builder row, tickpath_field reference,
                                          uint32_t template_index) {
    tickpath_row_builder inner = {nullptr, 0, 0};
    set(row, reference, [&inner, row, template_index](auto& to, fast::FieldRef ref) {
        const auto& builder = *static_cast<const fast::MessageBuilder*>(row.builder);
        inner =
            std::bit_cast<tickpath_row_builder>(to.set_dynamic(ref, template_of(builder, template_index)));
        return true;
    });
    return inner;
}

int tickpath_set_present(tickpath_row_builder row, tickpath_field field) {
    return set(row, field, [](auto& to, fast::FieldRef ref) { return to.set_present(ref); });
}

int tickpath_set_empty(tickpath_row_builder row, tickpath_field sequence) {
    return set(row, sequence, [](auto& to, fast::FieldRef ref) { return to.set_empty(ref); });
}

tickpath_encoder* tickpath_encoder_new(const tickpath_templates* templates,
                                       tickpath_encoder_options options) {
    if (static_cast<unsigned>(options.reset) > TICKPATH_RESET_TEMPLATE_ID) return nullptr;
    try {
        fast::EncoderOptions chosen;
        chosen.reset = static_cast<fast::ResetRule>(options.reset);
        chosen.reset_template_id = options.reset_template_id;
        chosen.mode = options.sends_everything != 0 ? fast::EncodeMode::explicit_ : fast::EncodeMode::compact;
        return new tickpath_encoder{fast::Encoder(templates->all, chosen)};
    } catch (...) {  // no memory
        return nullptr;
    }
}

void tickpath_encoder_free(tickpath_encoder* encoder) {
    delete encoder;
}

void tickpath_encoder_begin_datagram(tickpath_encoder* encoder) {
    encoder->encoder.begin_datagram();
}

void tickpath_encoder_reset(tickpath_encoder* encoder) {
    encoder->encoder.reset();
}

tickpath_error tickpath_encode(tickpath_encoder* encoder, tickpath_builder* builder, void* out, size_t size,
                               size_t* written) {
    *written = 0;
    try {
        if (!builder->builder.finish()) return number_of(builder->builder.error());
    } catch (...) {  // no memory
        return number_of(Errc::limit);
    }
    const fast::EncodeResult result =
        encoder->encoder.encode(builder->builder, {static_cast<std::byte*>(out), size});
    *written = result.size_bytes;
    return number_of(result.error);
}
