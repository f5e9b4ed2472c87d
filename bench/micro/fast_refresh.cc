#include "bench/micro/fast_refresh.h"

#include <cstdlib>
#include <iostream>

#include "control/fast_decoders/own_decoders.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::bench {

std::shared_ptr<const fast::Templates> refresh_templates(Tier tier) {
    Diagnostics diagnostics;
    auto templates = fast::load_templates(refresh_template_xml, "refresh", diagnostics);
    if (tier == Tier::runtime) return templates;
    templates = fast_decoders::with_own_decoders(templates);  // compiles to what templates/fast/bench does
    if (templates->generated() != nullptr) return templates;
    std::cerr << "fast/decode: no generated decoders fit the bench's template\n";
    std::exit(1);
}

}  // namespace tickpath::bench
