#include "dataplane/pipeline/tbb_runner.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::pipeline {
namespace {

struct Number : WorkItem {
    std::size_t value = 0;
    std::size_t square = 0;
};

// Squares the numbers below `count`; the early ones take longest, so that they would come out last.
class Squares : public OrderedWork {
public:
    explicit Squares(std::size_t count) : count_(count) {}
    std::unique_ptr<WorkItem> read() override {
        if (next_ == count_) return nullptr;
        auto number = std::make_unique<Number>();
        number->value = next_++;
        return number;
    }
    void work(WorkItem& item) override {
        auto& number = static_cast<Number&>(item);
        const std::size_t together = ++working_;
        std::size_t most = most_together.load();
        while (together > most && !most_together.compare_exchange_weak(most, together)) {
        }
        if (number.value < 20) std::this_thread::sleep_for(std::chrono::milliseconds(20 - number.value));
        if (number.value == failing) throw std::runtime_error("as asked");
        number.square = number.value * number.value;
        --working_;
    }
    void finish(WorkItem& item) override { squares.push_back(static_cast<Number&>(item).square); }

    std::vector<std::size_t> squares;
    std::atomic<std::size_t> most_together = 0;
    std::size_t failing = static_cast<std::size_t>(-1);

private:
    std::size_t count_;
    std::size_t next_ = 0;
    std::atomic<std::size_t> working_ = 0;
};

TEST(PipelineTbbRunner, FinishesInTheOrderOfReading) {
    for (const unsigned jobs : {1u, 2u, 4u}) {
        Squares squares(200);
        run_in_order(squares, jobs);
        ASSERT_EQ(squares.squares.size(), 200u) << jobs << " jobs";
        for (std::size_t i = 0; i < 200; ++i)
            ASSERT_EQ(squares.squares[i], i * i) << jobs << " jobs";
    }
}

TEST(PipelineTbbRunner, UsesNoMoreThreadsThanAskedFor) {
    Squares squares(100);
    run_in_order(squares, 2);
    EXPECT_LE(squares.most_together.load(), 2u);
}

TEST(PipelineTbbRunner, DoesNothingWithoutWork) {
    Squares squares(0);
    run_in_order(squares, 4);
    EXPECT_TRUE(squares.squares.empty());
}

TEST(PipelineTbbRunner, ThrowsWhatACallThrows) {
    Squares squares(100);
    squares.failing = 7;
    EXPECT_THROW(run_in_order(squares, 2), std::runtime_error);
    EXPECT_LE(squares.squares.size(), 99u);
}

}  // namespace
}  // namespace tickpath::pipeline
