#include "tests/dataplane/feed/feed_bench.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "control/capture/reader.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/description.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::test {

std::vector<TestFrame> read_frames(const std::string& path) {
    std::vector<TestFrame> frames;
    capture::Reader reader(path);
    while (const auto frame = reader.next())
        frames.push_back({{frame->bytes.begin(), frame->bytes.end()}, frame->time_ns, frame->number});
    if (!reader.error().empty()) throw std::runtime_error(reader.error());
    return frames;
}

namespace {

/// One of the two codecs of a feed::ChannelPlan.
struct Compiled {
    std::shared_ptr<const feed::CompiledFeed> fast;
    std::shared_ptr<const feed::CompiledNse> nse;

    [[nodiscard]] const framing::FeedDescription& description() const {
        return nse != nullptr ? nse->description() : fast->description();
    }
};

/// Compiled once for all tests of a program.
Compiled compiled(const FeedBenchOptions& options) {
    static std::map<std::pair<std::string, std::string>, Compiled> cache;
    Compiled& feed = cache[{options.description, options.templates_path}];
    if (feed.fast != nullptr || feed.nse != nullptr) return feed;
    Diagnostics diagnostics;
    const auto description = options.description.starts_with('<')
                                 ? framing::parse_description(options.description, "test.xml", diagnostics)
                                 : framing::load_description(options.description, diagnostics);
    if (description && description->codec == framing::Codec::nse) {
        auto layouts = framing::nse::load_layouts("", diagnostics);
        if (layouts) feed.nse = feed::compile_nse(*description, std::move(*layouts), diagnostics);
    } else if (description) {
        const auto templates = fast::load_template_file(options.templates_path, diagnostics);
        if (templates) feed.fast = feed::compile_feed(*description, templates, diagnostics);
    }
    if (diagnostics.has_errors()) throw std::runtime_error(diagnostics.format());
    return feed;
}

}  // namespace

FeedBench::FeedBench(const FeedBenchOptions& options)
    : by_cycles_(options.by_cycles), instruments_(options.known.size() + options.learned_max) {
    std::copy(options.known.begin(), options.known.end(), instruments_.begin());
    const Compiled feed = compiled(options);
    feed::FeedPlan plan;
    for (const framing::Channel& channel : feed.description().channels) {
        if (!options.channel.empty() && channel.name != options.channel) continue;
        plan.channels.push_back({.index = static_cast<std::uint16_t>(plan.channels.size()),
                                 .name = channel.name,
                                 .feed = feed.fast,
                                 .nse = feed.nse,
                                 .book = channel.book,
                                 .lines = {}});
        for (const framing::Line& line : channel.lines)
            plan.channels.back().lines.push_back({.line = line, .port = 0});
    }
    const auto known_count = static_cast<std::uint32_t>(options.known.size());
    plan.instruments = {.all = instruments_,
                        .known_count = known_count,
                        .learned_first = known_count,
                        .learned_max = options.learned_max};
    plan.limits = options.limits;
    plan.forward_unused = options.forward_unused;
    plan.by_entry = options.by_entry;
    sink_.ticks.reserve(options.ticks_reserved);
    path_ = std::make_unique<feed::FeedPath<TickRecorder>>(
        plan, page_, "r0", core::CycleClock(by_cycles_ ? 0.5 : 1.0, 0, 0), sink_);
}

void FeedBench::put(std::span<const TestFrame> frames) {
    for (const TestFrame& from : frames) {
        model::Frame frame;
        frame.data = from.bytes.data();
        frame.size_bytes = static_cast<std::uint32_t>(from.bytes.size());
        frame.frame_number = from.number;
        frame.rx_time = {from.time_ns, model::TimeDomain::capture_ns};
        frame.rx_cycles = from.time_ns;
        if (by_cycles_) {
            frame.rx_cycles = 2 * from.time_ns;
            frame.rx_time = {frame.rx_cycles, model::TimeDomain::cycles};
        }
        path_->on_burst(std::span(&frame, 1));
    }
}

std::uint64_t FeedBench::failures() const {
    std::uint64_t total = 0;
    for (std::size_t i = 1; i < errc_count; ++i)
        total += count("decode.failed_" + std::string(code(static_cast<Errc>(i))));
    return total;
}

CsvTable::CsvTable(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + " cannot be read");
    std::string line;
    while (std::getline(in, line)) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        std::vector<std::string> cells;
        std::stringstream text(line + ",");
        for (std::string cell; std::getline(text, cell, ',');)
            cells.push_back(cell);
        if (columns_.empty()) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                columns_[cells[i]] = i;
        } else {
            rows_.push_back(std::move(cells));
        }
    }
}

std::int64_t CsvTable::number(std::size_t row, std::string_view column) const {
    const std::string& cell = text(row, column);
    return cell.empty() ? 0 : std::stoll(cell);
}

}  // namespace tickpath::test
