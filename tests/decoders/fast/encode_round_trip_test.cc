// decode(encode(x)) == x: made-up templates and values through the encoder, then through the decoder and its
// plain twin, in both modes, with dictionaries carried and reset.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"
#include "tests/support/random_messages.h"
#include "tests/support/random_templates.h"
#include "tests/support/same_numbers.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::Json;
using test::PlainFastDecoder;

std::shared_ptr<const Templates> load(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "round trip", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

std::vector<TemplateDefinition> definitions(const std::string& xml) {
    Diagnostics diagnostics;
    const TemplateSource source = {xml, "round trip"};
    return read_definitions(std::span(&source, 1), diagnostics, {});
}

// What the operators of made-up templates cannot express; anything else would be a defect.
bool is_expected_refusal(Errc error) {
    return error == Errc::unrepresentable || error == Errc::d3 || error == Errc::d4 || error == Errc::d6;
}

struct Counts {
    std::uint64_t messages = 0;
    std::map<std::string, std::uint64_t> refused;
};

// One template file, both decoders and the encoder.
class Loop {
public:
    Loop(const std::string& xml, DecoderOptions options)
        : options_(options),
          templates_(load(xml)),
          builder_(templates_),
          encoder_(templates_, {.reset = options.reset,
                                .reset_template_id = options.reset_template_id,
                                .strict = options.strict}),
          fast_(templates_, options),
          plain_(definitions(xml), options) {}

    // A datagram of a few messages, there and back. False when what comes back is something else.
    bool run(test::RandomMessages& random, Counts& counts) {
        datagram_.clear();
        sent_.clear();
        encoder_.begin_datagram();
        for (std::uint64_t i = 0, count = 1 + random.below(3); i < count; ++i)
            if (!send(random, counts)) return false;
        const PlainFastDecoder::Outcome fast = test::fast_outcome(fast_, datagram_);
        const PlainFastDecoder::Outcome plain = plain_.decode(datagram_);
        EXPECT_EQ(received(fast), sent_);
        EXPECT_EQ(received(plain), sent_);
        return !::testing::Test::HasFailure();
    }

private:
    bool send(test::RandomMessages& random, Counts& counts) {
        encoder_.set_mode(random.chance(30) ? EncodeMode::explicit_ : EncodeMode::compact);
        std::array<std::byte, 4'096> out{};
        if (options_.reset == ResetRule::template_id && random.chance(10)) {
            if (templates_->find_template(options_.reset_template_id) == nullptr) {
                take(encoder_.encode_reset(out), out, std::to_string(options_.reset_template_id) + " {}\n");
                return true;
            }
        }
        const Template& tmpl = templates_->all()[random.below(templates_->all().size())];
        if (!random.build(builder_, tmpl)) {
            EXPECT_EQ(builder_.error(), Errc::missing) << builder_.error_field();
            return builder_.error() == Errc::missing;
        }
        const EncodeResult result = encoder_.encode(builder_, out);
        if (!result) {
            ++counts.refused[std::string(code(result.error))];
            EXPECT_TRUE(is_expected_refusal(result.error))
                << code(result.error) << " in " << encoder_.error_place().field;
            return is_expected_refusal(result.error);
        }
        Json fields = test::fast_fields(tmpl.fields(), builder_.row());
        take(result, out, line(tmpl.label(), fields));
        ++counts.messages;
        return true;
    }

    void take(EncodeResult result, const std::array<std::byte, 4'096>& out, const std::string& message) {
        EXPECT_TRUE(result);
        datagram_.insert(datagram_.end(), out.begin(),
                         out.begin() + static_cast<std::ptrdiff_t>(result.size_bytes));
        sent_ += message;
    }

    // Where a part of a decimal is constant the number comes back, not the pair.
    [[nodiscard]] std::string line(const std::string& label, Json& fields) const {
        if (const Template* const tmpl = templates_->find_template(label))
            test::normalise_constant_parts(*templates_, tmpl->fields(), fields);
        return label + ' ' + fields.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
    }
    [[nodiscard]] std::string received(const PlainFastDecoder::Outcome& outcome) const {
        std::string all;
        for (Json message : outcome.messages) {
            all += line(message["template"], message["fields"]);
            if (message.contains("reports") && options_.strict) all += message["reports"].dump();
        }
        return all + outcome.error;
    }

    DecoderOptions options_;
    std::shared_ptr<const Templates> templates_;
    MessageBuilder builder_;
    Encoder encoder_;
    Decoder fast_;
    PlainFastDecoder plain_;
    std::vector<std::byte> datagram_;
    std::string sent_;
};

DecoderOptions random_options(test::RandomTemplates& random) {
    constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never,
                                   ResetRule::never, ResetRule::template_id};
    return {.reset = rules[random.below(5)],
            .reset_template_id = static_cast<std::uint32_t>(3 + random.below(2)),
            .strict = random.below(2) == 0};
}

TEST(FastEncodeRoundTrip, GivesMadeUpMessagesBackThroughBothDecoders) {
    const std::uint64_t wanted = test::at_level(5'000, 100'000, 1'000'000);
    Counts counts;
    for (std::uint64_t seed = 0; counts.messages < wanted; ++seed) {
        test::RandomTemplates random_templates(seed);
        const std::string xml = random_templates.xml();
        Loop loop(xml, random_options(random_templates));
        test::RandomMessages random(seed);
        for (int i = 0; i < 40; ++i)
            ASSERT_TRUE(loop.run(random, counts)) << "seed " << seed << ", datagram " << i << '\n' << xml;
        ASSERT_LT(seed, wanted) << "most of the messages are refused, so that little is compared";
    }
    for (const char* error : {"unrepresentable", "D3", "D4", "D6"})
        EXPECT_GT(counts.refused[error], 0u) << error;
    std::cout << counts.messages << " messages";
    for (const auto& [error, count] : counts.refused)
        std::cout << ", " << error << ' ' << count;
    std::cout << '\n';
}

// Whatever a decoder made of any bytes can be sent, and comes back the same.
TEST(FastEncodeRoundTrip, SendsOnWhatWasDecodedFromAnyBytes) {
    const std::uint64_t seeds = test::at_level(100, 1'000, 20'000);
    std::uint64_t messages = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        test::RandomTemplates random(seed);
        const std::string xml = random.xml();
        const std::shared_ptr<const Templates> templates = load(xml);
        Decoder source(templates, {.reset = ResetRule::datagram});
        Encoder encoder(templates, {.reset = ResetRule::never});
        Decoder sink(templates, {.reset = ResetRule::never});
        for (int i = 0; i < 40; ++i) {
            const std::vector<std::byte> bytes = random.datagram();
            source.begin(bytes, 0);
            while (source.next()) {
                std::array<std::byte, 8'192> out{};
                const EncodeResult result = encoder.encode(source.message(), out);
                if (!result) {
                    ASSERT_TRUE(is_expected_refusal(result.error)) << code(result.error) << '\n' << xml;
                    continue;
                }
                sink.begin(std::span(out).first(result.size_bytes), 0);
                ASSERT_TRUE(sink.next()) << code(sink.error()) << " seed " << seed << '\n' << xml;
                const auto printed = [&](const Message& message) {
                    Json fields = test::fast_fields(message.tmpl().fields(), message.root());
                    test::normalise_constant_parts(*templates, message.tmpl().fields(), fields);
                    return fields.dump(-1, ' ', true, Json::error_handler_t::replace);
                };
                ASSERT_EQ(printed(sink.message()), printed(source.message())) << "seed " << seed << '\n'
                                                                              << xml;
                ASSERT_EQ(sink.message().end(), result.size_bytes);
                ++messages;
            }
        }
    }
    EXPECT_GT(messages, 5 * seeds);
}

}  // namespace
}  // namespace tickpath::fast
