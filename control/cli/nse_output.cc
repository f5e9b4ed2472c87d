#include "control/cli/nse_output.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <vector>

#include "control/cli/message_json.h"
#include "control/cli/nse_values.h"

namespace tickpath::cli {
namespace {

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::int16_t transcode_of(const NseMessage& message) {
    return framing::nse::HeaderView(message.bytes).transcode();
}

class NseJsonLines : public NseOutput {
public:
    void on_message(const DatagramPlace& place, const NseMessage& message) override {
        line_ = '{';
        if (place.capture) {
            line_ += "\"packet\":" + std::to_string(place.capture->packet);
            line_ += ",\"time_ns\":" + std::to_string(place.capture->time_ns);
            line_ += ",\"group\":\"" + place.capture->group + "\",";
        }
        line_ += "\"transcode\":" + std::to_string(transcode_of(message));
        line_ += ",\"compressed_bytes\":" + std::to_string(message.compressed_bytes);
        line_ += ",\"raw_bytes\":" + std::to_string(message.bytes.size());
        line_ += ",\"fields\":";
        append_json(line_, nse_values(message.bytes, message.layout));
        line_ += "}\n";
        print(line_);
    }
    void on_error(const DatagramPlace& place, Errc error, std::size_t offset) override {
        line_ = "{\"error\":";
        append_json_string(line_, code(error));
        line_ += ",\"text\":";
        append_json_string(line_, describe(error));
        if (place.capture) line_ += ",\"packet\":" + std::to_string(place.capture->packet);
        line_ += ",\"offset\":" + std::to_string(offset) + "}\n";
        print(line_);
    }

private:
    std::string line_;
};

// "packet 5, byte 12: input_overrun, the LZO1Z block ends before its end marker"
std::string sentence(const DatagramPlace& place, Errc error, std::size_t offset) {
    std::string out;
    if (place.capture) out += "packet " + std::to_string(place.capture->packet) + ", ";
    return out + "byte " + std::to_string(offset) + ": " + std::string(code(error)) + ", " +
           std::string(describe(error));
}

class NseTextLines : public NseOutput {
public:
    void on_message(const DatagramPlace&, const NseMessage& message) override {
        line_ = std::to_string(transcode_of(message)) + '=';
        append_text(line_, nse_values(message.bytes, message.layout));
        line_ += '\n';
        print(line_);
    }
    void on_error(const DatagramPlace& place, Errc error, std::size_t offset) override {
        print("error at " + sentence(place, error, offset) + '\n');
    }

private:
    std::string line_;
};

// One row per innermost record, the values around it repeated; levels of both sides are rows of their own.
class NseCsvRows : public NseOutput {
public:
    [[nodiscard]] bool needs_two_passes() const override { return true; }
    void on_occurrence(const NseMessage& message) override {
        add_columns(nse_values(message.bytes, message.layout), "");
    }
    void begin(bool is_capture) override {
        std::string header = is_capture ? "packet,time_ns,group," : "";
        header += "transcode,compressed_bytes,raw_bytes";
        for (const std::string& column : columns_)
            header += ',' + column;
        print(header + '\n');
    }
    void on_message(const DatagramPlace& place, const NseMessage& message) override {
        first_.clear();
        if (place.capture)
            first_ = std::to_string(place.capture->packet) + ',' + std::to_string(place.capture->time_ns) +
                     ',' + place.capture->group + ',';
        first_ += std::to_string(transcode_of(message)) + ',' + std::to_string(message.compressed_bytes) +
                  ',' + std::to_string(message.bytes.size());
        rows_.clear();
        append_rows(nse_values(message.bytes, message.layout), "", Cells(columns_.size()));
        print(rows_);
    }
    void on_error(const DatagramPlace& place, Errc error, std::size_t offset) override {
        std::cerr << "tickpath: error at " << sentence(place, error, offset) << '\n';
    }

private:
    using Cells = std::vector<std::string>;

    void add_columns(const std::vector<NseValue>& values, const std::string& path) {
        for (const NseValue& value : values) {
            const std::string own_path = path + value.name;
            if (value.has_rows) {
                for (const std::vector<NseValue>& row : value.rows)
                    add_columns(row, own_path + '/');
            } else if (column_by_path_.emplace(own_path, columns_.size()).second) {
                columns_.push_back(own_path);
            }
        }
    }

    void append_rows(const std::vector<NseValue>& values, const std::string& path, Cells cells) {
        for (const NseValue& value : values)
            if (!value.has_rows) cells[column_by_path_.at(path + value.name)] = quoted(value.text);
        bool has_inner = false;
        for (const NseValue& value : values) {
            for (const std::vector<NseValue>& row : value.rows) {
                has_inner = true;
                append_rows(row, path + value.name + '/', cells);
            }
        }
        if (has_inner) return;
        rows_ += first_;
        for (const std::string& cell : cells)
            rows_ += ',' + cell;
        rows_ += '\n';
    }

    // RFC 4180.
    static std::string quoted(const std::string& cell) {
        if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
        std::string out = "\"";
        for (const char c : cell) {
            if (c == '"') out += '"';
            out += c;
        }
        return out + '"';
    }

    std::vector<std::string> columns_;
    std::map<std::string, std::size_t> column_by_path_;
    std::string first_;
    std::string rows_;
};

}  // namespace

std::unique_ptr<NseOutput> make_nse_output(std::string_view format) {
    if (format == "jsonl") return std::make_unique<NseJsonLines>();
    if (format == "text") return std::make_unique<NseTextLines>();
    if (format == "csv") return std::make_unique<NseCsvRows>();
    return nullptr;
}

}  // namespace tickpath::cli
