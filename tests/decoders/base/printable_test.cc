#include "decoders/base/printable.h"

#include <gtest/gtest.h>

#include "decoders/base/diagnostics.h"

namespace tickpath {
namespace {

TEST(Printable, LeavesTextAsItIs) {
    for (const std::string_view text : {"", "plain", "Å – € 😀", "a\tb\nc"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatIsNoUtf8) {
    EXPECT_EQ(printable("a\xff"
                        "b"),
              "a\\xffb");
    EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut";
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "not the shortest form";
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
}

TEST(Printable, EscapesWhatControlsATerminal) {
    EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
}

TEST(Printable, KeepsAValueOnItsLine) {
    EXPECT_EQ(printable_in_line("a\tb\nc\x1b\xc3\xa5"), "a\\x09b\\x0ac\\x1b\xc3\xa5");
}

TEST(Printable, IsTheFormOfAllFindings) {
    const Diagnostic finding = {.file = "a\xff.xml", .line = 2, .text = "unknown \x1b"};
    EXPECT_EQ(finding.format(), "a\\xff.xml:2: unknown \\x1b");
}

}  // namespace
}  // namespace tickpath
