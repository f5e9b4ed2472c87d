// Recorded and published messages, value for value against the expected files of a reference decoder.
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_values.h"
#include "tests/support/gzip.h"
#include "tests/support/hex.h"
#include "tests/support/shared_data.h"

namespace tickpath::fast {
namespace {

using test::Json;

std::filesystem::path data(const char* name) {
    return test::shared_data() / "fast" / name;
}

std::shared_ptr<const Templates> load(const char* name) {
    Diagnostics diagnostics;
    auto templates = load_template_file(data(name), diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format();
    return templates;
}

enum class Framing { none, length, sequence };

// A file of messages behind one another. The buffer keeps room for sentinels, so that nothing is copied.
class Recording {
public:
    Recording(const char* name, Framing framing) : bytes_(test::read_file(data(name))), framing_(framing) {
        size_ = bytes_.size();
        bytes_.resize(size_ + tailroom);
    }

    // Calls on_message(message, offset of its datagram) for each; returns how many there were before an
    // error.
    template <class OnMessage>
    std::size_t decode(Decoder& decoder, OnMessage on_message) {
        std::size_t count = 0;
        for (std::size_t at = 0; at < size_;) {
            std::size_t left = size_ - at;
            if (framing_ == Framing::length) left = load_little<std::uint32_t>(bytes_.data() + at) + 4;
            const std::size_t preamble = framing_ == Framing::none ? 0 : 4;
            const auto* first = reinterpret_cast<const std::byte*>(bytes_.data()) + at + preamble;
            // Without a length the rest of the file is one datagram, and behind it there is room.
            decoder.begin({first, left - preamble}, at + left == size_ ? tailroom : 0);
            if (!decoder.next()) {
                ADD_FAILURE() << code(decoder.error()) << " at byte " << at << " in "
                              << decoder.error_place().field;
                return count;
            }
            on_message(decoder.message(), at + preamble);
            at += preamble + decoder.message().end();
            ++count;
        }
        return count;
    }

private:
    static constexpr std::size_t tailroom = 4096;
    std::string bytes_;
    std::size_t size_ = 0;
    Framing framing_;
};

void compare(const char* templates, const char* recording, Framing framing, DecoderOptions options,
             std::size_t count) {
    Decoder decoder(load(templates), options);
    std::istringstream expected(test::read_gzip(data(recording).string() + ".expected.jsonl.gz"));
    const std::size_t decoded =
        Recording(recording, framing).decode(decoder, [&](const Message& message, std::size_t at) {
            std::string line;
            ASSERT_TRUE(std::getline(expected, line));
            const Json decoded_message = {
                {"template", message.tmpl().label()},
                {"start", at + message.start()},
                {"end", at + message.end()},
                {"fields", test::fast_fields(message.tmpl().fields(), message.root())}};
            ASSERT_EQ(decoded_message.dump(), line);
        });
    EXPECT_EQ(decoded, count);
    std::string surplus;
    EXPECT_FALSE(std::getline(expected, surplus)) << "expected but not decoded: " << surplus;
    std::cout << recording << ": " << decoded << " messages\n";
}

TEST(FastRecordings, RtsForts2013) {
    TICKPATH_NEEDS_SHARED_DATA();
    // Each message is preceded by a reset message, whose template carries the attribute.
    for (const char* name : {"rts-forts-2013/increment_a.dat", "rts-forts-2013/snapshot.dat",
                             "rts-forts-2013/increment_b_first_third.dat"}) {
        const std::size_t count = std::string_view(name).ends_with("a.dat")          ? 10802
                                  : std::string_view(name).ends_with("snapshot.dat") ? 12418
                                                                                     : 5392;
        compare("rts-forts-2013/templates.xml", name, Framing::none,
                {.reset = ResetRule::never, .strict = true}, count);
    }
}

TEST(FastRecordings, MoexAstsOrderLog2019) {
    TICKPATH_NEEDS_SHARED_DATA();
    compare("moex-asts-olr-2019/test.xml", "moex-asts-olr-2019/data.dat", Framing::sequence,
            {.reset = ResetRule::message, .strict = true}, 3346);
}

// The first template carries reset="Y", which the values depend on; resetting before each message gives the
// same.
TEST(FastRecordings, QuickfastComplex30000UnderBothResetRules) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const ResetRule rule : {ResetRule::never, ResetRule::message})
        compare("quickfast-complex30000/example.xml", "quickfast-complex30000/complex30000.dat",
                Framing::length, {.reset = rule}, 20000);
}

// Decodes bytes that hold any number of messages; the messages' JSON, then {"error": code} if it came to
// that.
std::vector<Json> decode_all(Decoder& decoder, std::span<const std::byte> bytes) {
    std::vector<Json> messages;
    decoder.begin(bytes, 0);
    while (decoder.next())
        messages.push_back(test::fast_message(decoder.message()));
    if (decoder.error() != Errc::ok) messages.push_back({{"error", std::string(code(decoder.error()))}});
    return messages;
}

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}

TEST(FastRecordings, FastfixPacketWithItsChecksum) {
    TICKPATH_NEEDS_SHARED_DATA();
    Decoder decoder(load("fastfix/templates.xml"), {.reset = ResetRule::datagram, .strict = true});
    const std::string packet = test::read_file(data("fastfix/increfresh.bin"));
    const Json expected = Json::parse(test::read_file(data("fastfix/increfresh.expected.json")));
    const std::vector<Json> messages = decode_all(decoder, as_bytes(packet));
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0]["fields"].dump(), expected["fields"].dump());
}

TEST(FastRecordings, Cme2007Refresh) {
    TICKPATH_NEEDS_SHARED_DATA();
    Decoder decoder(load("cme-2007/templates.xml"), {.reset = ResetRule::datagram, .strict = true});
    const std::string packet = test::read_file(data("cme-2007/messages.fast"));
    const std::vector<Json> messages = decode_all(decoder, as_bytes(packet));
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].dump(),
              Json::parse(test::read_file(data("cme-2007/messages.expected.json"))).dump());
}

// Cases of one file: {"messages_hex": [...], "decoded": [{"template","fields",...}]}; state carries over in a
// case.
std::size_t compare_cases(const char* templates, const char* cases) {
    const std::shared_ptr<const Templates> loaded = load(templates);
    std::size_t count = 0;
    for (const Json& one_case : Json::parse(test::read_file(data(cases)))) {
        Decoder decoder(loaded, {.reset = ResetRule::never});
        for (std::size_t i = 0; i < one_case["messages_hex"].size(); ++i, ++count) {
            const std::vector<std::byte> bytes =
                test::from_hex(one_case["messages_hex"][i].get<std::string>());
            const std::vector<Json> messages = decode_all(decoder, bytes);
            const Json expected = {{"template", one_case["decoded"][i]["template"]},
                                   {"fields", one_case["decoded"][i]["fields"]}};
            EXPECT_EQ(messages.size(), 1u) << one_case["name"];
            EXPECT_EQ(messages.front().dump(), expected.dump()) << one_case["name"];
        }
    }
    return count;
}

TEST(FastRecordings, Cqg) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::size_t count = compare_cases("cqg/templates.xml", "cqg/cases.json");
    EXPECT_GT(count, 0u);
    std::cout << "cqg: " << count << " messages\n";
}

TEST(FastRecordings, AppendixExamplesAsWholeMessages) {
    TICKPATH_NEEDS_SHARED_DATA();
    EXPECT_EQ(compare_cases("rs-fastlib-spec/spec.xml", "rs-fastlib-spec/spec.cases.json"), 37u);
    EXPECT_EQ(compare_cases("rs-fastlib-spec/spec2.xml", "rs-fastlib-spec/spec2.cases.json"), 24u);
}

}  // namespace
}  // namespace tickpath::fast
