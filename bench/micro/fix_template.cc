// fix/template/*: one iteration makes one order ready to send; every slot changes from order to order.
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <benchmark/benchmark.h>

#include "decoders/fix/message_template.h"
#include "decoders/fix/reader.h"

namespace tickpath::bench {
namespace {

constexpr std::uint64_t start_ns = 1'767'607'200'123'456'000;

fix::MessageTemplate make_template() {
    return {fix::default_order_template(),
            {.begin_string = "FIX.4.4", .sender = "TICKPATH", .target = "EXCH"}};
}

fix::OrderPatch first_order() {
    fix::OrderPatch order;
    order.sequence_number = 100'000;  // six digits to 999,999
    order.sending_time_ns = order.transact_time_ns = start_ns;
    order.price = 13'331;
    order.quantity = 1;
    std::memcpy(order.cl_ord_id.data(), "00000000070100000000", order.cl_ord_id.size());
    return order;
}

void next_order(fix::OrderPatch& order) noexcept {
    order.sequence_number = 100'000 + (order.sequence_number - 99'999) % 900'000;
    order.sending_time_ns += 1'100;
    order.transact_time_ns = order.sending_time_ns;
    ++order.price;
    order.quantity = 1 + (order.price & 1'023);
    order.side = (order.price & 1) != 0 ? '1' : '2';
    order.cl_ord_id[19] = static_cast<char>('A' + (order.price & 15));
}

/// The bytes must be a message that says what was ordered.
void check(fix::MessageTemplate& message, const fix::TemplateInstrument& instrument,
           const fix::OrderPatch& order) {
    const auto bytes = message.patch(instrument, order);
    fix::Reader reader;
    const auto result = reader.read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (result.scan == fix::Scan::message &&
        reader.message().number(fix::tag::msg_seq_num) == order.sequence_number &&
        reader.message().decimal(fix::tag::price) == Decimal{order.price, -2} &&
        reader.message().decimal(fix::tag::order_qty) == Decimal{order.quantity, 0})
        return;
    std::cerr << "fix/template: the order does not read back\n";
    std::exit(1);
}

void new_order_single_fixed(benchmark::State& state) {
    fix::MessageTemplate message = make_template();
    const auto instrument = *fix::TemplateInstrument::make("RTS-3.13", 2, 0);
    fix::OrderPatch order = first_order();
    for (int i = 0; i < 5'000; ++i) {
        check(message, instrument, order);
        next_order(order);
    }
    for (auto _ : state) {
        next_order(order);
        benchmark::DoNotOptimize(order);
        benchmark::DoNotOptimize(message.patch(instrument, order).data());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(new_order_single_fixed)->Name("fix/template/new_order_single/fixed");

}  // namespace
}  // namespace tickpath::bench
