// The recorded FAST files of the shared data, cut into datagrams, and the published vectors as streams.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_values.h"
#include "tests/support/hex.h"
#include "tests/support/shared_data.h"

namespace tickpath::test {

struct FastRecording {
    const char* templates;
    const char* file;
    unsigned preamble_bytes;
    bool has_length;
    fast::DecoderOptions options;

    [[nodiscard]] std::string xml() const { return read_file(shared_data() / "fast" / templates); }
};

inline const FastRecording fast_recordings[] = {
    {"rts-forts-2013/templates.xml",
     "rts-forts-2013/increment_a.dat",
     0,
     false,
     {.reset = fast::ResetRule::never}},
    {"rts-forts-2013/templates.xml",
     "rts-forts-2013/snapshot.dat",
     0,
     false,
     {.reset = fast::ResetRule::template_id}},
    {"moex-asts-olr-2019/test.xml",
     "moex-asts-olr-2019/data.dat",
     4,
     false,
     {.reset = fast::ResetRule::message}},
    {"quickfast-complex30000/example.xml",
     "quickfast-complex30000/complex30000.dat",
     4,
     true,
     {.reset = fast::ResetRule::never}},
};

/// Cuts a file into datagrams with the decoder itself.
[[nodiscard]] inline std::vector<std::vector<std::byte>> datagrams_of(const FastRecording& recording,
                                                                      const std::string& xml,
                                                                      std::size_t most) {
    Diagnostics diagnostics;
    fast::Decoder decoder(fast::load_templates(xml, "recording", diagnostics), recording.options);
    const std::string file = read_file(shared_data() / "fast" / recording.file);
    std::vector<std::vector<std::byte>> datagrams;
    for (std::size_t at = 0; at < file.size() && datagrams.size() < most;) {
        const auto* first = reinterpret_cast<const std::byte*>(file.data()) + at;
        std::size_t size = std::min<std::size_t>(file.size() - at, 4'000);
        if (recording.has_length) size = 4 + load_little<std::uint32_t>(first);
        const std::span<const std::byte> body(first + recording.preamble_bytes,
                                              size - recording.preamble_bytes);
        decoder.begin(body, 0);
        std::size_t end = 0;
        while (decoder.next()) {
            end = decoder.message().end();
            if (!decoder.message().tmpl().resets() || recording.has_length) break;
        }
        EXPECT_NE(end, 0u);
        datagrams.emplace_back(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(end));
        at += recording.preamble_bytes + end;
    }
    return datagrams;
}

struct FastVectorCase {
    std::string name;
    std::string xml;
    std::vector<std::vector<std::byte>> messages;
};

/// vectors.json, then extra_vectors.json.
[[nodiscard]] inline std::vector<FastVectorCase> fast_vector_cases() {
    std::vector<FastVectorCase> cases;
    for (const char* name : {"vectors.json", "extra_vectors.json"}) {
        for (const Json& one : Json::parse(read_file(shared_data() / "fast" / "vectors" / name))) {
            FastVectorCase made{one["name"].get<std::string>(), {}, {}};
            made.xml = one.contains("templates_xml")
                           ? one["templates_xml"].get<std::string>()
                           : "<templates><template name=\"t\" id=\"1\">" +
                                 one["fields_xml"].get<std::string>() + "</template></templates>";
            for (const Json& row : one["messages"])
                made.messages.push_back(from_hex(row["hex"].get<std::string>()));
            cases.push_back(std::move(made));
        }
    }
    return cases;
}

}  // namespace tickpath::test
