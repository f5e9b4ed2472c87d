// Lines of JSON that encode is given.
#include "control/cli/json_line.h"

#include <string>

#include <gtest/gtest.h>

namespace tickpath::cli {
namespace {

std::string parsed(const std::string& text) {
    const JsonLine line = parse_json_line(text);
    return line.problem.empty() ? line.value.dump() : line.problem;
}

TEST(JsonLine, KeepsWhatIsRight) {
    const std::string text = R"({"a":[{"b":1},{"b":-2.5}],"c":"x","d":null})";
    EXPECT_EQ(parsed(text), text);
}

TEST(JsonLine, TellsTheEscapedLetterFromThePlainOne) {
    EXPECT_EQ(parsed(R"({"k\"":["hex:ff","\u0068ex:ff","\u0068e"],"\u0068ex:":"a\\","z":"\u0068ex:"})"),
              R"({"hex:":"a\\","k\"":["hex:ff",{"text":"hex:ff"},"he"],"z":{"text":"hex:"}})");
}

TEST(JsonLine, RefusesAKeyThatIsThereTwiceInOneObject) {
    EXPECT_EQ(parsed(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"), R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})");
    EXPECT_EQ(parsed(R"({"b":{"a\n":1,"c":{},"a\n":1}})"), R"(has "a\x0a" twice in one object)");
}

TEST(JsonLine, RefusesWhatNestsTooDeep) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_EQ(parsed(nested(json_depth_max)), nested(json_depth_max));
    EXPECT_EQ(parsed(nested(json_depth_max + 1)), "nests more than 512 deep");
    EXPECT_EQ(parsed(std::string(5'000'000, '[')), "nests more than 512 deep");
}

TEST(JsonLine, SaysWhereItIsNoJson) {
    EXPECT_EQ(parsed("{\"a\":}"), "is no JSON: something is wrong at column 6");
    EXPECT_EQ(parsed("{\"a\":\"\\u0068ex:"), "is no JSON: something is wrong at column 16");
    EXPECT_EQ(parsed("[1e400]"), "has a number that is out of range");
}

}  // namespace
}  // namespace tickpath::cli
