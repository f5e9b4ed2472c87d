// The specification's vectors the other way: their values, encoded in the order of their messages, give their
// bytes, and what is sent otherwise is listed here and decodes to the same.
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_sender.h"
#include "tests/support/fast_values.h"
#include "tests/support/hex.h"
#include "tests/support/same_numbers.h"
#include "tests/support/shared_data.h"

namespace tickpath::fast {
namespace {

using test::Json;

// Vectors that say something in another way than the encoder does.
struct Otherwise {
    std::string_view case_name;
    std::string_view vector;
    std::string_view encoded;
};
constexpr Otherwise others[] = {
    // Absent is what a clear bit says there anyway.
    {"default optional, no initial", "a080", "80"},
    {"copy optional string", "e08180", "c081"},
    {"explicit empty tail repeats the value", "a080", "80"},
    // A message that resets always names its template.
    {"reset attribute clears before the fields are processed", "80", "c082"},
};

bool is_otherwise(const std::string& case_name, const std::string& vector, const std::string& encoded) {
    return std::any_of(std::begin(others), std::end(others), [&](const Otherwise& other) {
        return other.case_name == case_name && other.vector == vector && other.encoded == encoded;
    });
}

struct Score {
    unsigned same_bytes = 0;
    unsigned other_bytes = 0;
};

class VectorCase {
public:
    VectorCase(std::string name, const std::string& xml)
        : name_(std::move(name)),
          templates_(load(xml)),
          sender_(templates_, {.reset = ResetRule::never, .strict = true}),
          decoder_(templates_, {.reset = ResetRule::never, .strict = true}) {}

    void send(const std::string& vector, const std::string& label, const Json& fields, Score& score) {
        const Template* const tmpl = cli::find_by_label(*templates_, label);
        ASSERT_NE(tmpl, nullptr);
        std::string encoded = sender_.send(fields.dump(), tmpl->id());
        std::erase(encoded, ' ');
        if (encoded == vector) {
            ++score.same_bytes;
        } else {
            EXPECT_TRUE(is_otherwise(name_, vector, encoded))
                << "{\"" << name_ << "\", \"" << vector << "\", \"" << encoded << "\"},";
            ++score.other_bytes;
        }
        decoder_.begin(sender_.bytes(), 0);
        ASSERT_TRUE(decoder_.next()) << name_ << ' ' << code(decoder_.error());
        Json back = test::fast_fields(tmpl->fields(), decoder_.message().root());
        Json sent = fields;
        test::normalise_constant_parts(*templates_, tmpl->fields(), back);
        test::normalise_constant_parts(*templates_, tmpl->fields(), sent);
        EXPECT_EQ(back, sent) << name_ << ' ' << encoded;
    }

private:
    static std::shared_ptr<const Templates> load(const std::string& xml) {
        Diagnostics diagnostics;
        auto templates = load_templates(xml, "vector", diagnostics);
        EXPECT_TRUE(templates) << diagnostics.format();
        return templates;
    }

    std::string name_;
    std::shared_ptr<const Templates> templates_;
    test::FastSender sender_;
    Decoder decoder_;
};

Json read_vectors(const char* name) {
    return Json::parse(test::read_file(test::shared_data() / "fast" / "vectors" / name));
}

TEST(FastEncodeVectors, GiveTheirBytes) {
    TICKPATH_NEEDS_SHARED_DATA();
    Score score;
    for (const Json& one_case : read_vectors("vectors.json")) {
        const std::string body = one_case["fields_xml"];
        VectorCase sent(one_case["name"],
                        "<templates><template name=\"t\" id=\"1\">" + body + "</template></templates>");
        const bool is_scalar = body.find("name=\"f\"") != std::string::npos;
        for (const Json& row : one_case["messages"]) {
            const Json& expect = row["expect"];
            if (expect.is_object() && expect.contains("error")) continue;
            const Json scalar = expect.is_null() ? Json::object() : Json{{"f", expect}};
            sent.send(row["hex"], "t", is_scalar ? scalar : expect, score);
        }
    }
    std::cout << "vectors.json: " << score.same_bytes << " the same bytes, " << score.other_bytes
              << " others\n";
    EXPECT_EQ(score.same_bytes, 167u);
    EXPECT_EQ(score.other_bytes, 2u);
}

TEST(FastEncodeVectors, ExtraOnesComeBack) {
    TICKPATH_NEEDS_SHARED_DATA();
    Score score;
    for (const Json& one_case : read_vectors("extra_vectors.json")) {
        VectorCase sent(one_case["name"], one_case["templates_xml"]);
        for (const Json& row : one_case["messages"]) {
            const Json& expect = row["expect"];
            if (expect.contains("error") || expect.contains("reports")) continue;
            sent.send(row["hex"], expect["template"], expect["fields"], score);
        }
    }
    std::cout << "extra_vectors.json: " << score.same_bytes << " the same bytes, " << score.other_bytes
              << " others\n";
    EXPECT_EQ(score.same_bytes, 52u);
    EXPECT_EQ(score.other_bytes, 2u);
}

}  // namespace
}  // namespace tickpath::fast
