#include "control/fast_decoders/own_decoders.h"

#include <utility>

#include "bench.generated.h"
#include "decoders/fast/fingerprint.h"
#include "demo.generated.h"
#include "logon.generated.h"
#include "quotes.generated.h"

namespace tickpath::fast_decoders {

std::shared_ptr<const fast::Templates> with_own_decoders(std::shared_ptr<const fast::Templates> templates) {
    if (!templates) return templates;
    const std::uint64_t fingerprint = fast::fingerprint(templates->program());
    for (const fast::GeneratedDecoders* const own : {&fast_demo::decoders(), &fast_bench::decoders(),
                                                     &fast_logon::decoders(), &fast_quotes::decoders()}) {
        if (own->fingerprint != fingerprint) continue;
        Diagnostics diagnostics;
        return templates->with(*own, diagnostics);
    }
    return templates;
}

}  // namespace tickpath::fast_decoders
