// A FIX acceptor with many sessions on one thread: the library for applications. Calls its handler, never
// blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/fix_engine/engine_handler.h"
#include "dataplane/fix_engine/engine_settings.h"
#include "dataplane/fix_engine/pending_connection.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/store/session_store.h"
#include "dataplane/tcp/kernel_tcp.h"

namespace tickpath::fix_engine {

/// Owned and used by one thread, but for the flag given to run.
///
/// A slow peer is bounded by what a session may hold: the less room its output has, the less of its input is
/// read, so that TCP slows the peer down; when nothing moves any more the session's time-outs end it.
class FixEngine {
public:
    /// Opens the stores and the listener. nullptr with one text for a person per problem.
    [[nodiscard]] static std::unique_ptr<FixEngine> open(const EngineSettings& settings,
                                                         EngineHandler& handler, core::CounterPage& counters,
                                                         std::vector<std::string>& error_texts);
    ~FixEngine();
    FixEngine(const FixEngine&) = delete;
    FixEngine& operator=(const FixEngine&) = delete;

    /// One turn over all connections: accept, read, timers, callbacks, then one send per session with
    /// everything it has to say. True when something was done.
    bool poll() noexcept;

    /// Sleeps until a descriptor has news, at most `timeout_ms`.
    void wait(std::uint32_t timeout_ms) noexcept;

    /// Polls, and waits when there is nothing to do, until `stop`; then shuts down.
    void run(const std::atomic<bool>& stop) noexcept;

    /// Logs out and returns when all peers have answered or their time-outs have passed. Takes no new
    /// connections.
    void shut_down() noexcept;

    /// No connection is left.
    [[nodiscard]] bool is_quiet() const noexcept;

    [[nodiscard]] std::uint16_t port() const noexcept { return listener_->port(); }
    [[nodiscard]] std::size_t session_count() const noexcept { return slots_.size(); }
    /// To send in a handler: begin_message, commit_message, reject, logout.
    [[nodiscard]] session::FixSession& session(std::size_t index) noexcept { return *slots_[index].session; }
    /// The counters of the session's own numbers, for application identifiers that must not repeat.
    [[nodiscard]] core::SessionNumbers& numbers(std::size_t index) noexcept {
        return slots_[index].store->numbers();
    }
    /// The time of this turn.
    [[nodiscard]] session::Now now() const noexcept { return now_; }

private:
    struct Slot {
        session::SessionSettings settings;
        std::unique_ptr<store::SessionStore> store;
        std::unique_ptr<session::FixSession> session;
        std::unique_ptr<tcp::KernelTcp> link;  ///< while connected
        bool was_logged_on = false;            ///< what the handler was told
    };

    FixEngine(const EngineSettings& settings, EngineHandler& handler);

    void read_clocks() noexcept;
    bool accept_connections() noexcept;
    bool poll_pending() noexcept;
    void attach(PendingConnection& pending) noexcept;
    bool serve(std::size_t index) noexcept;
    [[nodiscard]] static std::size_t receivable(const session::FixSession& session) noexcept;
    void deliver(std::size_t index, std::span<const std::byte> bytes) noexcept;
    void flush(Slot& slot) noexcept;
    void tell_state(std::size_t index) noexcept;
    void disconnect(std::size_t index, bool is_unread) noexcept;

    EngineSettings settings_;
    EngineHandler& handler_;
    session::Now now_;
    std::unique_ptr<tcp::TcpListener> listener_;
    std::vector<Slot> slots_;
    std::vector<PendingConnection> pending_;
    std::vector<std::byte> received_;
    bool is_shutting_down_ = false;
    core::Counter accepted_;
    core::Counter strangers_;  ///< closed before they were anyone
};

}  // namespace tickpath::fix_engine
