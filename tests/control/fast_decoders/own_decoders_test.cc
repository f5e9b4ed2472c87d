#include "control/fast_decoders/own_decoders.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"

namespace tickpath::fast_decoders {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const fast::Templates> load(const fs::path& file) {
    Diagnostics diagnostics;
    return fast::load_template_file(file, diagnostics);
}

// Whoever adds a template file to the tree adds its line to meson.build and own_decoders.cc.
TEST(FastOwnDecoders, AreThereForEveryTemplateFileOfTheTree) {
    std::size_t count = 0;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(TICKPATH_SOURCE_ROOT) / "templates/fast")) {
        if (entry.path().extension() != ".xml") continue;
        const auto templates = with_own_decoders(load(entry.path()));
        ASSERT_NE(templates, nullptr) << entry.path();
        EXPECT_NE(templates->generated(), nullptr) << entry.path();
        ++count;
    }
    EXPECT_GE(count, 2u);
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
