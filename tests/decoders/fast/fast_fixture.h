// Small helpers of the FAST tests: templates from the inside of one, and decoding hexadecimal text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_values.h"
#include "tests/support/hex.h"

namespace tickpath::fast {

/// Templates that must load without an error.
[[nodiscard]] inline std::shared_ptr<const Templates> load_all(const std::string& templates) {
    Diagnostics diagnostics;
    auto loaded = load_templates("<templates>" + templates + "</templates>", "test.xml", diagnostics);
    EXPECT_TRUE(loaded) << diagnostics.format();
    return loaded;
}

/// One template "T" with id 1.
[[nodiscard]] inline std::shared_ptr<const Templates> load_one(const std::string& fields) {
    return load_all("<template name=\"T\" id=\"1\">" + fields + "</template>");
}

/// The messages of a datagram as JSON text of their fields, and the error code that ended it, if any:
/// `{"f":5} {"f":6} truncated`.
[[nodiscard]] inline std::string decode_hex(Decoder& decoder, std::string_view hex) {
    const std::vector<std::byte> bytes = test::from_hex(hex);
    std::string out;
    decoder.begin(bytes, 0);
    while (decoder.next()) {
        const Message& message = decoder.message();
        out += (out.empty() ? "" : " ") + test::fast_fields(message.tmpl().fields(), message.root()).dump();
    }
    if (decoder.error() != Errc::ok) out += (out.empty() ? "" : " ") + std::string(code(decoder.error()));
    return out;
}

/// The same with a decoder of its own that keeps its dictionaries within the datagram.
[[nodiscard]] inline std::string decode_once(const std::string& fields, std::string_view hex,
                                             bool strict = false) {
    Decoder decoder(load_one(fields), {.reset = ResetRule::datagram, .strict = strict});
    return decode_hex(decoder, hex);
}

}  // namespace tickpath::fast
