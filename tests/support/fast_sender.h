// Builds FAST messages from JSON text and encodes them, for tests that look at the bytes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/cli/message_from_json.h"
#include "decoders/fast/encoder.h"

namespace tickpath::test {

/// "e0 81 85"
[[nodiscard]] inline std::string spaced_hex(std::span<const std::byte> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const std::byte byte : bytes) {
        if (!out.empty()) out += ' ';
        out += digits[std::to_integer<unsigned>(byte) >> 4];
        out += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return out;
}

class FastSender {
public:
    FastSender(std::shared_ptr<const fast::Templates> templates, fast::EncoderOptions options)
        : builder_(templates), encoder_(std::move(templates), options) {}

    /// The bytes of one message with these fields, of the first template unless told; or the code of the
    /// error and the field it is about: "D6 f". What the builder refuses is in parentheses.
    [[nodiscard]] std::string send(std::string_view fields, std::uint32_t template_id = 0) {
        const fast::Templates& templates = encoder_.templates();
        const fast::Template* const tmpl =
            template_id == 0 ? &templates.all().front() : templates.find_template(template_id);
        bytes_.clear();
        const std::string problem =
            cli::build_from_json(nlohmann::json::parse(fields), *tmpl, builder_).problem;
        if (!problem.empty()) return '(' + problem + ')';
        std::vector<std::byte> out(4'096);
        const fast::EncodeResult result = encoder_.encode(builder_, out);
        if (!result) {
            const fast::EncodeError place = encoder_.error_place();
            return std::string(code(result.error)) + (place.field.empty() ? "" : " ") +
                   std::string(place.field);
        }
        bytes_.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(result.size_bytes));
        return spaced_hex(bytes_);
    }

    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept {
        return bytes_;
    }  ///< of the last one
    [[nodiscard]] fast::Encoder& encoder() noexcept { return encoder_; }
    [[nodiscard]] fast::MessageBuilder& builder() noexcept { return builder_; }

private:
    fast::MessageBuilder builder_;
    fast::Encoder encoder_;
    std::vector<std::byte> bytes_;
};

}  // namespace tickpath::test
