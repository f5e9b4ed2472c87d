// The machine-readable vectors of the FAST specification and ours: every message, value for value.
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_vectors.h"
#include "tests/support/shared_data.h"

namespace tickpath::fast {
namespace {

using test::decode_row;
using test::expected_fields;
using test::Json;
using test::read_vectors;

std::shared_ptr<const Templates> load(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "vector", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

Decoder decoder_for(const std::string& xml, bool strict) {
    return {load(xml), {.reset = ResetRule::never, .strict = strict}};
}

TEST(FastVectors, DecodeToTheirValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    unsigned right = 0;
    unsigned count = 0;
    for (const Json& one_case : read_vectors("vectors.json")) {
        const std::string body = one_case["fields_xml"];
        Decoder decoder = decoder_for(
            "<templates><template name=\"t\" id=\"1\">" + body + "</template></templates>", false);
        const bool is_scalar = body.find("name=\"f\"") != std::string::npos;
        for (const Json& row : one_case["messages"]) {
            const Json decoded = decode_row(decoder, row);
            const bool is_error = row["expect"].is_object() && row["expect"].contains("error");
            const Json expected =
                is_error ? row["expect"]
                         : Json{{"template", "t"}, {"fields", expected_fields(row["expect"], is_scalar)}};
            EXPECT_EQ(decoded.dump(), expected.dump()) << one_case["name"] << ": " << row["hex"];
            right += decoded.dump() == expected.dump() ? 1 : 0;
            ++count;
        }
    }
    std::cout << "vectors.json: " << right << " of " << count << '\n';
    EXPECT_EQ(count, 174u);
    EXPECT_EQ(right, count);
}

TEST(FastVectors, ExtraOnesDecodeToTheirValuesAndReports) {
    TICKPATH_NEEDS_SHARED_DATA();
    unsigned right_cases = 0;
    unsigned cases = 0;
    for (const Json& one_case : read_vectors("extra_vectors.json")) {
        Decoder decoder = decoder_for(one_case["templates_xml"], false);
        bool is_right = true;
        for (const Json& row : one_case["messages"]) {
            const Json decoded = decode_row(decoder, row);
            EXPECT_EQ(decoded.dump(), row["expect"].dump()) << one_case["name"] << ": " << row["hex"];
            is_right = is_right && decoded.dump() == row["expect"].dump();
        }
        right_cases += is_right ? 1 : 0;
        ++cases;
    }
    std::cout << "extra_vectors.json: " << right_cases << " of " << cases << '\n';
    EXPECT_EQ(cases, 29u);
    EXPECT_EQ(right_cases, cases);
}

TEST(FastVectors, ReportsAreErrorsInStrictMode) {
    TICKPATH_NEEDS_SHARED_DATA();
    unsigned count = 0;
    for (const Json& one_case : read_vectors("extra_vectors.json")) {
        Decoder decoder = decoder_for(one_case["templates_xml"], true);
        for (const Json& row : one_case["messages"]) {
            const Json decoded = decode_row(decoder, row);
            if (!row["expect"].contains("reports")) continue;
            EXPECT_EQ(decoded.dump(), Json({{"error", row["expect"]["reports"][0]}}).dump()) << row["hex"];
            ++count;
        }
    }
    EXPECT_EQ(count, 8u);
}

}  // namespace
}  // namespace tickpath::fast
