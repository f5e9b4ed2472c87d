// The smallest use of libtickpath-fast alone: the templates of a file, one a line. No DPDK anywhere near.
#include <cstdio>
#include <string>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/template_loader.h"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    tickpath::Diagnostics found;
    const auto templates = tickpath::fast::load_template_file(argv[1], found);
    std::fputs(found.format().c_str(), stderr);
    if (templates == nullptr) return 3;
    for (const tickpath::fast::Template& one : templates->all())
        std::printf("%u %s\n", one.id(), one.label().c_str());
}
