// The decoder against its plain twin: made-up templates and bytes, and recorded messages with bytes changed.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/hex.h"
#include "tests/support/plain_fast_decoder.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::PlainFastDecoder;

// Both decoders over the same template file.
class Twins {
public:
    Twins(const std::string& xml, DecoderOptions options)
        : fast_(load(xml), options), plain_(definitions(xml), options) {}

    // Decodes with both; returns how many messages there were, or nullopt when they disagree.
    std::optional<std::size_t> agree(std::span<const std::byte> datagram) {
        const PlainFastDecoder::Outcome fast = test::fast_outcome(fast_, datagram);
        const PlainFastDecoder::Outcome plain = plain_.decode(datagram);
        EXPECT_EQ(test::to_line(fast), test::to_line(plain)) << "bytes " << test::hex_text(text(datagram));
        if (test::to_line(fast) != test::to_line(plain)) return std::nullopt;
        return fast.messages.size();
    }

private:
    static std::string text(std::span<const std::byte> bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    static std::shared_ptr<const Templates> load(const std::string& xml) {
        Diagnostics diagnostics;
        auto templates = load_templates(xml, "twins", diagnostics);
        EXPECT_TRUE(templates) << diagnostics.format() << xml;
        return templates;
    }
    static std::vector<TemplateDefinition> definitions(const std::string& xml) {
        Diagnostics diagnostics;
        const TemplateSource source = {xml, "twins"};
        return read_definitions(std::span(&source, 1), diagnostics, {});
    }

    Decoder fast_;
    PlainFastDecoder plain_;
};

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
        Twins twins(xml, random_options(random));
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
// ------------------------------------------------------------------------------------------

struct Recording {
    const char* templates;
    const char* file;
    unsigned preamble_bytes;
    bool has_length;
    DecoderOptions options;
};

// Cuts a file into datagrams with the decoder itself.
std::vector<std::vector<std::byte>> datagrams_of(const Recording& recording, const std::string& xml,
                                                 std::size_t most) {
    Diagnostics diagnostics;
    Decoder decoder(load_templates(xml, "recording", diagnostics), recording.options);
    const std::string file = test::read_file(test::shared_data() / "fast" / recording.file);
    std::vector<std::vector<std::byte>> datagrams;
    for (std::size_t at = 0; at < file.size() && datagrams.size() < most;) {
        const auto* first = reinterpret_cast<const std::byte*>(file.data()) + at;
        std::size_t size = std::min<std::size_t>(file.size() - at, 4'000);
        if (recording.has_length) size = 4 + load_little<std::uint32_t>(first);
        const std::span<const std::byte> body(first + recording.preamble_bytes,
                                              size - recording.preamble_bytes);
        decoder.begin(body, 0);
        std::size_t end = 0;
        while (decoder.next()) {
            end = decoder.message().end();
            if (!decoder.message().tmpl().resets() || recording.has_length) break;
        }
        EXPECT_NE(end, 0u);
        datagrams.emplace_back(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(end));
        at += recording.preamble_bytes + end;
    }
    return datagrams;
}

const Recording recordings[] = {
    {"rts-forts-2013/templates.xml", "rts-forts-2013/increment_a.dat", 0, false, {.reset = ResetRule::never}},
    {"rts-forts-2013/templates.xml",
     "rts-forts-2013/snapshot.dat",
     0,
     false,
     {.reset = ResetRule::template_id}},
    {"moex-asts-olr-2019/test.xml", "moex-asts-olr-2019/data.dat", 4, false, {.reset = ResetRule::message}},
    {"quickfast-complex30000/example.xml",
     "quickfast-complex30000/complex30000.dat",
     4,
     true,
     {.reset = ResetRule::never}},
};

TEST(FastDifferential, AgreesOnRecordedMessages) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Recording& recording : recordings) {
        const std::string xml = test::read_file(test::shared_data() / "fast" / recording.templates);
        Twins twins(xml, recording.options);
        for (const std::vector<std::byte>& datagram :
             datagrams_of(recording, xml, test::at_level(1'000, 4'000, 20'000)))
            ASSERT_TRUE(twins.agree(datagram)) << recording.file;
    }
}

TEST(FastDifferential, AgreesOnRecordedMessagesWithBytesChanged) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Recording& recording : recordings) {
        const std::string xml = test::read_file(test::shared_data() / "fast" / recording.templates);
        const std::size_t count = test::at_level(1'000, 4'000, 20'000);
        std::mt19937_64 random(7);
        Twins twins(xml, recording.options);
        for (std::vector<std::byte> datagram : datagrams_of(recording, xml, count)) {
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
    for (const char* name : {"vectors.json", "extra_vectors.json"}) {
        for (const test::Json& one_case :
             test::Json::parse(test::read_file(test::shared_data() / "fast" / "vectors" / name))) {
            const std::string xml = one_case.contains("templates_xml")
                                        ? one_case["templates_xml"].get<std::string>()
                                        : "<templates><template name=\"t\" id=\"1\">" +
                                              one_case["fields_xml"].get<std::string>() +
                                              "</template></templates>";
            std::vector<std::byte> stream;
            for (const test::Json& row : one_case["messages"]) {
                const std::vector<std::byte> bytes = test::from_hex(row["hex"].get<std::string>());
                stream.insert(stream.end(), bytes.begin(), bytes.end());
            }
            for (std::uint64_t round = 0; round < rounds; ++round) {
                Twins twins(xml, {.reset = ResetRule::never, .strict = round % 4 == 0});
                std::vector<std::byte> changed = stream;
                for (std::uint64_t i = 0, changes = random() % 3; i < changes; ++i)
                    changed[random() % changed.size()] = static_cast<std::byte>(random());
                ASSERT_TRUE(twins.agree(changed)) << one_case["name"];
            }
        }
    }
}

}  // namespace
}  // namespace tickpath::fast
