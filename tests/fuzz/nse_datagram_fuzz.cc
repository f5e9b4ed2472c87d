// Fuzzes an NSE channel: any bytes as datagrams of its two sources are counted, end where they are
// inconsistent, and make ticks that fit a book. Input: one byte of settings, then datagrams, each after a
// byte with its length in units of two and one with its source.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/feed/compiled_nse.h"
#include "dataplane/feed/nse_channel_path.h"
#include "decoders/framing/presets.h"

// A few layouts of their own, so that the fuzzer needs no generated source.
namespace tickpath::framing {
namespace {

constexpr std::string_view layouts_xml = R"(<messages>
<message segment="fo" code="7208" length="128">
<field name="NoOfRecords" type="i16" offset="40"/>
<repeat name="Records" count="NoOfRecords" max="2" offset="42" stride="42">
<field name="Token" type="i32" offset="0"/>
<field name="BookType" type="u8" offset="4"/>
<field name="VolTrdTodayExcdIndc" type="char" offset="5"/>
<field name="TradingStatus" type="i16" offset="6"/>
<field name="VolumeTradedToday" type="u32" offset="8"/>
<field name="LastTradedPrice" type="i32" offset="12"/>
<repeat name="Bids" count="2" offset="16" stride="6"><field name="Qty" type="i16" offset="0"/><field name="Price" type="i32" offset="2"/></repeat>
<repeat name="Asks" count="2" offset="28" stride="6"><field name="Qty" type="i16" offset="0"/><field name="Price" type="i32" offset="2"/></repeat>
</repeat>
</message>
<message segment="fo" code="7202" length="62">
<field name="NoOfRecords" type="i16" offset="40"/>
<repeat name="Records" count="NoOfRecords" max="1" offset="42" stride="20">
<field name="Token" type="i32" offset="0"/><field name="FillPrice" type="i32" offset="4"/>
<field name="OpenInterest" type="i64" offset="8"/>
</repeat>
</message>
<message segment="fo" code="7207" length="68">
<field name="NoOfRecords" type="i16" offset="40"/>
<repeat name="Records" count="NoOfRecords" max="1" offset="42" stride="26">
<field name="IndexName" type="char[21]" offset="0"/><field name="IndexValue" type="i32" offset="22"/>
</repeat>
</message>
<message segment="fo" code="6541" length="40"/>
<message segment="fo" code="6511" length="40"/>
</messages>)";
constexpr std::array<LayoutFile, 1> layout_files = {{{"fuzz", layouts_xml}}};

}  // namespace

std::span<const LayoutFile> nse_layout_files() noexcept {
    return layout_files;
}

}  // namespace tickpath::framing

namespace {

using namespace tickpath;

void require(bool holds) {
    if (!holds) std::abort();
}

/// Levels as a book would hold them: nothing is changed or taken away that is not there.
struct CheckingSink {
    struct Sides {
        std::array<unsigned, 3> levels{};  // by model::Side
    };

    void on_tick(const model::Tick& tick) noexcept {
        ++ticks;
        is_open_event = !tick.has(model::tick_flag::last_of_event);
        is_open_packet = !tick.has(model::tick_flag::last_of_packet);
        if (tick.instrument == model::no_instrument) return;
        require(tick.instrument < books.size());
        Sides& book = books[tick.instrument];
        if (tick.kind == model::TickKind::clear) book = {};
        if (tick.kind != model::TickKind::quote) return;
        require(tick.side != model::Side::none);
        unsigned& levels = book.levels[static_cast<std::size_t>(tick.side)];
        if (tick.action == model::TickAction::add) {
            require(tick.level == levels + 1u && tick.price > 0 && tick.quantity > 0);
            ++levels;
        } else if (tick.action == model::TickAction::change) {
            require(tick.level >= 1 && tick.level <= levels && tick.price > 0 && tick.quantity > 0);
        } else {
            require(tick.level == levels);
            --levels;
        }
    }

    std::array<Sides, 16> books{};
    std::uint64_t ticks = 0;
    bool is_open_event = false;
    bool is_open_packet = false;
};

std::shared_ptr<const feed::CompiledNse> compiled(framing::Interest interest) {
    Diagnostics diagnostics;
    framing::FeedDescription description;
    description.name = "fuzz";
    description.codec = framing::Codec::nse;
    description.nse.segment = framing::nse::Segment::fo;
    description.nse.interest = interest;
    description.scale = {2, 0};
    auto layouts = framing::nse::load_layouts("", diagnostics);
    require(layouts.has_value());
    auto feed = feed::compile_nse(description, std::move(*layouts), diagnostics);
    require(feed != nullptr);
    return feed;
}

struct Setting {
    bool knows_only;
    bool has_two_sources;
};

void run(Setting setting, std::span<const std::byte> input) {
    static const auto all = compiled(framing::Interest::all);
    static const auto known = compiled(framing::Interest::known);
    std::vector<model::Instrument> instruments(16);
    constexpr std::string_view key = "fo|7";
    std::copy(key.begin(), key.end(), instruments[0].feed_key.begin());
    instruments[0].price_places = 1;  // odd prices have no place there
    feed::ChannelPlan channel;
    channel.name = "N";
    channel.nse = setting.knows_only ? known : all;
    channel.lines.resize(setting.has_two_sources ? 2 : 1);
    feed::FeedPlan plan;
    plan.instruments = {.all = instruments, .known_count = 1, .learned_first = 1, .learned_max = 15};
    core::CounterPage page = core::CounterPage::anonymous(256);
    feed::InstrumentDirectory directory(plan.instruments, page, "d");
    feed::DecodeCounters decode(page, "c");
    feed::HoleLog holes(1);
    CheckingSink sink;
    constexpr core::CycleClock clock(1.0, 0, 0);
    feed::NseChannelPath<CheckingSink> path(
        channel, {plan, page, "f", clock, directory, decode, holes, page.add("f", "ticks")}, sink);

    std::uint64_t datagrams = 0;
    while (input.size() >= 2) {
        const std::size_t bytes =
            std::min<std::size_t>(std::to_integer<std::size_t>(input[0]) * 2, input.size() - 2);
        feed::Packet packet;
        packet.copy = setting.has_two_sources ? std::to_integer<std::uint8_t>(input[1]) & 1 : 0;
        packet.arrival_ns = 1'000'000'000 * (1 + datagrams * (std::to_integer<std::uint64_t>(input[1]) >> 3));
        // A heap block of exactly this size: the sanitizer sees a read behind its end.
        const std::vector<std::byte> payload(input.begin() + 2,
                                             input.begin() + 2 + static_cast<std::ptrdiff_t>(bytes));
        path.on_payload(payload, packet);
        require(!sink.is_open_event && !sink.is_open_packet);
        ++datagrams;
        input = input.subspan(2 + bytes);
    }
    require(page.value("f.N.datagrams") == datagrams);
    require(page.value("f.ticks") == sink.ticks);
    static_cast<void>(path.report(0, clock));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    run({.knows_only = (data[0] & 1) != 0, .has_two_sources = (data[0] & 2) != 0},
        std::as_bytes(std::span(data + 1, size - 1)));
    return 0;
}
