// FIX messages written by hand in tests: '|' stands for SOH, length and checksum are added.
#pragma once

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/fix/reader.h"

namespace tickpath::trade::test {

/// "35=8|34=2|…|" becomes a whole FIX.4.4 message.
inline std::string framed(std::string body) {
    std::replace(body.begin(), body.end(), '|', fix::soh);
    std::string text =
        "8=FIX.4.4" + std::string(1, fix::soh) + "9=" + std::to_string(body.size()) + fix::soh + body;
    const unsigned sum = std::accumulate(text.begin(), text.end(), 0u, [](unsigned so_far, char c) {
        return so_far + static_cast<unsigned char>(c);
    });
    char trailer[8];
    std::snprintf(trailer, sizeof trailer, "10=%03u", sum % 256);
    return text + trailer + fix::soh;
}

/// A message that owns its bytes.
class ParsedMessage {
public:
    explicit ParsedMessage(std::string body) : text_(framed(std::move(body))) {
        is_sound_ = reader_.read(text_).scan == fix::Scan::message;
    }
    [[nodiscard]] bool is_sound() const { return is_sound_; }
    [[nodiscard]] const fix::Message& operator*() const { return reader_.message(); }

private:
    std::string text_;
    fix::Reader reader_;
    bool is_sound_ = false;
};

/// One message of a stream as values by tag, copied out of the reader.
class Fields {
public:
    explicit Fields(const fix::Message& message) {
        for (const fix::Field& field : message.fields())
            values_.emplace_back(field.tag, std::string(message.value(field)));
    }
    /// The first value of the tag, empty when there is none.
    [[nodiscard]] std::string operator[](std::uint32_t tag) const {
        for (const auto& [of, value] : values_)
            if (of == tag) return value;
        return {};
    }

private:
    std::vector<std::pair<std::uint32_t, std::string>> values_;
};

/// All messages of a byte stream; whatever is not a sound message ends it and sets `is_sound` to false.
inline std::vector<Fields> messages_of(std::string_view bytes, bool& is_sound) {
    std::vector<Fields> messages;
    fix::Reader reader;
    is_sound = true;
    while (!bytes.empty()) {
        const fix::ScanResult result = reader.read(bytes);
        if (result.scan != fix::Scan::message) {
            is_sound = false;
            break;
        }
        messages.emplace_back(reader.message());
        bytes.remove_prefix(result.bytes);
    }
    return messages;
}

}  // namespace tickpath::trade::test
