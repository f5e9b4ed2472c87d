#include "control/cli/decode_output.h"

#include <cstdio>
#include <iostream>

#include "control/cli/message_csv.h"
#include "control/cli/message_json.h"
#include "control/cli/message_text.h"

namespace tickpath::cli {
namespace {

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

class JsonLines : public DecodeOutput {
public:
    void on_message(const DatagramPlace& place, const fast::Message& message) override {
        line_ = "{\"template\":";
        append_json_string(line_, message.tmpl().label());
        line_ += ",\"start\":" + std::to_string(place.offset + message.start());
        line_ += ",\"end\":" + std::to_string(place.offset + message.end());
        if (place.capture) {
            line_ += ",\"packet\":" + std::to_string(place.capture->packet);
            line_ += ",\"time_ns\":" + std::to_string(place.capture->time_ns);
            line_ += ",\"group\":\"" + place.capture->group + '"';
        }
        line_ += ",\"fields\":";
        append_json_fields(line_, fast::NamedRow(message));
        line_ += "}\n";
        print(line_);
    }

    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        line_ = "{\"error\":";
        append_json_string(line_, code(failure.error.error));
        line_ += ",\"text\":";
        append_json_string(line_, describe(failure.error.error));
        if (place.capture) line_ += ",\"packet\":" + std::to_string(place.capture->packet);
        line_ += ",\"offset\":" + std::to_string(place.offset + failure.error.offset);
        if (!failure.template_text.empty()) {
            line_ += ",\"template\":";
            append_json_string(line_, failure.template_text);
        }
        if (!failure.error.field.empty()) {
            line_ += ",\"field\":";
            append_json_string(line_, failure.error.field);
        }
        line_ += "}\n";
        print(line_);
    }

private:
    std::string line_;
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
    void on_message(const DatagramPlace&, const fast::Message& message) override {
        line_ = message.tmpl().label() + '=';
        append_text_fields(line_, fast::NamedRow(message));
        line_ += '\n';
        print(line_);
    }
    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        print("error at " + sentence(place, failure) + '\n');
    }

private:
    std::string line_;
};

// Errors have no columns: they are talk.
class CsvRows : public DecodeOutput {
public:
    [[nodiscard]] bool needs_two_passes() const override { return true; }
    void on_occurrence(const fast::Message& message) override { table_.add_template(message.tmpl()); }
    void begin(bool is_capture) override { print(table_.header(is_capture ? "packet,time_ns,group" : "")); }
    void on_message(const DatagramPlace& place, const fast::Message& message) override {
        rows_.clear();
        std::string first;
        if (place.capture)
            first = std::to_string(place.capture->packet) + ',' + std::to_string(place.capture->time_ns) +
                    ',' + place.capture->group;
        table_.append_rows(rows_, first, message);
        print(rows_);
    }
    void on_error(const DatagramPlace& place, const DecodeFailure& failure) override {
        std::cerr << "tickpath: error at " << sentence(place, failure) << '\n';
    }

private:
    CsvTable table_;
    std::string rows_;
};

}  // namespace

std::unique_ptr<DecodeOutput> make_decode_output(std::string_view format) {
    if (format == "jsonl") return std::make_unique<JsonLines>();
    if (format == "text") return std::make_unique<TextLines>();
    if (format == "csv") return std::make_unique<CsvRows>();
    return nullptr;
}

}  // namespace tickpath::cli
