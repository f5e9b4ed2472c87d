#include "control/cli/explain_run.h"

#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

#include "control/cli/explain_text.h"
#include "control/cli/payloads.h"
#include "control/cli/per_group.h"

namespace tickpath::cli {
namespace {

class ExplainPass : public DatagramHandler {
public:
    ExplainPass(const DecodeSettings& settings, std::vector<fast::TemplateDefinition> definitions,
                std::optional<std::uint64_t> only)
        : settings_(settings),
          explainers_(settings.decoder.reset,
                      [&settings, definitions = std::move(definitions)] {
                          return std::make_unique<fast::Explainer>(definitions, settings.decoder);
                      }),
          only_(only) {}

    std::optional<std::size_t> on_datagram(Bytes body, std::size_t, const DatagramPlace& place,
                                           bool stops_after_one) override {
        fast::Explainer* const explainer = explainers_.find(place);
        if (explainer == nullptr) {
            on_framing_error(place, Errc::limit, 0, {});
            return std::nullopt;
        }
        explainer->begin(body);
        std::size_t consumed = 0;
        while (const fast::ExplainedMessage* const message = explainer->next()) {
            show(*message, body, place);
            if (!message->is_complete) return std::nullopt;
            consumed = message->end;
            if (stops_after_one && !is_reset(*message)) break;
        }
        return consumed;
    }

    void on_framing_error(const DatagramPlace& place, Errc error, std::size_t offset,
                          const std::string&) override {
        ++totals.errors;
        explainers_.on_loss(place);
        std::cout << where(place) << "byte " << place.offset + offset << ": *** " << code(error) << ": "
                  << describe(error) << "\n\n";
    }
    void on_loss(const DatagramPlace& place) override { explainers_.on_loss(place); }
    [[nodiscard]] std::string last_template() const override { return {}; }

    ExplainTotals totals;

private:
    static std::string where(const DatagramPlace& place) {
        return place.capture ? "packet " + std::to_string(place.capture->packet) + ", " : "";
    }

    void show(const fast::ExplainedMessage& message, Bytes body, const DatagramPlace& place) {
        ++totals.messages;
        totals.errors += message.is_complete ? 0 : 1;
        if (only_ && *only_ != totals.messages) return;
        if (!has_legend_) std::cout << explain_legend();
        has_legend_ = true;
        std::cout << explain_text(message, body, totals.messages, place.offset, where(place)) << '\n';
    }

    [[nodiscard]] bool is_reset(const fast::ExplainedMessage& message) const {
        const bool by_rule = settings_.decoder.reset == fast::ResetRule::template_id &&
                             message.template_id == settings_.decoder.reset_template_id;
        return by_rule || (message.tmpl != nullptr && message.tmpl->resets);
    }

    const DecodeSettings& settings_;
    PerGroup<fast::Explainer> explainers_;
    std::optional<std::uint64_t> only_;
    bool has_legend_ = false;
};

}  // namespace

ExplainTotals explain_file(const DecodeSettings& settings, std::vector<fast::TemplateDefinition> definitions,
                           const std::string& path, std::optional<std::uint64_t> only) {
    ExplainPass pass(settings, std::move(definitions), only);
    PayloadReader reader(path, settings.framing);
    PayloadHandler handler(settings.framing, pass);
    while (const std::optional<Payload> payload = reader.next())
        handler.on_payload(*payload);
    handler.finish();
    pass.totals.input_error = reader.error();
    return pass.totals;
}

ExplainTotals explain_bytes(const DecodeSettings& settings, std::vector<fast::TemplateDefinition> definitions,
                            const std::vector<std::byte>& payload, std::optional<std::uint64_t> only) {
    ExplainPass pass(settings, std::move(definitions), only);
    Payload whole;
    whole.bytes = payload;
    PayloadHandler(settings.framing, pass).on_payload(whole);
    return pass.totals;
}

std::optional<std::vector<std::byte>> parse_hex(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::vector<std::byte> bytes;
    constexpr std::size_t none = 16;
    std::size_t high = none;  // first digit of a pair
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' || c == '\n' || c == '\t' || c == ',' || c == ':') continue;
        if (c == '0' && i + 1 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X') && high == none) {
            ++i;
            continue;
        }
        const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
        if (digit == std::string_view::npos) return std::nullopt;
        if (high != none) {
            bytes.push_back(static_cast<std::byte>(high * 16 + digit));
            high = none;
        } else {
            high = digit;
        }
    }
    if (high != none || bytes.empty()) return std::nullopt;
    return bytes;
}

}  // namespace tickpath::cli
