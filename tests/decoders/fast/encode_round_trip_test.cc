// decode(encode(x)) == x: made-up templates and values through the encoder, then through the decoder and its
// plain twin, in both modes, with dictionaries carried and reset.
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/fast_round_trip.h"
#include "tests/support/random_messages.h"
#include "tests/support/random_templates.h"
#include "tests/support/same_numbers.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::Json;

std::shared_ptr<const Templates> load(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "round trip", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

DecoderOptions random_options(test::RandomTemplates& random) {
    constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never,
                                   ResetRule::never, ResetRule::template_id};
    return {.reset = rules[random.below(5)],
            .reset_template_id = static_cast<std::uint32_t>(3 + random.below(2)),
            .strict = random.below(2) == 0};
}

TEST(FastEncodeRoundTrip, GivesMadeUpMessagesBackThroughBothDecoders) {
    const std::uint64_t wanted = test::at_level(5'000, 100'000, 1'000'000);
    test::RoundTripCounts counts;
    for (std::uint64_t seed = 0; counts.messages < wanted; ++seed) {
        test::RandomTemplates random_templates(seed);
        const std::string xml = random_templates.xml();
        test::FastRoundTrip loop(xml, load(xml), random_options(random_templates));
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
                    ASSERT_TRUE(test::is_expected_refusal(result.error)) << code(result.error) << '\n' << xml;
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
