#include "control/cli/encode_run.h"

#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "control/cli/json_line.h"
#include "control/cli/message_from_json.h"
#include "decoders/base/bytes.h"
#include "decoders/base/printable.h"

namespace tickpath::cli {
namespace {

using nlohmann::json;

constexpr std::size_t prefix_bytes = 4;

std::string prefix(std::uint64_t value) {
    std::string bytes(prefix_bytes, '\0');
    store_little(bytes.data(), static_cast<std::uint32_t>(value));
    return bytes;
}

// One message of the input, before it is known whether it can be sent.
struct Line {
    std::string label;
    json fields;
    std::optional<std::uint64_t> packet;
};

class EncodePass {
public:
    EncodePass(const EncodeSettings& settings, const std::function<void(std::string_view)>& on_bytes)
        : settings_(settings),
          builder_(settings.templates),
          encoder_(settings.templates, settings.encoder),
          buffer_(settings.encoder.limits.message_bytes_max),
          on_bytes_(on_bytes) {}

    // Returns what is wrong with the line.
    std::string encode(const std::string& text) {
        Line line;
        if (std::string problem = parse(text, line); !problem.empty()) return problem;
        const fast::Template* const tmpl = find_by_label(*settings_.templates, line.label);
        if (tmpl == nullptr && !is_bare_reset(line))
            return "there is no template \"" + printable_in_line(line.label) + "\" among those given";
        begin_datagram_for(line);
        if (tmpl == nullptr) return take(encoder_.encode_reset(buffer_), line, true);
        const BuiltFromJson built = build_from_json(line.fields, *tmpl, builder_);
        totals_.texts_from_hex += built.texts_from_hex;
        if (!built.problem.empty()) return built.problem;
        return take(encoder_.encode(builder_, buffer_), line, is_reset(*tmpl));
    }

    void finish() { flush_block(); }
    [[nodiscard]] const EncodeTotals& totals() const noexcept { return totals_; }

private:
    static std::string parse(const std::string& text, Line& line) {
        JsonLine parsed = parse_json_line(text);
        if (!parsed.problem.empty()) return parsed.problem;
        json& object = parsed.value;
        if (!object.is_object()) return "is no JSON object";
        if (object.contains("error"))
            return "is an error that decode printed" + code_in(object["error"]) + ", not a message";
        if (!object.contains("template") || !object["template"].is_string())
            return "does not name its \"template\"";
        if (!object.contains("fields")) return "has no \"fields\"";
        line.label = object["template"].get<std::string>();
        line.fields = std::move(object["fields"]);
        if (object.contains("packet")) {
            if (!object["packet"].is_number_unsigned()) return "has a \"packet\" that is no number";
            line.packet = object["packet"].get<std::uint64_t>();
        }
        return {};
    }

    static std::string code_in(const json& error) {
        if (!error.is_string()) return {};
        return " (\"" + printable_in_line(error.get_ref<const std::string&>()) + "\")";
    }

    // decode prints the feed's reset message by its id where the XML does not have it.
    [[nodiscard]] bool is_bare_reset(const Line& line) const {
        return settings_.encoder.reset == fast::ResetRule::template_id &&
               line.label == std::to_string(settings_.encoder.reset_template_id) && line.fields.empty();
    }
    [[nodiscard]] bool is_reset(const fast::Template& tmpl) const {
        return tmpl.resets() || (settings_.encoder.reset == fast::ResetRule::template_id &&
                                 tmpl.id() == settings_.encoder.reset_template_id);
    }

    void begin_datagram_for(const Line& line) {
        const bool goes_on = settings_.framing == EncodeFraming::none ? totals_.datagrams != 0
                             : settings_.framing == EncodeFraming::sequence
                                 ? awaits_message_
                                 : line.packet && packet_ == line.packet;
        if (goes_on) return;
        flush_block();
        encoder_.begin_datagram();
        ++totals_.datagrams;
        packet_ = line.packet;
        if (settings_.framing == EncodeFraming::sequence) ahead_ = prefix(totals_.datagrams);
    }

    std::string take(fast::EncodeResult result, const Line& line, bool is_reset_message) {
        if (!result) {
            const std::string_view field = encoder_.error_place().field;
            return printable_in_line(field.empty() ? "template " + line.label : std::string(field)) +
                   " cannot be encoded: " + std::string(code(result.error)) + ", " +
                   std::string(describe(result.error));
        }
        const std::string bytes(reinterpret_cast<const char*>(buffer_.data()), result.size_bytes);
        ++totals_.messages;
        awaits_message_ = is_reset_message;
        if (settings_.framing == EncodeFraming::length && line.packet) {
            block_ += bytes;  // its length is known when its last line is
            return {};
        }
        if (settings_.framing == EncodeFraming::length) ahead_ = prefix(bytes.size());
        on_bytes_(std::exchange(ahead_, {}) + bytes);
        return {};
    }

    void flush_block() {
        if (!block_.empty()) on_bytes_(prefix(block_.size()) + block_);
        block_.clear();
    }

    const EncodeSettings& settings_;
    fast::MessageBuilder builder_;
    fast::Encoder encoder_;
    std::vector<std::byte> buffer_;
    const std::function<void(std::string_view)>& on_bytes_;
    EncodeTotals totals_;
    std::optional<std::uint64_t> packet_;
    bool awaits_message_ = false;  ///< only reset messages so far in this datagram
    std::string ahead_;            ///< what the framing puts before the next message
    std::string block_;
};

}  // namespace

EncodeTotals run_encode(const EncodeSettings& settings, std::istream& in, std::string_view file_name,
                        const std::function<void(std::string_view)>& on_bytes) {
    EncodePass pass(settings, on_bytes);
    std::string text;
    for (std::uint64_t number = 1; std::getline(in, text); ++number) {
        if (text.empty()) continue;
        const std::string problem = pass.encode(text);
        if (problem.empty()) continue;
        EncodeTotals totals = pass.totals();
        totals.problem = std::string(file_name) + ':' + std::to_string(number) + ": " + problem;
        return totals;
    }
    pass.finish();
    EncodeTotals totals = pass.totals();
    if (in.bad()) totals.problem = std::string(file_name) + ": cannot be read to its end";
    return totals;
}

}  // namespace tickpath::cli
