#include "control/fast_decoders/generate_files.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::fast_decoders {
namespace {

using test::read_file;

constexpr const char* templates_xml = R"(<templates>
  <template name="Plain" id="1"><uInt32 name="f"/></template>
  <template name="Envelope" id="2"><templateRef/></template>
</templates>)";

TEST(FastGenerateFiles, WritesAHeaderAndASourceThatIncludesIt) {
    const test::TemporaryFolder folder;
    const std::string xml = folder.write("in.xml", templates_xml);
    for (const char* output : {"a.generated", "a.generated.h", "a.generated.cc"}) {
        Diagnostics diagnostics;
        ASSERT_TRUE(generate_files({.templates = xml, .output = folder.file(output)}, diagnostics))
            << diagnostics.format();
        EXPECT_NE(read_file(folder.file("a.generated.h")).find("namespace fast_a {"), std::string::npos);
        EXPECT_NE(read_file(folder.file("a.generated.cc")).find("#include \"a.generated.h\""),
                  std::string::npos);
    }
}

TEST(FastGenerateFiles, TakesTheNamespaceThatIsAskedFor) {
    const test::TemporaryFolder folder;
    Diagnostics diagnostics;
    ASSERT_TRUE(generate_files({.templates = folder.write("in.xml", templates_xml),
                                .output = folder.file("a"),
                                .name_space = "venue"},
                               diagnostics));
    EXPECT_NE(read_file(folder.file("a.h")).find("namespace venue {"), std::string::npos);
}

TEST(FastGenerateFiles, SumsUpWhatStaysInterpreted) {
    const test::TemporaryFolder folder;
    const GenerateRequest request = {.templates = folder.write("in.xml", templates_xml),
                                     .output = folder.file("a")};
    Diagnostics diagnostics;
    const auto generated = generate_files(request, diagnostics);
    ASSERT_TRUE(generated);
    EXPECT_EQ(
        summary(request, *generated),
        folder.file("a.cc") +
            ": decoders of 1 of 2 templates\n"
            "template Envelope (id 2) is interpreted: field <dyn> needs dynamic_reference_, which only the "
            "interpreter runs\n");
}

TEST(FastGenerateFiles, SaysWhichFileCannotBeWritten) {
    const test::TemporaryFolder folder;
    Diagnostics diagnostics;
    EXPECT_FALSE(generate_files(
        {.templates = folder.write("in.xml", templates_xml), .output = folder.file("nowhere/a")},
        diagnostics));
    EXPECT_NE(diagnostics.format().find(folder.file("nowhere/a.h") + ": cannot be written"),
              std::string::npos)
        << diagnostics.format();
}

TEST(FastGenerateFiles, WritesNothingForTemplatesThatDoNotLoad) {
    const test::TemporaryFolder folder;
    Diagnostics diagnostics;
    EXPECT_FALSE(generate_files(
        {.templates = folder.write("in.xml", "<templates><template"), .output = folder.file("a")},
        diagnostics));
    EXPECT_TRUE(diagnostics.has_errors());
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.h")));
}

}  // namespace
}  // namespace tickpath::fast_decoders
