#include "control/cli/progress.h"

#include <gtest/gtest.h>

namespace tickpath::cli {
namespace {

using std::chrono::seconds;

TEST(CliProgress, SaysHowFarAndHowLong) {
    EXPECT_EQ(progress_text(250'000'000, 1'000'000'000, seconds(2)), "tickpath: 25 % of 1.0 GB, 6 s left");
    EXPECT_EQ(progress_text(84'000'000, 84'000'000, seconds(5)), "tickpath: 100 % of 84 MB, 0 s left");
}

TEST(CliProgress, NeverSaysMoreThanAll) {
    EXPECT_EQ(progress_text(90'000'000, 84'000'000, seconds(5)), "tickpath: 100 % of 84 MB, 0 s left");
    EXPECT_EQ(progress_text(83'999'999, 84'000'000, seconds(5)).substr(0, 14), "tickpath: 99 %");
}

TEST(CliProgress, SaysNothingBeforeThereIsAnything) {
    EXPECT_EQ(progress_text(0, 84'000'000, seconds(5)), "");
    EXPECT_EQ(progress_text(5, 0, seconds(5)), "");
}

}  // namespace
}  // namespace tickpath::cli
