// Fuzzes the template loader: any text is refused with a finding or gives templates that a decoder can run.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tickpath;
    const std::string_view xml(reinterpret_cast<const char*>(data), size);
    for (const bool strict : {false, true}) {
        Diagnostics diagnostics;
        const auto templates = fast::load_templates(xml, "fuzz.xml", diagnostics, {.strict = strict});
        if ((templates == nullptr) != diagnostics.has_errors()) std::abort();
        if (!templates || templates->program().code.size() > 10'000) continue;
        fast::Decoder decoder(
            templates,
            {.reset = fast::ResetRule::never,
             .limits = {.datagram_bytes_max = 256, .row_words_max = 8'192, .scratch_bytes_max = 4'096}});
        for (const fast::Template& tmpl : templates->all()) {
            // The identifier, then whatever the file itself has to offer as a message.
            std::vector<std::byte> message = {std::byte{0xFF}};
            for (int shift = 28; shift >= 0; shift -= 7)
                message.push_back(
                    static_cast<std::byte>((tmpl.id() >> shift & 0x7F) | (shift == 0 ? 0x80 : 0)));
            for (const char c : xml.substr(0, 64))
                message.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(c) | 0x80));
            decoder.reset();
            decoder.begin(message, 0);
            while (decoder.next()) {
            }
        }
    }
    return 0;
}
