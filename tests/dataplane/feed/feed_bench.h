// Runs frames through a whole FeedPath and keeps what comes out. For tests over real captures and hostile
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/feed/feed_path.h"

namespace tickpath::test {

struct TestFrame {
    std::vector<std::byte> bytes;
    std::uint64_t time_ns = 0;
    std::uint64_t number = 0;
};

/// Every frame of a capture file; throws when the file is not whole.
[[nodiscard]] std::vector<TestFrame> read_frames(const std::string& path);

struct TickRecorder {
    std::vector<model::Tick> ticks;
    void on_tick(const model::Tick& tick) noexcept { ticks.push_back(tick); }
};

/// Channels of a preset (or of a description in a string) with the venue's templates, on one port.
struct FeedBenchOptions {
    std::string description;  ///< name of a preset, or XML
    std::string templates_path;
    std::string channel;  ///< its Tick::channel is 0; empty: all of the description, counted from 0
    bool forward_unused = true;
    bool by_entry = false;
    std::vector<model::Instrument> known{};  ///< of an instrument file; ids from 0
    std::uint32_t learned_max = 256;
    feed::FeedLimits limits{};
    std::size_t ticks_reserved = 0;
    bool by_cycles =
        false;  ///< frames come live without a stamp, at two cycles a nanosecond; else of a capture
};

class FeedBench {
public:
    /// Throws with all findings when the feed does not load.
    explicit FeedBench(const FeedBenchOptions& options);

    void put(const TestFrame& frame) { put(std::span(&frame, 1)); }
    void put(std::span<const TestFrame> frames);
    void finish() { path_->finish(); }
    void lose_link(std::uint16_t port) { path_->on_link_lost(port); }
    /// All frames, then finish.
    void run(std::span<const TestFrame> frames) {
        put(frames);
        finish();
    }

    [[nodiscard]] const std::vector<model::Tick>& ticks() const { return sink_.ticks; }
    [[nodiscard]] feed::FeedReport report() const { return path_->report(); }
    [[nodiscard]] feed::FeedReport report_at(std::uint64_t now_ns) const { return path_->report(now_ns); }
    [[nodiscard]] std::string key(const model::Tick& tick) const {
        return tick.instrument < instruments_.size() ? std::string(instruments_[tick.instrument].key())
                                                     : std::string();
    }
    [[nodiscard]] const model::Instrument& instrument(const model::Tick& tick) const {
        return instruments_.at(tick.instrument);
    }
    /// By the name behind the path's owner: "FUT-BOOK-5.A.wins".
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page_.value("r0." + std::string(name));
    }
    [[nodiscard]] const core::CounterPage& page() const { return page_; }
    /// All messages that failed to decode, whatever the code.
    [[nodiscard]] std::uint64_t failures() const;

private:
    bool by_cycles_;
    core::CounterPage page_ = core::CounterPage::anonymous();
    std::vector<model::Instrument> instruments_;
    TickRecorder sink_;
    std::unique_ptr<feed::FeedPath<TickRecorder>> path_;
};

/// Cells of a CSV file by the names of its header.
class CsvTable {
public:
    explicit CsvTable(const std::string& path);

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const {
        return rows_[row].at(columns_.at(std::string(column)));
    }
    /// 0 for an empty cell.
    [[nodiscard]] std::int64_t number(std::size_t row, std::string_view column) const;

private:
    std::map<std::string, std::size_t> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tickpath::test
