// Prints the prices and sizes of a packet: read_prices templates/fast/demo/demo.xml
#include <cstdio>
#include <span>

#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"

using namespace tickpath;

constexpr unsigned char packet[] = {0xE0, 0x02, 0xAD, 0x87, 0x89, 0x82, 0x98, 0x85, 0x81, 0x00, 0x53,
                                    0xDB, 0x8B, 0x80, 0x80, 0xA0, 0xB1, 0x82, 0xFD, 0x81, 0x80};

int main(int, char** argv) {
    Diagnostics findings;
    const auto templates = fast::load_template_file(argv[1], findings);
    if (!templates) return std::fputs(findings.format().c_str(), stderr), 1;
    const fast::Template& refresh = *templates->find_template("DemoIncremental");
    const auto entries = refresh.field("MDEntries");
    const auto price = refresh.field("MDEntries/MDEntryPx"), size = refresh.field("MDEntries/MDEntrySize");

    fast::Decoder decoder(templates, {.reset = fast::ResetRule::datagram});
    decoder.begin(std::as_bytes(std::span(packet)), 0);
    while (decoder.next())
        for (const fast::Row row : decoder.message().root().rows(*entries))
            std::printf("%s %lld\n", to_text(row.decimal(*price)).c_str(),
                        static_cast<long long>(row.i64(*size)));
    return decoder.error() == Errc::ok ? 0 : 1;
}
