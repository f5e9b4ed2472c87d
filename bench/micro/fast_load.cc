// fast/load/40kB: from the text of a template file of that size to Templates that decode. One iteration is a
// file.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "decoders/fast/template_loader.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t file_bytes = 40'000;

/// Market-data messages of ten fields, half of them in a sequence, until the file is that long.
std::string template_file() {
    std::string xml = "<templates dictionary=\"template\">\n";
    for (unsigned id = 1; xml.size() < file_bytes; ++id) {
        const std::string number = std::to_string(id);
        xml += "<template name=\"Refresh" + number + "\" id=\"" + number +
               "\">\n"
               "  <string name=\"MsgType\" id=\"35\"><constant value=\"X\"/></string>\n"
               "  <uInt32 name=\"MsgSeqNum\" id=\"34\"><increment/></uInt32>\n"
               "  <uInt64 name=\"SendingTime\" id=\"52\"><copy/></uInt64>\n"
               "  <string name=\"TradingSessionID\" id=\"336\" presence=\"optional\"><default/></string>\n"
               "  <sequence name=\"MDEntries\"><length name=\"NoMDEntries\" id=\"268\"/>\n"
               "    <uInt32 name=\"MDUpdateAction\" id=\"279\"><copy/></uInt32>\n"
               "    <string name=\"MDEntryType\" id=\"269\"><copy value=\"0\"/></string>\n"
               "    <string name=\"Symbol\" id=\"55\"><tail/></string>\n"
               "    <decimal name=\"MDEntryPx\" id=\"270\" presence=\"optional\"><delta/></decimal>\n"
               "    <int64 name=\"MDEntrySize\" id=\"271\" presence=\"optional\"><delta/></int64>\n"
               "  </sequence>\n</template>\n";
    }
    return xml + "</templates>\n";
}

void load(benchmark::State& state) {
    const std::string xml = template_file();
    Diagnostics diagnostics;
    if (!fast::load_templates(xml, "bench.xml", diagnostics) || !diagnostics.all().empty()) {
        std::cerr << "fast/load: " << diagnostics.format();
        std::exit(1);
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(fast::load_templates(xml, "bench.xml", diagnostics));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * xml.size()));
}

BENCHMARK(load)->Name("fast/load/40kB")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tickpath::bench
