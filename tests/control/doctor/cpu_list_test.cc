#include "control/doctor/cpu_list.h"

#include <gtest/gtest.h>

namespace tickpath::doctor {
namespace {

TEST(CpuList, ReadsNumbersAndRanges) {
    EXPECT_EQ(parse_cpu_list(""), CpuList{});
    EXPECT_EQ(parse_cpu_list("3"), CpuList{3});
    EXPECT_EQ(parse_cpu_list("0-2,5"), (CpuList{0, 1, 2, 5}));
    EXPECT_EQ(parse_cpu_list("5,1-2,2"), (CpuList{1, 2, 5}));
    EXPECT_EQ(parse_cpu_list("8191"), CpuList{8'191});
}

TEST(CpuList, RefusesWhatIsNone) {
    for (const char* text :
         {"(null)", "a", "1,", ",1", "1-", "-1", "2-1", "1 ", "8192", "0-8192", "4294967296", "1--2"})
        EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
}

TEST(CpuList, PrintsTheShortestText) {
    EXPECT_EQ(to_text({}), "");
    EXPECT_EQ(to_text({7}), "7");
    EXPECT_EQ(to_text({0, 1, 2, 5, 8, 9}), "0-2,5,8-9");
}

TEST(CpuList, TakesAway) {
    EXPECT_EQ(difference({0, 1, 2, 3}, {1, 3, 4}), (CpuList{0, 2}));
    EXPECT_EQ(difference({}, {1}), CpuList{});
}

}  // namespace
}  // namespace tickpath::doctor
