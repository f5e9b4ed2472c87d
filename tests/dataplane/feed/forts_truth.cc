#include "tests/dataplane/feed/forts_truth.h"

#include <algorithm>
#include <stdexcept>

#include "decoders/base/decimal.h"
#include "tests/dataplane/feed/feed_bench.h"

namespace tickpath::test {
namespace {

/// One row that is an entry of a book.
struct Row {
    bool is_snapshot = false;
    std::uint64_t packet = 0;
    std::int64_t sent_at = 0;
    std::uint32_t sequence = 0;
    char action = '0';
    char type = '0';
    std::size_t level = 0;
    PlainLevel content;
};

std::map<std::string, std::vector<Row>> rows_by_key(const CsvTable& table) {
    std::map<std::string, std::vector<Row>> rows;
    for (std::size_t at = 0; at < table.size(); ++at) {
        const std::string& key = table.text(at, "security_id");
        if (key.empty()) continue;  // session status and sequence reset
        Row row;
        row.is_snapshot = table.text(at, "line") == "SA";
        row.packet = static_cast<std::uint64_t>(table.number(at, "msg_seq"));
        row.sent_at = table.number(at, "sending_time");
        row.sequence = static_cast<std::uint32_t>(table.number(at, "rpt_seq"));
        if (!table.text(at, "action").empty()) row.action = table.text(at, "action")[0];
        row.type = table.text(at, "type")[0];
        row.level = static_cast<std::size_t>(table.number(at, "level"));
        const Decimal price{table.number(at, "price_mantissa"),
                            static_cast<std::int32_t>(table.number(at, "price_exponent"))};
        row.content = {at_places(price, FortsTruth::price_places).value(), table.number(at, "size")};
        rows[key].push_back(row);
    }
    return rows;
}

/// An add moves the levels at and below it down, and the sixth out; a removal moves those below up.
void change(TrueBook& book, const Row& row) {
    std::vector<PlainLevel>& side = row.type == '0' ? book.bids : book.asks;
    const auto place = side.begin() + static_cast<std::ptrdiff_t>(row.level) - 1;
    if (row.action == '0') {
        side.insert(place, row.content);
        if (side.size() > FortsTruth::depth) side.pop_back();
    } else if (row.action == '1') {
        *place = row.content;
    } else {
        side.erase(place);
    }
}

struct Shown {
    std::uint32_t sequence = 0;
    TrueBook book;
};
/// A snapshot's rows follow each other and share its number and time.
std::vector<Shown> snapshots_of(const std::vector<Row>& rows) {
    std::vector<Shown> shown;
    const Row* before = nullptr;
    for (const Row& row : rows) {
        if (!row.is_snapshot) continue;
        if (before == nullptr || row.packet != before->packet || row.sent_at != before->sent_at)
            shown.push_back({row.sequence, {}});
        before = &row;
        if (row.type == 'J') continue;
        (row.type == '0' ? shown.back().book.bids : shown.back().book.asks).push_back(row.content);
    }
    return shown;
}

/// All books of one instrument from its first snapshot on.
FortsTruth::History history_of(const std::vector<Row>& rows, const Shown& start, std::uint64_t first_packet,
                               std::uint64_t last_packet) {
    FortsTruth::History history;
    history.sequence_by_packet.assign(last_packet - first_packet + 1, 0);
    history.books[start.sequence] = start.book;
    std::uint32_t sequence = start.sequence;
    TrueBook book = start.book;
    for (const Row& row : rows) {
        if (row.is_snapshot) continue;
        history.sequence_by_packet[row.packet - first_packet] = row.sequence;
        if (row.sequence <= sequence) continue;  // the first snapshot holds it
        if (row.sequence != ++sequence) throw std::runtime_error("the rows have a gap");
        change(book, row);
        history.books[sequence] = book;
    }
    std::uint32_t newest = 0;
    for (std::uint32_t& number : history.sequence_by_packet)
        number = newest = std::max(number, newest);
    return history;
}

}  // namespace

FortsTruth::FortsTruth(const std::string& expected_csv) {
    const auto rows = rows_by_key(CsvTable(expected_csv));
    first_packet_ = ~std::uint64_t{0};
    for (const auto& [key, of_key] : rows)
        for (const Row& row : of_key) {
            if (row.is_snapshot) continue;
            first_packet_ = std::min(first_packet_, row.packet);
            last_packet_ = std::max(last_packet_, row.packet);
        }
    for (const auto& [key, of_key] : rows) {
        const std::vector<Shown> shown = snapshots_of(of_key);
        if (shown.empty()) throw std::runtime_error(key + " has no snapshot");
        histories_[key] = history_of(of_key, shown[0], first_packet_, last_packet_);
        for (const Shown& snapshot : shown)
            compare(key, snapshot.sequence, snapshot.book);
    }
}

void FortsTruth::compare(const std::string& key, std::uint32_t sequence, const TrueBook& shown) {
    const TrueBook* const made = book(key, sequence);
    if (made == nullptr) return;
    if (*made != shown) throw std::runtime_error(key + " differs at " + std::to_string(sequence));
    ++snapshots_agreed_;
}

std::vector<std::string> FortsTruth::keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, history] : histories_)
        keys.push_back(key);
    return keys;
}

const TrueBook* FortsTruth::book(const std::string& key, std::uint32_t sequence) const {
    const History& history = histories_.at(key);
    const auto found = history.books.find(sequence);
    return found == history.books.end() ? nullptr : &found->second;
}

std::uint32_t FortsTruth::sequence_after(const std::string& key, std::uint64_t packet) const {
    const History& history = histories_.at(key);
    if (packet < first_packet_) return 0;
    return history.sequence_by_packet[std::min(packet, last_packet_) - first_packet_];
}

}  // namespace tickpath::test
