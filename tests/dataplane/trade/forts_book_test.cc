// Level books against a real feed: the FORTS capture's incremental entries build the books that its own
// snapshots show (spec/fast-feeds.md §2: depth 5, an add pushes the sixth level out without a word).
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/books.h"
#include "decoders/base/decimal.h"
#include "tests/dataplane/trade/tick_maker.h"
#include "tests/support/shared_data.h"

namespace tickpath::trade::test {
namespace {

struct Row {
    bool is_snapshot = false;
    std::uint64_t message = 0;
    std::uint64_t last_processed = 0;
    char action = ' ';
    char type = ' ';
    std::string instrument;
    std::uint8_t level = 0;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
};

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line)
        if (c == ',')
            cells.emplace_back();
        else
            cells.back() += c;
    return cells;
}

std::uint64_t number(const std::string& cell) {
    return cell.empty() ? 0 : std::stoull(cell);
}

/// Columns: line template msg_seq sending_time last_msg_seq_processed action type security_id rpt_seq level
/// price_mantissa price_exponent size entry_time.
std::vector<Row> read_rows() {
    std::istringstream in(
        tickpath::test::read_file(tickpath::test::shared_data() / "feeds/moex-forts-2013/expected.csv"));
    std::string line;
    std::getline(in, line);
    std::vector<Row> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cell = split(line);
        if (cell[6].empty()) continue;  // session status, sequence reset: no entry
        const std::int64_t mantissa = cell[10].empty() ? 0 : std::stoll(cell[10]);
        const std::optional<std::int64_t> price =
            at_places({mantissa, cell[11].empty() ? 0 : std::stoi(cell[11])}, 3);
        EXPECT_TRUE(price) << line;
        rows.push_back({.is_snapshot = cell[0] == "SA",
                        .message = number(cell[2]),
                        .last_processed = number(cell[4]),
                        .action = cell[5].empty() ? ' ' : cell[5][0],
                        .type = cell[6][0],
                        .instrument = cell[7],
                        .level = static_cast<std::uint8_t>(number(cell[9])),
                        .price = price.value_or(0),
                        .quantity = cell[12].empty() ? 0 : std::stoll(cell[12])});
    }
    return rows;
}

class FortsBook : public testing::Test {
protected:
    static constexpr std::array<std::uint8_t, 1> depths = {5};
    core::CounterPage page = core::CounterPage::anonymous();
    Books books{{.levels_max = 20, .orders_max = 1}, 32, depths, page, "t"};
    std::map<std::string, model::InstrumentId> ids;
    std::map<std::string, bool> synchronised;
    std::uint64_t last_applied = 0;
    std::uint64_t compared = 0;

    model::InstrumentId id_of(const Row& row) {
        return ids.emplace(row.instrument, static_cast<model::InstrumentId>(ids.size())).first->second;
    }
    Tick tick_of(const Row& row) {
        const Side side = row.type == '0' ? Side::bid : Side::ask;
        const auto action = row.action == ' ' ? TickAction::add : static_cast<TickAction>(row.action - '0');
        return of_instrument(level(action, side, row.level, row.price, row.quantity), id_of(row));
    }

    void apply_incremental(const Row& row) {
        last_applied = row.message;
        if (synchronised[row.instrument]) books.apply(tick_of(row));
    }

    void on_snapshot(const std::vector<Row>& rows) {
        if (rows[0].last_processed < last_applied && last_applied != 0) return;  // the stream is ahead of it
        if (synchronised[rows[0].instrument]) return compare(rows);
        synchronised[rows[0].instrument] = true;
        for (const Row& row : rows)
            if (row.type != 'J') books.apply(with_flags(tick_of(row), flag::snapshot));
        books.apply(set_valid(id_of(rows[0])));
    }

    void compare(const std::vector<Row>& rows) {
        if (rows[0].last_processed != last_applied) return;
        const Book& book = books[id_of(rows[0])];
        std::size_t levels = 0;
        for (const Row& row : rows) {
            if (row.type == 'J') continue;
            const BookSide& side = row.type == '0' ? book.bids() : book.asks();
            ASSERT_GE(side.size(), row.level) << row.instrument << " after " << last_applied;
            ASSERT_EQ(side[row.level - 1u].price, row.price) << row.instrument << " after " << last_applied;
            ASSERT_EQ(side[row.level - 1u].quantity, row.quantity)
                << row.instrument << " after " << last_applied;
            ++levels;
        }
        ASSERT_EQ(book.bids().size() + book.asks().size(), levels) << row_text(rows[0]);
        ASSERT_TRUE(book.is_valid());
        ++compared;
    }

    [[nodiscard]] std::string row_text(const Row& row) const {
        return row.instrument + " after " + std::to_string(last_applied);
    }
};

TEST_F(FortsBook, IncrementsBuildTheBooksThatSnapshotsShow) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::vector<Row> rows = read_rows();
    std::vector<Row> snapshot;
    const auto end_snapshot = [&] {
        if (!snapshot.empty()) on_snapshot(std::exchange(snapshot, {}));
    };
    for (const Row& row : rows) {
        const bool continues = !snapshot.empty() && row.is_snapshot && row.message == snapshot[0].message &&
                               row.instrument == snapshot[0].instrument;
        if (!continues) end_snapshot();
        if (row.is_snapshot)
            snapshot.push_back(row);
        else
            apply_incremental(row);
        ASSERT_FALSE(HasFatalFailure());
    }
    end_snapshot();
    EXPECT_GT(compared, 5'000u);
    EXPECT_EQ(page.sum("book_bad_level"), 0u);
    EXPECT_EQ(page.sum("book_bad_value"), 0u);
}

}  // namespace
}  // namespace tickpath::trade::test
