// The explaining walker says what the decoder says: the same values, reports and errors, on made-up templates
// and bytes, on the vectors and on recorded messages.
#include "decoders/fast/explain.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::Json;

std::vector<TemplateDefinition> definitions_of(const std::string& xml) {
    Diagnostics diagnostics;
    const TemplateSource source = {xml, "test.xml"};
    return read_definitions(std::span(&source, 1), diagnostics, {});
}

std::shared_ptr<const Templates> templates_of(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "test.xml", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

Json json_of(const Step& step) {
    if (const auto* text = std::get_if<std::string>(&*step.value))
        return step.type == FieldType::bytes ? Json(test::hex_text(*text)) : Json(*text);
    if (const auto* decimal = std::get_if<Decimal>(&*step.value))
        return {{"m", decimal->mantissa}, {"e", decimal->exponent}};
    const auto integer = std::get<WideInteger>(*step.value);
    return is_signed(step.type) ? Json(static_cast<std::int64_t>(integer))
                                : Json(static_cast<std::uint64_t>(integer));
}

// The nested fields that a message's steps amount to.
class Fields {
public:
    explicit Fields(const std::vector<Step>& steps) : steps_(steps) {}
    Json message() {
        Json fields = Json::object();
        while (at_ < steps_.size())
            one(fields);
        return fields;
    }

private:
    void one(Json& fields) {
        const Step& step = steps_[at_++];
        if (!step.value) return;
        if (step.kind == Step::Kind::field) {
            fields[step.name] = json_of(step);
        } else if (step.kind == Step::Kind::group) {
            Json inside = Json::object();
            until_end(inside);
            fields[step.name] = inside;
        } else if (step.kind == Step::Kind::reference) {
            Json inside = Json::object();
            until_end(inside);
            fields[step.name] = {{"template", std::get<std::string>(*step.value)}, {"fields", inside}};
        } else if (step.kind == Step::Kind::sequence) {
            Json rows = Json::array();
            while (steps_[at_].kind == Step::Kind::element) {
                ++at_;
                rows.push_back(Json::object());
                while (steps_[at_].kind != Step::Kind::element && steps_[at_].kind != Step::Kind::end)
                    one(rows.back());
            }
            ++at_;
            fields[step.name] = rows;
        }
    }
    void until_end(Json& fields) {
        while (steps_[at_].kind != Step::Kind::end)
            one(fields);
        ++at_;
    }

    const std::vector<Step>& steps_;
    std::size_t at_ = 0;
};

// In the form of the twins.
test::PlainFastDecoder::Outcome explained(Explainer& explainer, std::span<const std::byte> datagram) {
    test::PlainFastDecoder::Outcome outcome;
    explainer.begin(datagram);
    while (const ExplainedMessage* const message = explainer.next()) {
        if (!message->is_complete) break;
        const std::string label =
            message->tmpl == nullptr ? std::to_string(message->template_id) : label_of(*message->tmpl);
        Json decoded = {{"template", label},
                        {"start", message->start},
                        {"end", message->end},
                        {"fields", Fields(message->steps).message()}};
        for (const Report report : {Report::r2, Report::r6, Report::r7, Report::r8, Report::r9})
            if ((message->reports >> static_cast<unsigned>(report) & 1u) != 0)
                decoded["reports"].push_back(std::string(code(errc_of(report))));
        outcome.messages.push_back(decoded);
    }
    if (explainer.error() != Errc::ok) outcome.error = code(explainer.error());
    return outcome;
}

// The decoder and the explainer over the same template file.
class Pair {
public:
    Pair(const std::string& xml, DecoderOptions options) : xml_(xml), options_(options) { start(); }

    // How many messages there were; nullopt when they disagree.
    std::optional<std::size_t> agree(std::span<const std::byte> datagram) {
        const test::PlainFastDecoder::Outcome decoded = test::fast_outcome(*decoder_, datagram);
        const test::PlainFastDecoder::Outcome told = explained(*explainer_, datagram);
        if (ran_out_of_rows(decoded, told)) {
            start();
            return decoded.messages.size();
        }
        const std::string expected = test::to_line(decoded);
        const std::string found = test::to_line(told);
        EXPECT_EQ(found, expected);
        return found == expected ? std::optional(decoded.messages.size()) : std::nullopt;
    }

private:
    void start() {
        decoder_.emplace(templates_of(xml_), options_);
        explainer_.emplace(definitions_of(xml_), options_);
    }
    // The decoder's memory for rows is bounded, the explainer's is not.
    [[nodiscard]] static bool ran_out_of_rows(const test::PlainFastDecoder::Outcome& decoded,
                                              const test::PlainFastDecoder::Outcome& told) {
        return decoded.error == "limit" && told.error != "limit" &&
               decoded.messages.size() <= told.messages.size() &&
               std::equal(decoded.messages.begin(), decoded.messages.end(), told.messages.begin());
    }

    std::string xml_;
    DecoderOptions options_;
    std::optional<Decoder> decoder_;
    std::optional<Explainer> explainer_;
};

TEST(FastExplain, SaysWhatTheDecoderSaysOnMadeUpTemplates) {
    const std::uint64_t seeds = test::at_level(200, 1'000, 10'000);
    std::size_t messages = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        test::RandomTemplates random(seed);
        const std::string xml = random.xml();
        constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never,
                                       ResetRule::template_id};
        Pair pair(xml, {.reset = rules[random.below(4)],
                        .reset_template_id = static_cast<std::uint32_t>(3 + random.below(2)),
                        .strict = random.below(4) == 0});
        for (int i = 0; i < 40; ++i) {
            const std::optional<std::size_t> decoded = pair.agree(random.datagram());
            ASSERT_TRUE(decoded) << "seed " << seed << ", datagram " << i << '\n' << xml;
            messages += *decoded;
        }
    }
    EXPECT_GT(messages, 10 * seeds) << "too few of the made-up messages decode";
}

TEST(FastExplain, SaysWhatTheDecoderSaysOnAllVectors) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t rows = 0;
    for (const char* name : {"vectors.json", "extra_vectors.json"}) {
        for (const Json& one_case :
             Json::parse(test::read_file(test::shared_data() / "fast" / "vectors" / name))) {
            const std::string xml = one_case.contains("templates_xml")
                                        ? one_case["templates_xml"].get<std::string>()
                                        : "<templates><template name=\"t\" id=\"1\">" +
                                              one_case["fields_xml"].get<std::string>() +
                                              "</template></templates>";
            for (const bool strict : {false, true}) {
                Pair pair(xml, {.reset = ResetRule::never, .strict = strict});
                for (const Json& row : one_case["messages"]) {
                    ASSERT_TRUE(pair.agree(test::from_hex(row["hex"].get<std::string>())))
                        << one_case["name"];
                    ++rows;
                }
            }
        }
    }
    EXPECT_GE(rows, 2u * 174);
}

struct Capture {
    const char* templates;
    const char* file;
    unsigned preamble_bytes;
    bool has_length;
    DecoderOptions options;
};
const Capture captures[] = {
    {"rts-forts-2013/templates.xml", "rts-forts-2013/increment_a.dat", 0, false, {.reset = ResetRule::never}},
    {"rts-forts-2013/templates.xml", "rts-forts-2013/snapshot.dat", 0, false, {.reset = ResetRule::never}},
    {"moex-asts-olr-2019/test.xml", "moex-asts-olr-2019/data.dat", 4, false, {.reset = ResetRule::message}},
    {"quickfast-complex30000/example.xml",
     "quickfast-complex30000/complex30000.dat",
     4,
     true,
     {.reset = ResetRule::never}},
};

// Both walk the file on their own: where one message ends, the next begins.
TEST(FastExplain, SaysWhatTheDecoderSaysOnRecordedMessages) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::size_t most = test::at_level(1'000, 5'000, 20'000);
    for (const Capture& capture : captures) {
        const std::string xml = test::read_file(test::shared_data() / "fast" / capture.templates);
        const std::string file = test::read_file(test::shared_data() / "fast" / capture.file);
        Decoder decoder(templates_of(xml), capture.options);
        Explainer explainer(definitions_of(xml), capture.options);
        std::size_t count = 0;
        for (std::size_t at = 0; at < file.size() && count < most; ++count) {
            const std::span<const std::byte> rest = std::as_bytes(std::span(file)).subspan(at);
            const std::size_t size =
                capture.has_length ? 4 + load_little<std::uint32_t>(rest.data()) : rest.size();
            const std::span<const std::byte> body =
                rest.first(std::min<std::size_t>(size, 4'000)).subspan(capture.preamble_bytes);
            decoder.begin(body, 0);
            explainer.begin(body);
            ASSERT_TRUE(decoder.next()) << capture.file << " at byte " << at;
            const ExplainedMessage* const message = explainer.next();
            ASSERT_TRUE(message != nullptr && message->is_complete) << capture.file << " at byte " << at;
            ASSERT_EQ(message->end, decoder.message().end());
            ASSERT_EQ(Fields(message->steps).message().dump(),
                      test::fast_fields(decoder.message().tmpl().fields(), decoder.message().root()).dump());
            at += capture.preamble_bytes + message->end;
        }
        EXPECT_GE(count, std::min<std::size_t>(most, 1'000)) << capture.file;
    }
}

const Step& find_step(const ExplainedMessage& message, std::string_view name) {
    for (const Step& step : message.steps)
        if (step.name == name) return step;
    throw std::out_of_range(std::string(name));
}

TEST(FastExplain, TellsWhereAValueComesFrom) {
    Explainer explainer(
        definitions_of(
            "<templates><template name=\"T\" id=\"1\"><uInt32 name=\"a\"><copy/></uInt32>"
            "<uInt32 name=\"b\"><increment value=\"7\"/></uInt32><uInt32 name=\"c\"><delta/></uInt32>"
            "</template></templates>"),
        {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("e0 81 85 83  80 81");
    explainer.begin(bytes);
    const ExplainedMessage* message = explainer.next();
    ASSERT_TRUE(message != nullptr && message->is_complete);
    EXPECT_EQ(find_step(*message, "a").source, Source::wire);
    EXPECT_EQ(find_step(*message, "a").begin, 2u);
    EXPECT_EQ(find_step(*message, "a").end, 3u);
    EXPECT_EQ(find_step(*message, "a").bit, 2u);
    EXPECT_TRUE(find_step(*message, "a").bit_is_set);
    EXPECT_EQ(find_step(*message, "b").source, Source::initial);
    EXPECT_EQ(find_step(*message, "b").before.status, EntryStatus::undefined);
    message = explainer.next();
    ASSERT_TRUE(message != nullptr && message->is_complete);
    EXPECT_EQ(find_step(*message, "a").source, Source::previous);
    EXPECT_EQ(find_step(*message, "a").begin, find_step(*message, "a").end);
    EXPECT_EQ(find_step(*message, "b").source, Source::previous_plus_one);
    EXPECT_EQ(std::get<WideInteger>(find_step(*message, "b").before.value), 7);
    EXPECT_EQ(std::get<WideInteger>(find_step(*message, "b").after.value), 8);
    EXPECT_EQ(find_step(*message, "c").source, Source::difference);
    EXPECT_EQ(std::get<WideInteger>(*find_step(*message, "c").sent), 1);
    EXPECT_EQ(std::get<WideInteger>(*find_step(*message, "c").value), 4);
    EXPECT_EQ(explainer.next(), nullptr);
}

TEST(FastExplain, EndsAnIncompleteMessageWithItsErrorAndPlace) {
    Explainer explainer(definitions_of("<templates><template name=\"T\" id=\"1\"><uInt32 name=\"a\"/>"
                                       "<uInt32 name=\"b\"/></template></templates>"),
                        {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("c0 81 85  7f 7f 7f 7f ff");
    explainer.begin(bytes);
    const ExplainedMessage* const message = explainer.next();
    ASSERT_TRUE(message != nullptr);
    EXPECT_FALSE(message->is_complete);
    EXPECT_EQ(message->steps.back().kind, Step::Kind::error);
    EXPECT_EQ(message->steps.back().error, Errc::d2);
    EXPECT_EQ(message->steps.back().begin, 3u) << "where the integer begins";
    EXPECT_EQ(explainer.next(), nullptr);
}

}  // namespace
}  // namespace tickpath::fast
