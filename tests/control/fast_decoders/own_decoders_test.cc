#include "control/fast_decoders/own_decoders.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"
#include "tests/support/fast_round_trip.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast_decoders {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const fast::Templates> load(const fs::path& file) {
    Diagnostics diagnostics;
    return fast::load_template_file(file, diagnostics);
}

std::vector<fs::path> template_files() {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(TICKPATH_SOURCE_ROOT) / "templates/fast"))
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
    return files;
}

// Whoever adds a template file to the tree adds its line to meson.build and own_decoders.cc.
TEST(FastOwnDecoders, AreThereForEveryTemplateFileOfTheTree) {
    for (const fs::path& file : template_files()) {
        const auto templates = with_own_decoders(load(file));
        ASSERT_NE(templates, nullptr) << file;
        EXPECT_NE(templates->generated(), nullptr) << file;
    }
    EXPECT_GE(template_files().size(), 2u);
}

TEST(FastOwnDecoders, GiveMadeUpMessagesBackAsTheInterpreterDoes) {
    constexpr fast::ResetRule rules[] = {fast::ResetRule::message, fast::ResetRule::datagram,
                                         fast::ResetRule::never};
    const std::uint64_t wanted = test::at_level(300, 5'000, 50'000);
    for (const fs::path& file : template_files()) {
        const auto templates = load(file);
        const std::string xml = test::read_file(file);
        test::RoundTripCounts counts;
        for (std::uint64_t seed = 0; counts.messages < wanted; ++seed) {
            test::FastRoundTrip loop(xml, templates, {.reset = rules[seed % 3], .strict = seed % 4 == 0});
            loop.add_tier(with_own_decoders(templates));
            test::RandomMessages random(seed);
            for (int i = 0; i < 40; ++i)
                ASSERT_TRUE(loop.run(random, counts)) << file << ", seed " << seed << ", datagram " << i;
            ASSERT_LT(seed, wanted) << "most of the messages are refused";
        }
    }
}

TEST(FastOwnDecoders, LeaveOtherTemplatesToTheInterpreter) {
    Diagnostics diagnostics;
    const auto templates = fast::load_templates(
        R"(<templates><template name="T" id="1"><uInt32 name="f"/></template></templates>)", "t.xml",
        diagnostics);
    EXPECT_EQ(with_own_decoders(templates), templates);
    EXPECT_EQ(templates->generated(), nullptr);
}

TEST(FastOwnDecoders, PassOnThatNothingWasLoaded) {
    EXPECT_EQ(with_own_decoders(nullptr), nullptr);
}

}  // namespace
}  // namespace tickpath::fast_decoders
