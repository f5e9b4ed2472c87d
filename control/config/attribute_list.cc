// Lists the schema instead of reading a file with it: what templates/config/README.md is tested against.
#include <utility>

#include "control/config/schema.h"

namespace tickpath::config {
namespace {

std::string joined(std::span<const std::string_view> known) {
    std::string out;
    for (const std::string_view word : known)
        out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
}

class AttributeList final : public Fields {
public:
    AttributeList(std::string element, std::vector<KnownAttribute>& out)
        : element_(std::move(element)), out_(out) {}

    void text(std::string_view name, std::string& value, Need need) override {
        add(name, "text", value, need);
    }
    void form(std::string_view name, std::string& value, Need need, std::string_view type,
              FormCheck) override {
        add(name, std::string(type), value, need);
    }
    void word(std::string_view name, std::string& value, std::span<const std::string_view> known) override {
        add(name, joined(known), value, Need::optional);
    }
    void path(std::string_view name, std::filesystem::path& value, Need need) override {
        add(name, "path", value.string(), need);
    }
    void yes_no(std::string_view name, bool& value) override {
        add(name, "yes or no", value ? "yes" : "no", Need::optional);
    }
    void decimal(std::string_view name, Decimal& value, std::string_view unit) override {
        add(name, "decimal, " + std::string(unit), to_text(value), Need::optional);
    }
    void words(std::string_view name, std::vector<std::string>& value, Need need) override {
        add(name, "names", value.empty() ? "" : value.front(), need);
    }

protected:
    void wide_number(std::string_view name, std::optional<std::int64_t>& value, Range range,
                     Need need) override {
        std::string type = std::to_string(range.min) + " to " + std::to_string(range.max);
        if (!range.unit.empty()) type += ' ' + std::string(range.unit);
        if (range.is_power_of_two) type += ", a power of two";
        add(name, std::move(type), value && need == Need::optional ? std::to_string(*value) : "", need);
    }

private:
    void add(std::string_view name, std::string type, std::string default_value, Need need) {
        out_.push_back({.element = element_,
                        .name = std::string(name),
                        .type = std::move(type),
                        .default_value = std::move(default_value),
                        .is_required = need == Need::required});
    }

    std::string element_;
    std::vector<KnownAttribute>& out_;
};

template <class Settings>
void list(std::string element, std::vector<KnownAttribute>& out,
          void (*visit_fields)(Fields&, Settings&) = visit) {
    AttributeList fields(std::move(element), out);
    Settings defaults;
    visit_fields(fields, defaults);
}

}  // namespace

std::vector<KnownAttribute> known_attributes() {
    std::vector<KnownAttribute> all;
    list<port::PortSettings>("port", all);
    list<FeedSettings>("feed", all);
    list<FeedLine>("feed/line", all);
    list<InstrumentSettings>("instruments", all);
    list<RunConfig>("workers", all, visit_workers);
    list<ReceiveWorker>("workers/receive", all);
    list<WorkerSettings>("workers/trade", all, visit_trade_worker);
    list<TradeElement>("trade", all);
    list<trade::StrategySettings>("trade/strategy", all);
    list<trade::RiskSettings>("trade/risk", all);
    list<OrderSessionSettings>("trade/session", all);
    list<RunConfig>("report", all, visit_report);
    list<ExchangeConfig>("exchange", all);
    list<ExchangeSession>("exchange/session", all);
    return all;
}

}  // namespace tickpath::config
