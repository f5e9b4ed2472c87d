// fast/encode/*: one iteration encodes one message of 2,048 different ones, built before. Each is decoded and
// compared before anything is timed.
#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/micro/fast_logon.h"
#include "bench/micro/fast_packets.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::bench {
namespace {

constexpr std::uint32_t message_count = 2'048;  // more than branch predictors remember
constexpr std::size_t logon_bytes = 35;

struct Workload {
    std::shared_ptr<const fast::Templates> templates;
    std::vector<std::unique_ptr<fast::MessageBuilder>> messages;
};

std::shared_ptr<const fast::Templates> load(std::string_view xml) {
    Diagnostics diagnostics;
    return fast::load_templates(xml, "bench", diagnostics);
}

[[noreturn]] void give_up(std::string_view why) {
    std::cerr << "fast/encode: " << why << '\n';
    std::exit(1);
}

// The packet of ten entries, as it was decoded, in a message of its own.
void copy_refresh(const fast::Message& from, fast::MessageBuilder& to) {
    const fast::Template& tmpl = to.templates().all().front();
    const auto field = [&](const char* path) { return *tmpl.field(path); };
    fast::RowBuilder row = to.begin(tmpl);
    row.set_u64("MsgSeqNum", from.root().u64(field("MsgSeqNum")));
    row.set_u64("SendingTime", from.root().u64(field("SendingTime")));
    for (const fast::Row entry : from.root().rows(field("Entries"))) {
        fast::RowBuilder element = row.add_element("Entries");
        for (const char* name : {"Action", "SecurityID", "RptSeq", "Level"})
            element.set_u64(name, entry.u64(field((std::string("Entries/") + name).c_str())));
        element.set_text("Type", entry.text(field("Entries/Type")).to_string());
        element.set_decimal("Price", entry.decimal(field("Entries/Price")));
        element.set_i64("Size", entry.i64(field("Entries/Size")));
    }
    if (!to.finish()) give_up("a packet cannot be built");
}

// All bits of these packets are set, so that explicit encoding has to give their very bytes.
Workload refresh_packets() {
    Workload work{load(refresh_template_xml), {}};
    fast::Decoder decoder(work.templates, {.reset = fast::ResetRule::datagram});
    fast::Encoder encoder(work.templates,
                          {.reset = fast::ResetRule::datagram, .mode = fast::EncodeMode::explicit_});
    std::array<std::byte, 512> out{};
    for (const RefreshPacket& packet : varied_full_packets(message_count)) {
        const std::span<const std::byte> bytes(packet.buffer.data(), packet.size_bytes);
        decoder.begin(bytes, 0);
        if (!decoder.next()) give_up("a packet does not decode");
        work.messages.push_back(std::make_unique<fast::MessageBuilder>(work.templates));
        copy_refresh(decoder.message(), *work.messages.back());
        encoder.begin_datagram();
        const fast::EncodeResult result = encoder.encode(*work.messages.back(), out);
        if (!result || !std::ranges::equal(bytes, std::span(out).first(result.size_bytes)))
            give_up("a packet encodes to other bytes");
    }
    return work;
}

Workload logons() {
    Workload work{load(logon_template_xml), {}};
    fast::Decoder decoder(work.templates, {.reset = fast::ResetRule::datagram});
    fast::Encoder encoder(work.templates,
                          {.reset = fast::ResetRule::datagram, .mode = fast::EncodeMode::explicit_});
    const fast::FieldRef user = *work.templates->all().front().field("Username");
    const fast::FieldRef time = *work.templates->all().front().field("SendingTime");
    std::array<std::byte, 512> out{};
    for (std::uint32_t i = 0; i < message_count; ++i) {
        const Logon values = logon(i);
        work.messages.push_back(std::make_unique<fast::MessageBuilder>(work.templates));
        if (!build_logon(values, *work.messages.back())) give_up("a logon cannot be built");
        encoder.begin_datagram();
        const fast::EncodeResult result = encoder.encode(*work.messages.back(), out);
        if (result.size_bytes != logon_bytes) give_up("a logon has another length");
        decoder.begin(std::span(out).first(result.size_bytes), 0);
        if (!decoder.next() || !(decoder.message().root().text(user) == values.user) ||
            decoder.message().root().u64(time) != values.sending_time)
            give_up("a logon decodes to something else");
    }
    return work;
}

void run(benchmark::State& state, const Workload& work, fast::EncodeMode mode) {
    fast::Encoder encoder(work.templates, {.reset = fast::ResetRule::datagram, .mode = mode});
    std::array<std::byte, 512> out{};
    std::size_t next = 0;
    for (auto _ : state) {
        encoder.begin_datagram();
        benchmark::DoNotOptimize(encoder.encode(*work.messages[next], out));
        next = next + 1 == work.messages.size() ? 0 : next + 1;
    }
}

const int registered = [] {
    benchmark::RegisterBenchmark("fast/encode/fastfix_packet", [](benchmark::State& state) {
        run(state, refresh_packets(), fast::EncodeMode::explicit_);
    });
    benchmark::RegisterBenchmark("fast/encode/fastfix_packet_compact", [](benchmark::State& state) {
        run(state, refresh_packets(), fast::EncodeMode::compact);
    });
    benchmark::RegisterBenchmark("fast/encode/logon", [](benchmark::State& state) {
        run(state, logons(), fast::EncodeMode::explicit_);
    });
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
