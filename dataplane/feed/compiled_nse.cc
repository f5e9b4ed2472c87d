#include "dataplane/feed/compiled_nse.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickpath::feed {
namespace {

namespace nse = framing::nse;

// Spec nse-broadcast §6, control messages.
constexpr std::int16_t circuit_check = 6541;
constexpr auto session_codes = std::to_array<std::int16_t>({6511, 6521, 6522, 6531, 6571, 6583, 6584});

NseNumber number(const nse::Field* field, std::uint16_t base = 0) {
    if (field == nullptr) return {};
    NseNumber found{.offset = static_cast<std::uint16_t>(base + field->offset)};
    switch (field->type) {
        case nse::FieldType::u8:
            found.width = NseNumber::Width::u8;
            break;
        case nse::FieldType::i16:
        case nse::FieldType::u16:
            found.width = NseNumber::Width::i16;
            break;
        case nse::FieldType::i32:
            found.width = NseNumber::Width::i32;
            break;
        case nse::FieldType::u32:
            found.width = NseNumber::Width::u32;
            break;
        case nse::FieldType::i64:
        case nse::FieldType::u64:
            found.width = NseNumber::Width::i64;
            break;
        case nse::FieldType::text:
            if (field->bytes == 1) found.width = NseNumber::Width::u8;
            break;
        case nse::FieldType::f64:
        case nse::FieldType::bytes:
            break;
    }
    return found;
}

NseLevels levels(const nse::Repeat* side) {
    if (side == nullptr || side->count_field) return {};
    NseLevels found{.offset = side->offset,
                    .stride = side->stride,
                    .count = std::min(side->count_max, nse_levels_max),
                    .quantity = number(side->find("Qty")),
                    .price = number(side->find("Price"))};
    if (!found.quantity.exists() || !found.price.exists()) return {};
    found.is_narrow =
        found.quantity.width == NseNumber::Width::i32 && found.price.width == NseNumber::Width::i32;
    return found;
}

void plan_records(const nse::Repeat& records, NseMessagePlan& plan) {
    plan.records_offset = static_cast<std::uint16_t>(nse::prefix_bytes + records.offset);
    plan.record_bytes = records.stride;
    plan.records_max = records.count_max;
    if (records.count_field) plan.count = number(&*records.count_field, nse::prefix_bytes);
    plan.token = number(records.find("Token"));
    plan.has_tokens = plan.token.exists();
    plan.book_type = number(records.find("BookType"));
    plan.trading_status = number(records.find("TradingStatus"));
    plan.volume = number(records.find("VolumeTradedToday"));
    plan.volume_exceeded = number(records.find("VolTrdTodayExcdIndc"));
    plan.last_price = number(records.find("LastTradedPrice"));
    plan.last_time = number(records.find("LastTradeTime"));
    plan.sides = {levels(records.find_repeat("Bids")), levels(records.find_repeat("Asks"))};
    plan.market_type = number(records.find("MarketType"));
    plan.fill_price = number(records.find("FillPrice"));
    plan.open_interest = number(records.find("OpenInterest"));
    plan.index_value = number(records.find("IndexValue"));
    if (const nse::Field* const name = records.find("IndexName")) {
        plan.index_name_offset = name->offset;
        plan.index_name_bytes = name->bytes;
    }
}

NseNews news_of(const NseMessagePlan& plan) {
    if (plan.has_tokens && plan.sides[0].count != 0 && plan.sides[1].count != 0) return NseNews::book;
    if (plan.has_tokens && (plan.fill_price.exists() || plan.open_interest.exists())) return NseNews::ticker;
    if (plan.index_name_bytes != 0 && plan.index_value.exists()) return NseNews::index;
    return NseNews::none;
}

NseMessagePlan plan_of(const nse::Layout& layout) {
    NseMessagePlan plan;
    plan.has_header = layout.has_header;
    if (layout.transcode == circuit_check) {
        plan.news = NseNews::heartbeat;
    } else if (std::ranges::find(session_codes, layout.transcode) != session_codes.end()) {
        plan.news = NseNews::session;
    } else if (const nse::Repeat* const records = layout.body.find_repeat("Records")) {
        plan_records(*records, plan);
        plan.news = news_of(plan);
    }
    return plan;
}

}  // namespace

std::shared_ptr<const CompiledNse> compile_nse(const framing::FeedDescription& description,
                                               nse::Layouts layouts, Diagnostics& diagnostics) {
    auto feed = std::make_shared<CompiledNse>();
    feed->description_ = description;
    feed->layouts_ = std::move(layouts);
    bool has_book = false;
    for (const nse::Layout& layout : feed->layouts_.all()) {
        feed->plans_.push_back(plan_of(layout));
        has_book |= layout.segment == description.nse.segment && feed->plans_.back().news == NseNews::book;
    }
    if (!has_book) {
        diagnostics.error(description.file, 0,
                          "feed " + description.name + ": no layout of its segment holds a book (Records " +
                              "with Token, Bids and Asks of Qty and Price)",
                          Errc::missing);
        return nullptr;
    }
    return feed;
}

}  // namespace tickpath::feed
