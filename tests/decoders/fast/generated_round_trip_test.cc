// decode(encode(x)) == x through both tiers: made-up values of the templates whose decoders are generated
// when the tree is built, and of made-up templates whose decoders the test compiles.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"
#include "every_instruction.generated.h"
#include "tests/support/compiled_decoders.h"
#include "tests/support/fast_round_trip.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

std::shared_ptr<const Templates> load(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "round trip", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

DecoderOptions options_of(std::uint64_t seed) {
    constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never};
    return {.reset = rules[seed % 3], .strict = seed % 4 == 0};
}

// Half of the messages are of each of the two kinds of templates.
std::uint64_t messages_wanted() {
    return test::at_level(2'500, 50'000, 500'000);
}

void say(const test::RoundTripCounts& counts) {
    std::cout << counts.messages << " messages";
    for (const auto& [error, count] : counts.refused)
        std::cout << ", " << error << ' ' << count;
    std::cout << '\n';
}

TEST(FastGeneratedRoundTrip, GivesMadeUpValuesOfEveryInstructionBack) {
    const std::string xml =
        test::read_file(std::string(TICKPATH_SOURCE_ROOT) + "/tests/decoders/fast/every_instruction.xml");
    const std::shared_ptr<const Templates> templates = load(xml);
    Diagnostics diagnostics;
    const auto generated = templates->with(fast_every_instruction::decoders(), diagnostics);
    ASSERT_TRUE(generated) << diagnostics.format();
    test::RoundTripCounts counts;
    for (std::uint64_t seed = 0; counts.messages < messages_wanted(); ++seed) {
        test::FastRoundTrip loop(xml, templates, options_of(seed));
        loop.add_tier(generated);
        test::RandomMessages random(seed);
        for (int i = 0; i < 40; ++i)
            ASSERT_TRUE(loop.run(random, counts)) << "seed " << seed << ", datagram " << i;
        ASSERT_LT(seed, messages_wanted()) << "most of the messages are refused, so that little is compared";
    }
    say(counts);
}

TEST(FastGeneratedRoundTrip, GivesMadeUpValuesOfMadeUpTemplatesBack) {
    const std::size_t files = test::at_level(10, 60, 300);
    constexpr std::size_t batch = 10;  // template files a translation unit
    test::RoundTripCounts counts;
    for (std::size_t first = 0; first < files; first += batch) {
        std::vector<std::string> texts;
        std::vector<std::shared_ptr<const Templates>> sets;
        for (std::size_t i = 0; i < batch; ++i)
            sets.push_back(load(texts.emplace_back(test::RandomTemplates(50'000 + first + i).xml())));
        const test::CompiledDecoders compiled(sets);
        EXPECT_GT(compiled.generated_count(), compiled.interpreted_count());
        const std::uint64_t until = messages_wanted() * (first + batch) / files;
        for (std::uint64_t seed = first; counts.messages < until; ++seed) {
            const std::size_t i = seed % batch;
            test::FastRoundTrip loop(texts[i], sets[i], options_of(seed));
            loop.add_tier(compiled.sets()[i]);
            test::RandomMessages random(seed);
            for (int d = 0; d < 40; ++d)
                ASSERT_TRUE(loop.run(random, counts)) << "seed " << seed << ", datagram " << d << '\n'
                                                      << texts[i];
            ASSERT_LT(seed, first + messages_wanted()) << "most of the messages are refused";
        }
    }
    say(counts);
}

}  // namespace
}  // namespace tickpath::fast
