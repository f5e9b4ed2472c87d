// The decoder against its plain twin: made-up templates and bytes, and recorded messages with bytes changed.
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fast_recordings.h"
#include "tests/support/fast_twins.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::FastTwins;

DecoderOptions random_options(test::RandomTemplates& random) {
    constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never,
                                   ResetRule::never, ResetRule::template_id};
    return {.reset = rules[random.below(5)],
            .reset_template_id = static_cast<std::uint32_t>(3 + random.below(2)),
            .strict = random.below(4) == 0};
}

TEST(FastDifferential, AgreesOnMadeUpTemplatesAndBytes) {
    const std::uint64_t seeds = test::at_level(500, 1'500, 30'000);
    std::size_t messages = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        test::RandomTemplates random(seed);
        const std::string xml = random.xml();
        FastTwins twins(xml, random_options(random));
        for (int i = 0; i < 40; ++i) {
            const std::optional<std::size_t> decoded = twins.agree(random.datagram());
            ASSERT_TRUE(decoded) << "seed " << seed << ", datagram " << i << '\n' << xml;
            messages += *decoded;
        }
    }
    EXPECT_GT(messages, 10 * seeds)
        << "too few of the made-up messages decode for the comparison to mean much";
}

// ---- recorded bytes

TEST(FastDifferential, AgreesOnRecordedMessages) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const test::FastRecording& recording : test::fast_recordings) {
        const std::string xml = recording.xml();
        FastTwins twins(xml, recording.options);
        for (const std::vector<std::byte>& datagram :
             test::datagrams_of(recording, xml, test::at_level(1'000, 4'000, 20'000)))
            ASSERT_TRUE(twins.agree(datagram)) << recording.file;
    }
}

TEST(FastDifferential, AgreesOnRecordedMessagesWithBytesChanged) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const test::FastRecording& recording : test::fast_recordings) {
        const std::string xml = recording.xml();
        const std::size_t count = test::at_level(1'000, 4'000, 20'000);
        std::mt19937_64 random(7);
        FastTwins twins(xml, recording.options);
        for (std::vector<std::byte> datagram : test::datagrams_of(recording, xml, count)) {
            for (std::uint64_t i = 0, flips = 1 + random() % 3; i < flips; ++i)
                datagram[random() % datagram.size()] ^= static_cast<std::byte>(1u << random() % 8);
            if (random() % 8 == 0) datagram.resize(random() % datagram.size());
            ASSERT_TRUE(twins.agree(datagram)) << recording.file;
        }
    }
}

// Every operator and type is in the vectors; their templates see a few hundred changed streams each.
TEST(FastDifferential, AgreesOnVectorsWithBytesChanged) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::uint64_t rounds = test::at_level(100, 300, 5'000);
    std::mt19937_64 random(11);
    for (const test::FastVectorCase& one : test::fast_vector_cases()) {
        std::vector<std::byte> stream;
        for (const std::vector<std::byte>& message : one.messages)
            stream.insert(stream.end(), message.begin(), message.end());
        FastTwins lenient(one.xml, {.reset = ResetRule::never});
        FastTwins strict(one.xml, {.reset = ResetRule::never, .strict = true});
        for (std::uint64_t round = 0; round < rounds; ++round) {
            FastTwins& twins = round % 4 == 0 ? strict : lenient;
            twins.reset();
            std::vector<std::byte> changed = stream;
            for (std::uint64_t i = 0, changes = random() % 3; i < changes; ++i)
                changed[random() % changed.size()] = static_cast<std::byte>(random());
            ASSERT_TRUE(twins.agree(changed)) << one.name;
        }
    }
}

}  // namespace
}  // namespace tickpath::fast
