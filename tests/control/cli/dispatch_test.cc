#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "control/cli/command.h"

namespace tickpath::cli {
namespace {

/// What one call of the executable said and returned.
struct Outcome {
    int exit_code = 0;
    std::string out;
    std::string talk;
};

Outcome run(const std::vector<Command>& commands, std::vector<const char*> words) {
    words.insert(words.begin(), "tickpath");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome result;
    result.exit_code = dispatch(commands, static_cast<int>(words.size()), words.data());
    result.out = testing::internal::GetCapturedStdout();
    result.talk = testing::internal::GetCapturedStderr();
    return result;
}

Command returning(std::string name, int code) {
    return {.name = std::move(name),
            .summary = "end with a code",
            .example = "tickpath this",
            .attach = [code](CLI::App& app, int& exit_code) {
                auto count = std::make_shared<int>(0);
                app.add_option("--count", *count, "a number");
                app.footer("The command's own words.");
                app.callback([code, count, &exit_code] { exit_code = code + *count; });
            }};
}

const std::vector<Command> commands = {
    returning("decode", exit_bad_data), returning("run", exit_ok),
    Command{.name = "throw",
            .summary = "throw",
            .example = "tickpath throw",
            .attach = [](CLI::App& app,
                         int&) { app.callback([] { throw std::runtime_error("the disk is on fire"); }); }},
    Command{
        .name = "large", .summary = "large", .example = "tickpath large", .attach = [](CLI::App& app, int&) {
            app.callback([] { throw std::bad_alloc(); });
        }}};

TEST(CommandTable, RunsTheNamedCommandAndReturnsItsCode) {
    EXPECT_EQ(run(commands, {"decode"}).exit_code, exit_bad_data);
    EXPECT_EQ(run(commands, {"run"}).exit_code, exit_ok);
    EXPECT_EQ(run(commands, {"run", "--count", "4"}).exit_code, 4);
}

TEST(CommandTable, SaysThatMemoryIsShort) {
    const Outcome result = run(commands, {"large"});
    EXPECT_EQ(result.exit_code, exit_failed);
    EXPECT_EQ(result.talk, "tickpath: this needs more memory than there is\n");
}

TEST(CommandTable, AnswersAnUnknownCommandWithTheNearestName) {
    const Outcome result = run(commands, {"decod"});
    EXPECT_EQ(result.exit_code, exit_usage);
    EXPECT_EQ(result.talk,
              "tickpath: unknown command 'decod', did you mean 'decode'? (tickpath --help lists all)\n");
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(run(commands, {"zzzzzzzzzzzz"}).talk,
              "tickpath: unknown command 'zzzzzzzzzzzz' (tickpath --help lists all)\n");
}

TEST(CommandTable, EndsUsageErrorsWithTwoAndOneLine) {
    for (const std::vector<const char*>& words : {std::vector<const char*>{},
                                                  {"run", "--nonsense"},
                                                  {"run", "--count", "many"},
                                                  {"run", "--count"},
                                                  {"run", "surplus"},
                                                  {"--nonsense"},
                                                  {"run", "decode"}}) {
        const Outcome result = run(commands, words);
        EXPECT_EQ(result.exit_code, exit_usage);
        EXPECT_EQ(result.out, "");
        EXPECT_TRUE(result.talk.starts_with("tickpath: ")) << result.talk;
        EXPECT_EQ(std::count(result.talk.begin(), result.talk.end(), '\n'), 1) << result.talk;
    }
    EXPECT_NE(run(commands, {"run", "--nonsense"}).talk.find("tickpath run --help"), std::string::npos);
}

TEST(CommandTable, PrintsHelpWithTheExample) {
    const Outcome all = run(commands, {"--help"});
    EXPECT_EQ(all.exit_code, exit_ok);
    EXPECT_LT(all.out.find("decode"), all.out.find("run")) << "in the table's order";
    const Outcome one = run(commands, {"decode", "--help"});
    EXPECT_EQ(one.exit_code, exit_ok);
    EXPECT_NE(one.out.find("The command's own words.\n\nExample:\n  tickpath this"), std::string::npos)
        << one.out;
    EXPECT_EQ(one.talk, "");
}

TEST(CommandTable, TurnsAnExceptionIntoAFailure) {
    const Outcome result = run(commands, {"throw"});
    EXPECT_EQ(result.exit_code, exit_failed);
    EXPECT_EQ(result.talk, "tickpath: the disk is on fire\n");
}

}  // namespace
}  // namespace tickpath::cli
