// fast/decode/logon_35/*: a session message of 35 bytes, every value sent.
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "bench/micro/fast_messages.h"
#include "control/fast_decoders/own_decoders.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::bench {
namespace {

constexpr std::string_view logon_bytes(
    "\xC0\x0A\xFA"  // map, template 1402
    "TICKPAT\xC8"
    "EXCH0\xB1"                             // TICKPATH, EXCH01
    "\x81\x23\x7E\x2C\x2E\x37\x1B\x61\xFB"  // MsgSeqNum 1, SendingTime of eight groups
    "\x9E"
    "SECRET1\xB2",
    35);  // HeartBtInt 30, SECRET12

void decode_logon(benchmark::State& state, bool is_generated) {
    Diagnostics diagnostics;
    auto templates =
        fast::load_template_file(TICKPATH_SOURCE_ROOT "/templates/fast/bench/logon.xml", diagnostics);
    if (is_generated) templates = fast_decoders::with_own_decoders(templates);
    const std::vector<BenchMessage> messages = {
        bench_message(reinterpret_cast<const std::byte*>(logon_bytes.data()), logon_bytes.size())};
    fast::Decoder decoder(templates, {.reset = fast::ResetRule::message});
    const std::uint64_t expected = digest(decoder, messages);
    const fast::Message& logon = decoder.message();
    if (expected == 0 || (templates->generated() != nullptr) != is_generated || logon.end() != 35 ||
        !(logon.root().text(*logon.tmpl().field("Password")) == "SECRET12") ||
        logon.root().i64(*logon.tmpl().field("HeartBtInt")) != 30) {
        std::cerr << "fast/decode/logon_35: the Logon decodes to other values than were sent\n";
        std::exit(1);
    }
    time_messages(state, templates, fast::ResetRule::message, messages, expected);
}

const int registered = [] {
    benchmark::RegisterBenchmark("fast/decode/logon_35/runtime",
                                 [](benchmark::State& state) { decode_logon(state, false); });
    benchmark::RegisterBenchmark("fast/decode/logon_35/generated",
                                 [](benchmark::State& state) { decode_logon(state, true); });
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
