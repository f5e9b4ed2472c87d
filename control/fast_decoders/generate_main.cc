// tickpath-fast-generate TEMPLATES.xml OUT [NAMESPACE]: `tickpath templates generate` for this build, which
// needs the decoders before there is a tickpath. Not installed.
#include <cstdlib>
#include <iostream>

#include "control/fast_decoders/generate_files.h"

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::cerr << "usage: tickpath-fast-generate TEMPLATES.xml OUT [NAMESPACE]\n";
        return 2;
    }
    tickpath::Diagnostics diagnostics;
    const tickpath::fast_decoders::GenerateRequest request = {
        .templates = argv[1], .output = argv[2], .name_space = argc == 4 ? argv[3] : ""};
    const bool ok = tickpath::fast_decoders::generate_files(request, diagnostics).has_value();
    std::cerr << diagnostics.format();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
