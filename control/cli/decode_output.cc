#include "control/cli/decode_output.h"

#include "control/cli/message_csv.h"
#include "control/cli/message_json.h"
#include "control/cli/message_text.h"

namespace tickpath::cli {
namespace {

class JsonLines : public DecodeOutput {
public:
    [[nodiscard]] std::unique_ptr<DecodeOutput> another() const override {
        return std::make_unique<JsonLines>();
    }
    void on_message(const DatagramPlace& place, const fast::Message& message) override {
        std::string& out = text().data;
        out += "{\"template\":";
        append_json_string(out, message.tmpl().label());
        out += ",\"start\":" + std::to_string(place.offset + message.start());
        out += ",\"end\":" + std::to_string(place.offset + message.end());
        if (place.capture) {
            out += ",\"packet\":" + std::to_string(place.capture->packet);
            out += ",\"time_ns\":" + std::to_string(place.capture->time_ns);
            out += ",\"group\":\"" + place.capture->group + '"';
        }
        out += ",\"fields\":";
        append_json_fields(out, fast::NamedRow(message));
        out += "}\n";
    }

    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        std::string& out = text().data;
        out += "{\"error\":";
        append_json_string(out, code(failure.error.error));
        out += ",\"text\":";
        append_json_string(out, describe(failure.error.error));
        if (place.capture) out += ",\"packet\":" + std::to_string(place.capture->packet);
        out += ",\"offset\":" + std::to_string(place.offset + failure.error.offset);
        if (!failure.template_text.empty()) {
            out += ",\"template\":";
            append_json_string(out, failure.template_text);
        }
        if (!failure.error.field.empty()) {
            out += ",\"field\":";
            append_json_string(out, failure.error.field);
        }
        out += "}\n";
    }
};

// "packet 5, byte 12: D5, a mandatory value is …, in template T, field F"
std::string sentence(const DatagramPlace& place, const DecodeFailure& failure) {
    std::string out;
    if (place.capture) out += "packet " + std::to_string(place.capture->packet) + ", ";
    out += "byte " + std::to_string(place.offset + failure.error.offset) + ": " +
           std::string(code(failure.error.error)) + ", " + std::string(describe(failure.error.error));
    if (!failure.template_text.empty()) out += ", in template " + failure.template_text;
    if (!failure.error.field.empty()) out += ", field " + std::string(failure.error.field);
    return out;
}

class TextLines : public DecodeOutput {
public:
    [[nodiscard]] std::unique_ptr<DecodeOutput> another() const override {
        return std::make_unique<TextLines>();
    }
    void on_message(const DatagramPlace&, const fast::Message& message) override {
        text().data += message.tmpl().label() + '=';
        append_text_fields(text().data, fast::NamedRow(message));
        text().data += '\n';
    }
    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        text().data += "error at " + sentence(place, failure) + '\n';
    }
};

// Errors have no columns: they are talk.
class CsvRows : public DecodeOutput {
public:
    [[nodiscard]] std::unique_ptr<DecodeOutput> another() const override {
        auto other = std::make_unique<CsvRows>(*this);
        other->text() = {};
        return other;
    }
    [[nodiscard]] bool needs_two_passes() const override { return true; }
    void on_occurrence(const fast::Message& message) override { table_.add_template(message.tmpl()); }
    void begin(bool is_capture) override {
        text().data += table_.header(is_capture ? "packet,time_ns,group" : "");
    }
    void on_message(const DatagramPlace& place, const fast::Message& message) override {
        std::string first;
        if (place.capture)
            first = std::to_string(place.capture->packet) + ',' + std::to_string(place.capture->time_ns) +
                    ',' + place.capture->group;
        table_.append_rows(text().data, first, message);
    }
    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        text().talk += "tickpath: error at " + sentence(place, failure) + '\n';
    }

private:
    CsvTable table_;
};

}  // namespace

std::unique_ptr<DecodeOutput> make_decode_output(std::string_view format) {
    if (format == "jsonl") return std::make_unique<JsonLines>();
    if (format == "text") return std::make_unique<TextLines>();
    if (format == "csv") return std::make_unique<CsvRows>();
    return nullptr;
}

}  // namespace tickpath::cli
