// fast/decode/<recording>/*: messages of recorded feeds, where this machine has them. Their templates are not
// part of the project, so their decoders are generated and compiled when the first of these benches runs
// (some seconds).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/micro/fast_messages.h"
#include "decoders/base/bytes.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/compiled_decoders.h"
#include "tests/support/shared_data.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t messages_max = 2'048;

struct Capture {
    const char* name;
    const char* templates;
    const char* file;
    std::size_t preamble_bytes;
    bool has_length;  // the preamble is the message's length
    fast::ResetRule reset;
};

constexpr Capture captures[] = {
    {"complex30000", "quickfast-complex30000/example.xml", "quickfast-complex30000/complex30000.dat", 4, true,
     fast::ResetRule::message},
    {"asts_2019", "moex-asts-olr-2019/test.xml", "moex-asts-olr-2019/data.dat", 4, false,
     fast::ResetRule::message},
    {"forts_2013_increments", "rts-forts-2013/templates.xml", "rts-forts-2013/increment_a.dat", 0, false,
     fast::ResetRule::never},
    {"forts_2013_snapshot", "rts-forts-2013/templates.xml", "rts-forts-2013/snapshot.dat", 0, false,
     fast::ResetRule::never},
};

std::shared_ptr<const fast::Templates> load(const Capture& capture) {
    Diagnostics diagnostics;
    return fast::load_template_file(test::shared_data() / "fast" / capture.templates, diagnostics);
}

std::vector<std::shared_ptr<const fast::Templates>> load_all() {
    std::vector<std::shared_ptr<const fast::Templates>> sets;
    for (const Capture& capture : captures)
        sets.push_back(load(capture));
    return sets;
}

std::shared_ptr<const fast::Templates> compiled(std::size_t which) {
    static const test::CompiledDecoders all(load_all(), "-O2");
    return all.sets()[which];
}

std::vector<BenchMessage> messages_of(const Capture& capture) {
    fast::Decoder decoder(load(capture), {.reset = capture.reset});
    const std::string file = test::read_file(test::shared_data() / "fast" / capture.file);
    std::vector<BenchMessage> out;
    for (std::size_t at = capture.preamble_bytes; at < file.size() && out.size() < messages_max;) {
        const auto* const first = reinterpret_cast<const std::byte*>(file.data()) + at;
        std::size_t size = std::min<std::size_t>(file.size() - at, 4'000);
        if (capture.has_length) size = load_little<std::uint32_t>(first - capture.preamble_bytes);
        decoder.begin({first, size}, 0);
        if (!decoder.next()) return {};
        out.push_back(bench_message(first, decoder.message().end()));
        at += decoder.message().end() + capture.preamble_bytes;
    }
    return out;
}

void decode_capture(benchmark::State& state, std::size_t which, bool is_generated) {
    const Capture& capture = captures[which];
    const std::vector<BenchMessage> messages = messages_of(capture);
    std::shared_ptr<const fast::Templates> templates = load(capture);
    fast::Decoder interpreter(templates, {.reset = capture.reset});
    const std::uint64_t expected = digest(interpreter, messages);
    if (is_generated) templates = compiled(which);
    time_messages(state, templates, capture.reset, messages, expected);
}

const int registered = [] {
    if (test::shared_data().empty()) return 0;
    for (std::size_t i = 0; i < std::size(captures); ++i) {
        const std::string name = std::string("fast/decode/") + captures[i].name;
        benchmark::RegisterBenchmark((name + "/runtime").c_str(),
                                     [i](benchmark::State& state) { decode_capture(state, i, false); });
        benchmark::RegisterBenchmark((name + "/generated").c_str(),
                                     [i](benchmark::State& state) { decode_capture(state, i, true); });
    }
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
