#include "control/capture/nse_traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "decoders/base/bytes.h"

namespace tickpath::capture {
namespace {

namespace nse = framing::nse;

constexpr std::size_t payload_bytes_max = 512;  // what receivers of the feed are known to accept
constexpr std::int64_t price_step = 5;          // paise
constexpr std::uint64_t nanoseconds = 1'000'000'000;
constexpr std::int16_t market_open = 6511;
constexpr std::int16_t circuit_check = 6541;
constexpr auto index_names = std::to_array<std::string_view>({"Nifty 50", "Nifty Bank", "India VIX"});

/// Writes one field of a layout; a field that it does not have is left out.
void put(const nse::Repeat& in, std::string_view name, std::byte* base, std::int64_t value) {
    const nse::Field* const field = in.find(name);
    if (field == nullptr) return;
    std::byte* const at = base + field->offset;
    if (field->type == nse::FieldType::f64) {
        store_big(at, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
        return;
    }
    for (std::size_t i = 0; i < field->bytes; ++i)
        at[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * (field->bytes - 1u - i)));
}

void put_text(const nse::Repeat& in, std::string_view name, std::byte* base, std::string_view text) {
    const nse::Field* const field = in.find(name);
    if (field == nullptr) return;
    for (std::size_t i = 0; i < field->bytes; ++i)
        base[field->offset + i] = static_cast<std::byte>(i < text.size() ? text[i] : ' ');
}

std::uint64_t india_seconds_since_1980(std::uint64_t unix_ns) {
    return unix_ns / nanoseconds - 315'532'800 + 19'800;  // spec nse-broadcast §4
}

}  // namespace

NseTraffic::NseTraffic(const NseTrafficSettings& settings, Diagnostics& diagnostics)
    : settings_(settings), random_(settings.seed), time_ns_(settings.start_ns) {
    if (auto layouts = nse::load_layouts("", diagnostics)) layouts_ = std::move(*layouts);
    book_layout_ = layout_of(7208);
    if (book_layout_ == nullptr)
        diagnostics.error("nse", 0, "no layout of transcode 7208 for this segment", Errc::missing);
    sequences_.resize(layouts_.all().size());
    books_.resize(settings.token_count);
    for (Book& book : books_) {
        book.bid = settings.base_bid != 0 ? settings.base_bid
                                          : price_step * static_cast<std::int64_t>(2'000 + below(100'000));
        book.last_price = book.bid;
        book.open_interest = static_cast<std::int64_t>(below(1'000'000));
    }
}

const nse::Layout* NseTraffic::layout_of(std::int16_t transcode) const noexcept {
    for (const nse::Layout& layout : layouts_.all())
        if (layout.segment == settings_.segment && layout.transcode == transcode) return &layout;
    return nullptr;
}

NseQuote NseTraffic::best_bid(std::uint32_t token) const {
    const Book& wanted = books_[token - settings_.first_token];
    return {wanted.bid, wanted.best_quantity};
}

std::span<const std::byte> NseTraffic::next() {
    advance_time();
    begin_datagram();
    for (std::uint64_t wanted = 1 + below(5); message_count_ < wanted;) {
        if (packed_.empty()) make_any();
        if (message_count_ != 0 && payload_.size() + packed_.size() > payload_bytes_max)
            break;  // the next datagram begins with it
        pack();
    }
    return payload_;
}

std::span<const std::byte> NseTraffic::books_of(std::span<const std::uint32_t> tokens) {
    advance_time();
    begin_datagram();
    make_books(tokens);
    pack();
    return payload_;
}

void NseTraffic::begin_datagram() {
    payload_.assign(nse::datagram_header_bytes, std::byte{0});
    payload_[0] = static_cast<std::byte>(settings_.segment);
    payload_[1] = std::byte{' '};
    message_count_ = 0;
}

void NseTraffic::pack() {
    payload_.insert(payload_.end(), packed_.begin(), packed_.end());
    packed_.clear();
    store_big(payload_.data() + 2, ++message_count_);
}

// A Poisson process.
void NseTraffic::advance_time() {
    const double uniform = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    time_ns_ += static_cast<std::uint64_t>(-std::log(uniform) / settings_.datagrams_per_second *
                                           static_cast<double>(nanoseconds));
}

void NseTraffic::make_any() {
    if (!has_opened_ && settings_.has_other_messages) {
        has_opened_ = true;
        return make_control(market_open);
    }
    const std::uint64_t what = settings_.has_other_messages ? below(100) : 0;
    if (what < 70) {
        const std::array<std::uint32_t, 2> tokens = {any_token(), any_token()};
        return make_books(std::span(tokens).first(1 + below(2)));
    }
    if (what < 96) return make_tickers();
    if (what < 99 && settings_.segment == nse::Segment::cm) return make_indices();
    make_control(circuit_check);
}

std::uint32_t NseTraffic::any_token() {
    return settings_.first_token + static_cast<std::uint32_t>(below(settings_.token_count));
}

/// Prefix and header; the body is zero.
void NseTraffic::start(const nse::Layout& layout) {
    message_.assign(nse::prefix_bytes + static_cast<std::size_t>(layout.length), std::byte{0});
    const std::string_view prefix = "YZ**123";
    message_[0] = static_cast<std::byte>(settings_.segment);
    for (std::size_t i = 0; i < prefix.size(); ++i)
        message_[i + 1] = static_cast<std::byte>(prefix[i]);
    std::byte* const header = message_.data() + nse::prefix_bytes;
    const std::uint64_t seconds = india_seconds_since_1980(time_ns_);
    const std::uint64_t fraction = ((time_ns_ % nanoseconds) << 16) / nanoseconds;
    store_big(header + 4, static_cast<std::uint32_t>(seconds));
    store_big(header + 10, static_cast<std::uint16_t>(layout.transcode));
    store_big(header + 14, static_cast<std::uint32_t>(++sequences_[layouts_.index_of(layout)]));
    store_big(header + 22, seconds << 16 | fraction);
    header[30] = std::byte{5};
    std::fill(header + 31, header + 38, std::byte{' '});
    store_big(header + 38, static_cast<std::uint16_t>(layout.length));
}

void NseTraffic::make_books(std::span<const std::uint32_t> tokens) {
    start(*book_layout_);
    const nse::Repeat& body = book_layout_->body;
    const nse::Repeat& records = *body.find_repeat("Records");
    std::byte* const base = message_.data() + nse::prefix_bytes;
    put(body, "NoOfRecords", base, static_cast<std::int64_t>(tokens.size()));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        make_book(base + records.offset + i * records.stride, tokens[i]);
    finish_message(true);
}

/// Every level changes: quantities are drawn anew, prices step up or down.
void NseTraffic::make_book(std::byte* record, std::uint32_t token) {
    const nse::Repeat& fields = *book_layout_->body.find_repeat("Records");
    Book& now = book(token);
    now.bid = std::max<std::int64_t>(now.bid + (below(2) == 0 ? price_step : -price_step), 20 * price_step);
    const auto lots = [this] { return 75 * static_cast<std::int64_t>(1 + below(100)); };
    const std::int64_t traded = below(3) == 0 ? lots() : 0;
    now.volume += traded;
    if (traded != 0) now.last_price = now.bid + price_step;
    put(fields, "Token", record, token);
    put(fields, "BookType", record, 1);
    put(fields, "TradingStatus", record, 2);
    put(fields, "VolumeTradedToday", record, now.volume);
    put(fields, "LastTradedPrice", record, now.last_price);
    put(fields, "NetChangeIndicator", record, below(2) == 0 ? '+' : '-');
    put(fields, "VolTrdTodayExcdIndc", record, now.volume >> 32 != 0 ? '1' : ' ');
    put(fields, "NetPriceChange", record, now.bid);
    put(fields, "LastTradeQuantity", record, traded == 0 ? 75 : traded);
    put(fields, "LastTradeTime", record, static_cast<std::int64_t>(india_seconds_since_1980(time_ns_)));
    put(fields, "AverageTradePrice", record, now.last_price);
    for (const char* side : {"Bids", "Asks"}) {
        const bool is_bid = side[0] == 'B';
        const nse::Repeat& levels = *fields.find_repeat(side);
        std::int64_t total = 0;
        for (std::uint32_t i = 0; i < levels.count_max; ++i) {
            std::byte* const level = record + levels.offset + std::size_t{i} * levels.stride;
            const std::int64_t quantity = lots();
            if (is_bid && i == 0) now.best_quantity = quantity;
            total += quantity;
            put(levels, "Qty", level, quantity);
            put(levels, "Price", level,
                is_bid ? now.bid - price_step * i : now.bid + 2 * price_step + price_step * i);
            put(levels, "NoOfOrders", level, static_cast<std::int64_t>(1 + below(20)));
        }
        put(fields, is_bid ? "TotalBuyQuantity" : "TotalSellQuantity", record, 12 * total);
    }
    put(fields, "ClosingPrice", record, now.bid);
    put(fields, "Open", record, now.bid + 25);
    put(fields, "High", record, now.bid + 120);
    put(fields, "Low", record, now.bid - 90);
}

void NseTraffic::make_tickers() {
    const bool is_fo = settings_.segment == nse::Segment::fo;
    const nse::Layout* const layout = layout_of(is_fo ? std::int16_t{17202} : std::int16_t{18703});
    start(*layout);
    const nse::Repeat& records = *layout->body.find_repeat("Records");
    std::byte* const base = message_.data() + nse::prefix_bytes;
    const std::uint64_t count = 1 + below(records.count_max);
    put(layout->body, "NoOfRecords", base, static_cast<std::int64_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        std::byte* const record = base + records.offset + i * records.stride;
        const std::uint32_t token = any_token();
        Book& now = book(token);
        now.open_interest += static_cast<std::int64_t>(below(150));
        put(records, "Token", record, token);
        put(records, "MarketType", record, 1);
        put(records, "FillPrice", record, now.last_price);
        put(records, "FillVolume", record, 75);
        put(records, "OpenInterest", record, now.open_interest);
        put(records, "DayHiOI", record, now.open_interest + 5'000);
        put(records, "DayLoOI", record, now.open_interest / 2);
    }
    finish_message(true);
}

void NseTraffic::make_indices() {
    const nse::Layout* const layout = layout_of(7207);
    start(*layout);
    const nse::Repeat& records = *layout->body.find_repeat("Records");
    std::byte* const base = message_.data() + nse::prefix_bytes;
    put(layout->body, "NoOfRecords", base, index_names.size());
    for (std::size_t i = 0; i < index_names.size(); ++i) {
        std::byte* const record = base + records.offset + i * records.stride;
        put_text(records, "IndexName", record, index_names[i]);
        put(records, "IndexValue", record, static_cast<std::int64_t>(2'000'000 + below(10'000)));
    }
    finish_message(false);
}

void NseTraffic::make_control(std::int16_t transcode) {
    const nse::Layout* const layout = layout_of(transcode);
    start(*layout);
    std::byte* const base = message_.data() + nse::prefix_bytes;
    put(layout->body, "MarketType", base, 1);
    put_text(layout->body, "Text", base, "Normal Market has opened");
    put(layout->body, "TextLength", base, 24);
    finish_message(false);
}

/// What stands in a datagram: CompressionLen, then the block, or 0 and the message itself.
void NseTraffic::finish_message(bool is_compressed) {
    if (is_compressed) {
        block_.resize(lzo1z::max_compressed_size(message_.size()));
        const lzo1z::CompressResult done = lzo1z::compress(message_, block_, workspace_, lzo1z::Level::small);
        block_.resize(done.written);
    }
    const Bytes& content = is_compressed ? block_ : message_;
    packed_.resize(sizeof(std::uint16_t));
    store_big(packed_.data(), static_cast<std::uint16_t>(is_compressed ? content.size() : 0));
    packed_.insert(packed_.end(), content.begin(), content.end());
}

}  // namespace tickpath::capture
