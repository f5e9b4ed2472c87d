#include "control/runtime/order_session.h"

#include <chrono>
#include <string>

namespace tickpath::runtime {
namespace {

std::uint64_t utc_now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace

std::unique_ptr<OrderSession> open_order_session(const config::RunConfig& config, core::CounterPage& counters,
                                                 Diagnostics& diagnostics) {
    const config::OrderSessionSettings& wanted = *config.trade.session;
    const std::string file = config.file.string();
    std::string error_text;

    const auto peer = tcp::Endpoint::resolve(wanted.host, wanted.port, error_text);
    if (!peer) diagnostics.error(file, wanted.line, error_text);
    auto store = store::SessionStore::open(wanted.store.string(),
                                           {.begin_string = wanted.settings.begin_string,
                                            .sender = wanted.settings.sender,
                                            .target = wanted.settings.target},
                                           utc_now_ns(), error_text);
    if (!store) diagnostics.error(file, wanted.line, error_text);
    if (!peer || !store) return nullptr;

    auto order_session = std::make_unique<OrderSession>();
    order_session->session = std::make_unique<session::FixSession>(
        wanted.settings, store->numbers(), session::SessionCounters(counters, "session"));
    order_session->link = std::make_unique<tcp::KernelTcp>(*peer, wanted.link);
    order_session->store = std::move(store);
    return order_session;
}

}  // namespace tickpath::runtime
