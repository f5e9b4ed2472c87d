// The plain C entry point, decoders/fast/tickpath_fast.h: called from C++ for what is easier to check there,
// and from C (c_program.c).
#include <array>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "decoders/base/error.h"
#include "decoders/fast/tickpath_fast.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/hex.h"

extern "C" std::int64_t sum_of_mantissas_in_c(const char* xml, std::size_t xml_size, const void* data,
                                              std::size_t size);

namespace tickpath::fast {
namespace {

constexpr std::string_view xml = R"(<templates>
  <template name="Refresh" id="1">
    <uInt32 name="Number"/>
    <string name="Symbol"/>
    <sequence name="Entries"><decimal name="Price" presence="optional"/><int32 name="Change"/></sequence>
  </template>
  <template name="Outer" id="2"><templateRef/></template>
</templates>)";
// Number 10, AB, two entries: 107.15 and -1, none and 1.
constexpr const char* refresh = "c0 81 8a 41 c2 82  fe 00 53 db ff  80 81";

struct Free {
    void operator()(tickpath_templates* templates) const { tickpath_templates_free(templates); }
    void operator()(tickpath_decoder* decoder) const { tickpath_decoder_free(decoder); }
    void operator()(tickpath_stream* stream) const { tickpath_stream_free(stream); }
    void operator()(tickpath_builder* builder) const { tickpath_builder_free(builder); }
    void operator()(tickpath_encoder* encoder) const { tickpath_encoder_free(encoder); }
};

constexpr tickpath_field no_field = {0, 0, 0, TICKPATH_TYPE_NONE, 0};

constexpr tickpath_decoder_options options_of(tickpath_reset_rule reset, tickpath_limits limits = {}) {
    return {.reset = reset, .reset_template_id = 0, .strict = 0, .limits = limits};
}

class FastForC : public testing::Test {
protected:
    FastForC()
        : templates(tickpath_templates_load(xml.data(), xml.size(), "c.xml", nullptr, 0)),
          decoder(tickpath_decoder_new(templates.get(), options_of(TICKPATH_RESET_DATAGRAM))) {}

    tickpath_message decode(std::string_view hex) {
        bytes = test::from_hex(hex);
        tickpath_decoder_begin(decoder.get(), bytes.data(), bytes.size(), 0);
        tickpath_message message{};
        EXPECT_EQ(tickpath_decoder_next(decoder.get(), &message), 1);
        return message;
    }
    [[nodiscard]] tickpath_field field(const char* path) const {
        tickpath_field found;
        EXPECT_EQ(tickpath_field_find(templates.get(), 0, path, &found), 0) << path;
        return found;
    }

    [[nodiscard]] tickpath_row_builder complete_message(tickpath_builder* builder) const {
        const tickpath_row_builder message = tickpath_builder_begin(builder, 0);
        EXPECT_EQ(tickpath_set_u64(message, field("Number"), 10), 1);
        EXPECT_EQ(tickpath_set_text(message, field("Symbol"), "AB", 2), 1);
        EXPECT_EQ(tickpath_set_empty(message, field("Entries")), 1);
        return message;
    }

    std::vector<std::byte> bytes;
    const std::unique_ptr<tickpath_templates, Free> templates;
    const std::unique_ptr<tickpath_decoder, Free> decoder;
};

TEST_F(FastForC, ReadsEveryKindOfValue) {
    const tickpath_message message = decode(refresh);
    EXPECT_EQ(message.template_index, 0u);
    EXPECT_EQ(message.template_id, 1u);
    EXPECT_EQ(message.end, bytes.size());
    EXPECT_EQ(tickpath_u64(message.root, field("Number")), 10u);
    std::array<char, 8> text{};
    EXPECT_EQ(tickpath_text(message.root, field("Symbol"), text.data(), text.size()), 2u);
    EXPECT_STREQ(text.data(), "AB");
    ASSERT_EQ(tickpath_row_count(message.root, field("Entries")), 2u);
    const tickpath_row first = tickpath_row_at(message.root, field("Entries"), 0);
    EXPECT_EQ(tickpath_decimal_of(first, field("Entries/Price")).mantissa, 10715);
    EXPECT_EQ(tickpath_decimal_of(first, field("Entries/Price")).exponent, -2);
    EXPECT_EQ(tickpath_i64(first, field("Entries/Change")), -1);
    const tickpath_row second = tickpath_row_at(message.root, field("Entries"), 1);
    EXPECT_EQ(tickpath_has(second, field("Entries/Price")), 0);
    EXPECT_EQ(tickpath_has(second, field("Entries/Change")), 1);
}

TEST_F(FastForC, IsTheSameInC) {
    bytes = test::from_hex(refresh);
    EXPECT_EQ(sum_of_mantissas_in_c(xml.data(), xml.size(), bytes.data(), bytes.size()), 10715);
    bytes.pop_back();
    EXPECT_EQ(sum_of_mantissas_in_c(xml.data(), xml.size(), bytes.data(), bytes.size()), -1) << "truncated";
}

TEST_F(FastForC, ReadsWhatIsNotThereAsNothing) {
    const tickpath_message message = decode(refresh);
    tickpath_field none;
    EXPECT_NE(tickpath_field_find(templates.get(), 0, "Numbr", &none), 0);
    EXPECT_EQ(none.type, TICKPATH_TYPE_NONE);
    EXPECT_EQ(tickpath_has(message.root, none), 0);
    EXPECT_EQ(tickpath_u64(message.root, none), 0u);
    EXPECT_NE(tickpath_field_find(templates.get(), 7, "Number", &none), 0) << "no such template";
    const tickpath_row beyond = tickpath_row_at(message.root, field("Entries"), 2);
    EXPECT_EQ(tickpath_has(beyond, field("Entries/Change")), 0);
    EXPECT_EQ(tickpath_i64(beyond, field("Entries/Change")), 0);
}

TEST_F(FastForC, ReadsAFieldOfAnotherTypeAsNothing) {
    const tickpath_message message = decode(refresh);
    std::array<char, 8> text{};
    EXPECT_EQ(tickpath_text(message.root, field("Number"), text.data(), text.size()), 0u);
    EXPECT_EQ(tickpath_u64(message.root, field("Symbol")), 0u);
    EXPECT_EQ(tickpath_decimal_of(message.root, field("Number")).mantissa, 0);
    EXPECT_EQ(tickpath_row_count(message.root, field("Number")), 0u);
}

TEST_F(FastForC, CutsTextToItsRoom) {
    const tickpath_message message = decode(refresh);
    std::array<char, 2> text = {'x', 'x'};
    EXPECT_EQ(tickpath_text(message.root, field("Symbol"), text.data(), text.size()), 2u);
    EXPECT_STREQ(text.data(), "A");
    EXPECT_EQ(tickpath_text(message.root, field("Symbol"), nullptr, 0), 2u);
    EXPECT_EQ(tickpath_decimal_text({1071500, -4}, text.data(), text.size()), 6u);
    EXPECT_STREQ(text.data(), "1");
}

TEST_F(FastForC, GoesThroughADynamicReference) {
    const tickpath_message message = decode("c0 82  c0 81 8a 41 c2 80");
    tickpath_field reference;
    ASSERT_EQ(tickpath_field_find(templates.get(), message.template_index, "<dyn>", &reference), 0);
    tickpath_row inner;
    ASSERT_EQ(tickpath_dynamic(templates.get(), message.root, reference, &inner), 0u);
    EXPECT_EQ(tickpath_u64(inner, field("Number")), 10u);
}

TEST_F(FastForC, SaysWhatWentWrongAndWhere) {
    bytes = test::from_hex("c0 81 8a 41 c2 82  fe 00 53 db");
    tickpath_decoder_begin(decoder.get(), bytes.data(), bytes.size(), 0);
    tickpath_message message;
    EXPECT_EQ(tickpath_decoder_next(decoder.get(), &message), 0);
    tickpath_error_place place;
    const tickpath_error error = tickpath_decoder_error(decoder.get(), &place);
    EXPECT_STREQ(tickpath_error_code(error), "truncated");
    EXPECT_STREQ(tickpath_error_text(error), "the input ends inside an entity");
    EXPECT_STREQ(place.template_name, "Refresh");
    EXPECT_EQ(place.template_id, 1u);
}

TEST_F(FastForC, KnowsItsErrorsAndSurvivesOthers) {
    for (std::size_t i = 0; i < errc_count; ++i) {
        EXPECT_EQ(tickpath_error_code(static_cast<tickpath_error>(i)), code(static_cast<Errc>(i)));
        EXPECT_EQ(tickpath_error_text(static_cast<tickpath_error>(i)), describe(static_cast<Errc>(i)));
    }
    for (const tickpath_error strange : {-1, 200, 255, 256, 1'000'000}) {
        EXPECT_STREQ(tickpath_error_code(strange), "unknown error");
        EXPECT_STREQ(tickpath_error_text(strange), "unknown error");
    }
}

TEST(FastForCTemplates, SayWhatIsWrongWithThem) {
    std::array<char, 200> findings{};
    const std::string bad =
        "<templates><template name=\"T\" id=\"1\"><uInt23 name=\"a\"/></template></templates>";
    EXPECT_EQ(tickpath_templates_load(bad.data(), bad.size(), "bad.xml", findings.data(), findings.size()),
              nullptr);
    EXPECT_TRUE(std::string_view(findings.data()).starts_with("bad.xml:1: S1: <uInt23>")) << findings.data();
    EXPECT_EQ(tickpath_templates_load_file("/there/is/no/such.xml", findings.data(), 10), nullptr);
    EXPECT_STREQ(findings.data(), "/there/is");
    EXPECT_EQ(tickpath_templates_load(bad.data(), bad.size(), "bad.xml", nullptr, 0), nullptr);
}

TEST_F(FastForC, FindsTemplates) {
    EXPECT_EQ(tickpath_templates_count(templates.get()), 2u);
    EXPECT_EQ(tickpath_template_by_name(templates.get(), "Outer"), 1u);
    EXPECT_EQ(tickpath_template_by_id(templates.get(), 2), 1u);
    EXPECT_EQ(tickpath_template_by_id(templates.get(), 3), TICKPATH_NO_TEMPLATE);
    EXPECT_EQ(tickpath_template_by_name(templates.get(), "Inner"), TICKPATH_NO_TEMPLATE);
    EXPECT_STREQ(tickpath_template_name(templates.get(), 0), "Refresh");
    EXPECT_EQ(tickpath_template_name(templates.get(), 2), nullptr);
}

TEST_F(FastForC, RefusesAResetRuleThatIsNone) {
    EXPECT_EQ(tickpath_decoder_new(templates.get(), options_of(static_cast<tickpath_reset_rule>(4))),
              nullptr);
}

TEST_F(FastForC, LiftsPoisonByReset) {
    const std::unique_ptr<tickpath_decoder, Free> lasting(
        tickpath_decoder_new(templates.get(), options_of(TICKPATH_RESET_NEVER)));
    tickpath_message message;
    const std::vector<std::byte> good = test::from_hex(refresh);
    const auto decodes = [&](std::size_t size) {
        tickpath_decoder_begin(lasting.get(), good.data(), size, 0);
        return tickpath_decoder_next(lasting.get(), &message);
    };
    EXPECT_EQ(decodes(5), 0);
    EXPECT_EQ(decodes(good.size()), 0);
    EXPECT_STREQ(tickpath_error_code(tickpath_decoder_error(lasting.get(), nullptr)), "poisoned");
    tickpath_decoder_reset(lasting.get());
    EXPECT_EQ(decodes(good.size()), 1);
}

TEST_F(FastForC, DecodesWithoutAllocating) {
    const tickpath_field entries = field("Entries");
    bytes = test::from_hex(refresh);
    std::size_t rows = 0;
    {
        test::AllocationGuard guard;
        tickpath_message message;
        tickpath_decoder_begin(decoder.get(), bytes.data(), bytes.size(), 0);
        while (tickpath_decoder_next(decoder.get(), &message) == 1)
            rows += tickpath_row_count(message.root, entries);
    }
    EXPECT_EQ(rows, 2u);
}

TEST_F(FastForC, EncodesWhatItDecodes) {
    const std::unique_ptr<tickpath_builder, Free> builder(tickpath_builder_new(templates.get()));
    const std::unique_ptr<tickpath_encoder, Free> encoder(
        tickpath_encoder_new(templates.get(), {TICKPATH_RESET_DATAGRAM, 0, 0}));
    const tickpath_row_builder message = tickpath_builder_begin(builder.get(), 0);
    EXPECT_EQ(tickpath_set_u64(message, field("Number"), 10), 1);
    EXPECT_EQ(tickpath_set_text(message, field("Symbol"), "AB", 2), 1);
    const tickpath_row_builder first = tickpath_add_element(message, field("Entries"));
    EXPECT_EQ(tickpath_set_decimal(first, field("Entries/Price"), {10715, -2}), 1);
    EXPECT_EQ(tickpath_set_i64(first, field("Entries/Change"), -1), 1);
    const tickpath_row_builder second = tickpath_add_element(message, field("Entries"));
    EXPECT_EQ(tickpath_set_i64(second, field("Entries/Change"), 1), 1);
    std::array<std::byte, 64> out{};
    std::size_t written = 0;
    tickpath_encoder_begin_datagram(encoder.get());
    ASSERT_EQ(tickpath_encode(encoder.get(), builder.get(), out.data(), out.size(), &written), 0);
    EXPECT_EQ(std::vector<std::byte>(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(written)),
              test::from_hex(refresh));
}

TEST_F(FastForC, EncodesNothingWrong) {
    const std::unique_ptr<tickpath_builder, Free> builder(tickpath_builder_new(templates.get()));
    const std::unique_ptr<tickpath_encoder, Free> encoder(
        tickpath_encoder_new(templates.get(), {TICKPATH_RESET_DATAGRAM, 0, 1}));
    std::array<std::byte, 64> out{};
    std::size_t written = 7;
    const auto error_of = [&] {
        return std::string(tickpath_error_code(
            tickpath_encode(encoder.get(), builder.get(), out.data(), out.size(), &written)));
    };
    tickpath_row_builder message = tickpath_builder_begin(builder.get(), 0);
    EXPECT_EQ(tickpath_set_u64(message, field("Number"), 1), 1);
    EXPECT_EQ(error_of(), "missing") << "Symbol";
    EXPECT_EQ(written, 0u);
    message = tickpath_builder_begin(builder.get(), 0);
    EXPECT_EQ(tickpath_set_u64(message, field("Number"), std::uint64_t{1} << 32), 0);
    EXPECT_EQ(error_of(), "R4");
    EXPECT_EQ(tickpath_builder_begin(builder.get(), 9).builder, nullptr) << "no such template";
    EXPECT_EQ(error_of(), "unknown") << "not what was built before";
    EXPECT_EQ(tickpath_set_u64(tickpath_builder_begin(builder.get(), 9), field("Number"), 1), 0);
    message = complete_message(builder.get());
    EXPECT_EQ(tickpath_set_u64(message, no_field, 1), 0);
    EXPECT_EQ(error_of(), "unknown") << "a value for a field that is not there is not left out silently";
}

TEST_F(FastForC, EncodesADynamicReference) {
    const std::unique_ptr<tickpath_builder, Free> builder(tickpath_builder_new(templates.get()));
    const std::unique_ptr<tickpath_encoder, Free> encoder(
        tickpath_encoder_new(templates.get(), {TICKPATH_RESET_DATAGRAM, 0, 0}));
    tickpath_field reference;
    ASSERT_EQ(tickpath_field_find(templates.get(), 1, "<dyn>", &reference), 0);
    std::array<std::byte, 64> out{};
    std::size_t written = 0;
    tickpath_row_builder outer = tickpath_builder_begin(builder.get(), 1);
    const tickpath_row_builder inner = tickpath_set_dynamic(outer, reference, 0);
    EXPECT_EQ(tickpath_set_u64(inner, field("Number"), 10), 1);
    EXPECT_EQ(tickpath_set_text(inner, field("Symbol"), "AB", 2), 1);
    EXPECT_EQ(tickpath_set_empty(inner, field("Entries")), 1);
    ASSERT_EQ(tickpath_encode(encoder.get(), builder.get(), out.data(), out.size(), &written), 0);
    EXPECT_EQ(std::vector<std::byte>(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(written)),
              test::from_hex("c0 82  c0 81 8a 41 c2 80"));

    outer = tickpath_builder_begin(builder.get(), 1);
    EXPECT_EQ(tickpath_set_dynamic(outer, reference, 9).builder, nullptr) << "no such template";
    const tickpath_error error =
        tickpath_encode(encoder.get(), builder.get(), out.data(), out.size(), &written);
    EXPECT_STREQ(tickpath_error_code(error), "unknown");
    EXPECT_EQ(written, 0u);
}

TEST_F(FastForC, SetsWhatIsOnlyThere) {
    constexpr std::string_view with_flag = R"(<templates><template name="T" id="1">
        <uInt32 name="Flag" presence="optional"><constant value="7"/></uInt32></template></templates>)";
    const std::unique_ptr<tickpath_templates, Free> flagged(
        tickpath_templates_load(with_flag.data(), with_flag.size(), "flag.xml", nullptr, 0));
    const std::unique_ptr<tickpath_builder, Free> builder(tickpath_builder_new(flagged.get()));
    const std::unique_ptr<tickpath_encoder, Free> encoder(
        tickpath_encoder_new(flagged.get(), {TICKPATH_RESET_DATAGRAM, 0, 0}));
    tickpath_field flag;
    ASSERT_EQ(tickpath_field_find(flagged.get(), 0, "Flag", &flag), 0);
    std::array<std::byte, 8> out{};
    std::size_t written = 0;
    const tickpath_row_builder message = tickpath_builder_begin(builder.get(), 0);
    EXPECT_EQ(tickpath_set_present(message, flag), 1);
    ASSERT_EQ(tickpath_encode(encoder.get(), builder.get(), out.data(), out.size(), &written), 0);
    EXPECT_EQ(std::to_integer<int>(out[0]), 0xe0) << "template identifier and flag are there";
    EXPECT_EQ(tickpath_set_present(message, no_field), 0);
}

TEST_F(FastForC, RefusesWhatIsOverALimit) {
    tickpath_limits limits = {};
    limits.sequence_length_max = 1;
    const std::unique_ptr<tickpath_decoder, Free> narrow(
        tickpath_decoder_new(templates.get(), options_of(TICKPATH_RESET_DATAGRAM, limits)));
    const std::vector<std::byte> two_entries = test::from_hex(refresh);
    tickpath_message message;
    tickpath_decoder_begin(narrow.get(), two_entries.data(), two_entries.size(), 0);
    EXPECT_EQ(tickpath_decoder_next(narrow.get(), &message), 0);
    EXPECT_STREQ(tickpath_error_code(tickpath_decoder_error(narrow.get(), nullptr)), "limit");
    EXPECT_EQ(decode(refresh).template_id, 1u) << "by default it passes";
}

TEST_F(FastForC, ReadsAStreamInPieces) {
    const std::unique_ptr<tickpath_stream, Free> stream(
        tickpath_stream_new(templates.get(), options_of(TICKPATH_RESET_MESSAGE)));
    const std::vector<std::byte> one = test::from_hex(refresh);
    std::vector<std::byte> sent = one;
    sent.insert(sent.end(), one.begin(), one.end());
    std::vector<std::byte> kept;
    std::size_t messages = 0;
    for (const std::byte next : sent) {
        kept.push_back(next);
        tickpath_message message;
        tickpath_stream_begin(stream.get(), kept.data(), kept.size(), 0);
        while (tickpath_stream_next(stream.get(), &message) == 1) {
            ++messages;
            EXPECT_EQ(message.end, one.size());
            EXPECT_EQ(tickpath_u64(message.root, field("Number")), 10u);
        }
        ASSERT_EQ(tickpath_stream_error(stream.get(), nullptr), 0);
        kept.erase(kept.begin(),
                   kept.begin() + static_cast<std::ptrdiff_t>(tickpath_stream_consumed(stream.get())));
    }
    EXPECT_EQ(messages, 2u);
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(tickpath_stream_new(templates.get(), options_of(static_cast<tickpath_reset_rule>(4))), nullptr);
}

TEST_F(FastForC, SaysWhereAStreamWentWrong) {
    const std::unique_ptr<tickpath_stream, Free> stream(
        tickpath_stream_new(templates.get(), options_of(TICKPATH_RESET_NEVER)));
    std::vector<std::byte> bytes_sent = test::from_hex(refresh);
    const std::size_t good = bytes_sent.size();
    bytes_sent.push_back(std::byte{0xc0});
    bytes_sent.push_back(std::byte{0xff});  // template 127
    tickpath_message message;
    tickpath_error_place place;
    tickpath_stream_begin(stream.get(), bytes_sent.data(), bytes_sent.size(), 0);
    EXPECT_EQ(tickpath_stream_next(stream.get(), &message), 1);
    EXPECT_EQ(tickpath_stream_next(stream.get(), &message), 0);
    EXPECT_STREQ(tickpath_error_code(tickpath_stream_error(stream.get(), &place)), "D9");
    EXPECT_GE(place.offset, good);
    EXPECT_EQ(tickpath_stream_consumed(stream.get()), good) << "what came before is not lost";
    tickpath_stream_reset(stream.get());
    tickpath_stream_begin(stream.get(), bytes_sent.data(), good, 0);
    EXPECT_EQ(tickpath_stream_next(stream.get(), &message), 1) << "poison is lifted";
}

TEST(FastForCDecimals, CompareScaleAndPrint) {
    EXPECT_EQ(tickpath_decimal_compare({10715, -2}, {1071500, -4}), 0);
    EXPECT_GT(tickpath_decimal_compare({5, 2}, {499, 0}), 0);
    EXPECT_LT(tickpath_decimal_compare({-5, 2}, {499, 0}), 0);
    std::int64_t scaled = 1;
    EXPECT_EQ(tickpath_decimal_at_places({10715, -2}, 4, &scaled), 0);
    EXPECT_EQ(scaled, 1071500);
    EXPECT_STREQ(tickpath_error_code(tickpath_decimal_at_places({10715, -2}, 1, &scaled)), "inexact");
    EXPECT_EQ(scaled, 1071500) << "not touched";
    std::array<char, 30> text{};
    EXPECT_EQ(tickpath_decimal_text({10715, -2}, text.data(), text.size()), 6u);
    EXPECT_STREQ(text.data(), "107.15");
}

}  // namespace
}  // namespace tickpath::fast
