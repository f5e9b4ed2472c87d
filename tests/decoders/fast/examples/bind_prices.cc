// The same into a struct, with prices as whole hundredths: bind_prices templates/fast/demo/demo.xml
#include <cstdio>
#include <span>

#include "decoders/fast/bind.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"

using namespace tickpath;

constexpr unsigned char packet[] = {0xE0, 0x02, 0xAD, 0x87, 0x89, 0x82, 0x98, 0x85, 0x81, 0x00, 0x53,
                                    0xDB, 0x8B, 0x80, 0x80, 0xA0, 0xB1, 0x82, 0xFD, 0x81, 0x80};

struct Level {
    std::int64_t price_e2 = 0;
    std::int64_t size = 0;
};

int main(int, char** argv) {
    Diagnostics findings;
    const auto templates = fast::load_template_file(argv[1], findings);
    const fast::Template* const refresh = templates ? templates->find_template("DemoIncremental") : nullptr;
    if (refresh == nullptr) return 1;
    const auto levels = fast::bind_rows<Level>(*refresh, "MDEntries", findings,
                                               fast::bind_scaled<&Level::price_e2>("MDEntryPx", 2),
                                               fast::bind<&Level::size>("MDEntrySize", 0));
    if (!levels) return std::fputs(findings.format().c_str(), stderr), 1;

    fast::Decoder decoder(templates, {.reset = fast::ResetRule::datagram});
    decoder.begin(std::as_bytes(std::span(packet)), 0);
    while (decoder.next())
        for (const fast::Row row : decoder.message().root().rows(levels->sequence())) {
            Level level;
            if (levels->read(row, level) != Errc::ok) return 1;  // a price with more than two places
            std::printf("%lld %lld\n", static_cast<long long>(level.price_e2),
                        static_cast<long long>(level.size));
        }
    return decoder.error() == Errc::ok ? 0 : 1;
}
