// The order session of a run with everything under it: stored numbers, state machine, link. Cold: opened at
// start.
#pragma once

#include <memory>

#include "control/config/config.h"
#include "dataplane/core/counters.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/store/session_store.h"
#include "dataplane/tcp/kernel_tcp.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

/// Owned by the launcher, used by the trade thread.
struct OrderSession {
    std::unique_ptr<store::SessionStore> store;
    std::unique_ptr<session::FixSession> session;
    std::unique_ptr<tcp::KernelTcp> link;
};

/// Opens the store, resolves the host; connects nothing yet. Null when `diagnostics` got an error.
[[nodiscard]] std::unique_ptr<OrderSession> open_order_session(const config::RunConfig& config,
                                                               core::CounterPage& counters,
                                                               Diagnostics& diagnostics);

}  // namespace tickpath::runtime
