// fix/parse/*: one iteration finds a message in the buffer, verifies BodyLength and CheckSum and indexes
// every field.
#include <cstdlib>
#include <iostream>
#include <string>

#include <benchmark/benchmark.h>

#include "decoders/fix/reader.h"
#include "decoders/fix/writer.h"

namespace tickpath::bench {
namespace {

namespace tag = fix::tag;

constexpr std::size_t field_count = 23;

/// What the exchange answers to a filled order.
std::string execution_report() {
    constexpr std::uint64_t time_ns = 1'767'607'200'123'456'000;
    std::string buffer(1'024, '\0');
    fix::TimestampWriter time(fix::TimePrecision::milli);
    fix::Writer writer;
    writer.begin({buffer.data(), buffer.size()}, "FIX.4.4", "8");
    writer.number(tag::msg_seq_num, 123'456);
    writer.text(tag::sender_comp_id, "EXCH");
    writer.timestamp(tag::sending_time, time, time_ns);
    writer.text(tag::target_comp_id, "TICKPATH");
    writer.text(tag::order_id, "O1234567");
    writer.text(tag::cl_ord_id, "00000000070100000001");
    writer.text(tag::exec_id, "E12345678");
    writer.character(tag::exec_type, 'F');
    writer.character(tag::ord_status, '2');
    writer.text(tag::symbol, "RTS-3.13");
    writer.character(tag::side, '1');
    writer.number(tag::order_qty, 7);
    writer.decimal(tag::price, 13'331, 2);
    writer.number(tag::last_qty, 7);
    writer.decimal(tag::last_px, 13'331, 2);
    writer.number(tag::leaves_qty, 0);
    writer.number(tag::cum_qty, 7);
    writer.decimal(tag::avg_px, 13'331, 2);
    writer.timestamp(tag::transact_time, time, time_ns);
    buffer.resize(writer.finish());
    return buffer;
}

void parse_execution_report(benchmark::State& state) {
    const std::string message = execution_report();
    fix::Reader reader;
    if (reader.read({message.data(), message.size()}).scan != fix::Scan::message ||
        reader.message().fields().size() != field_count ||
        reader.message().decimal(tag::last_px) != Decimal{13'331, -2}) {
        std::cerr << "fix/parse: the report does not read back\n";
        std::exit(1);
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(message.data());
        benchmark::DoNotOptimize(reader.read({message.data(), message.size()}));
    }
    state.counters["bytes"] = static_cast<double>(message.size());
}
BENCHMARK(parse_execution_report)->Name("fix/parse/execution_report");

}  // namespace
}  // namespace tickpath::bench
