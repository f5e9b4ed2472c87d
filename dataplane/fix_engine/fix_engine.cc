#include "dataplane/fix_engine/fix_engine.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <poll.h>

#include "decoders/fix/tags.h"

namespace tickpath::fix_engine {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::size_t receive_bytes = 16 * 1024;
constexpr std::uint32_t idle_wait_ms =
    10;  // timers are due within it (spec/fix-session.md §4.6: at most 100)
constexpr std::size_t polled_max = 1024;

[[nodiscard]] std::uint64_t clock_ns(clockid_t clock) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::unique_ptr<FixEngine> FixEngine::open(const EngineSettings& settings, EngineHandler& handler,
                                           core::CounterPage& counters,
                                           std::vector<std::string>& error_texts) {
    std::unique_ptr<FixEngine> engine(new FixEngine(settings, handler));
    const std::size_t errors_before = error_texts.size();
    std::string error_text;
    auto listener = tcp::TcpListener::open(settings.listen, error_text);
    if (listener)
        engine->listener_ = std::make_unique<tcp::TcpListener>(std::move(*listener));
    else
        error_texts.push_back(error_text);
    for (const session::SessionSettings& wanted : settings.sessions) {
        Slot slot{.settings = wanted, .store = {}, .session = {}, .link = {}};
        slot.settings.role = session::Role::acceptor;
        slot.store = store::SessionStore::open(
            settings.store_directory,
            {.begin_string = wanted.begin_string, .sender = wanted.sender, .target = wanted.target},
            engine->now_.utc_ns, error_text);
        if (!slot.store) {
            error_texts.push_back(error_text);
            continue;
        }
        const std::string owner = "session." + wanted.sender + '-' + wanted.target;
        slot.session = std::make_unique<session::FixSession>(slot.settings, slot.store->numbers(),
                                                             session::SessionCounters(counters, owner));
        engine->slots_.push_back(std::move(slot));
    }
    engine->accepted_ = counters.add("engine", "connections");
    engine->strangers_ = counters.add("engine", "strangers");
    return error_texts.size() == errors_before ? std::move(engine) : nullptr;
}

FixEngine::FixEngine(const EngineSettings& settings, EngineHandler& handler)
    : settings_(settings), handler_(handler), received_(receive_bytes) {
    pending_.reserve(settings.pending_max);
    read_clocks();
}

FixEngine::~FixEngine() = default;

bool FixEngine::poll() noexcept {
    read_clocks();
    bool has_worked = !is_shutting_down_ && accept_connections();
    has_worked |= poll_pending();
    for (std::size_t index = 0; index < slots_.size(); ++index)
        if (slots_[index].link) has_worked |= serve(index);
    return has_worked;
}

void FixEngine::run(const std::atomic<bool>& stop) noexcept {
    while (!stop.load(std::memory_order_relaxed))
        if (!poll()) wait(idle_wait_ms);
    shut_down();
}

void FixEngine::shut_down() noexcept {
    read_clocks();
    is_shutting_down_ = true;
    pending_.clear();
    for (Slot& slot : slots_)
        if (slot.link) slot.session->logout({}, now_);
    while (!is_quiet())  // bounded by the sessions' Logout time-outs
        if (!poll()) wait(idle_wait_ms);
}

void FixEngine::wait(std::uint32_t timeout_ms) noexcept {
    std::array<pollfd, polled_max> polled;
    std::size_t count = 0;
    const auto add = [&](int descriptor, short events) {
        if (count < polled.size()) polled[count++] = {.fd = descriptor, .events = events, .revents = 0};
    };
    if (!is_shutting_down_) add(listener_->descriptor(), POLLIN);
    for (const PendingConnection& pending : pending_)
        add(pending.descriptor(), POLLIN);
    for (const Slot& slot : slots_) {
        if (!slot.link) continue;
        // What will not be read must not wake: a peer that sends and does not read would keep a core busy.
        const int in = receivable(*slot.session) != 0 ? POLLIN : 0;
        const int out = slot.link->backlog_bytes() != 0 ? POLLOUT : 0;
        add(slot.link->descriptor(), static_cast<short>(in | out));
    }
    ::poll(polled.data(), count, static_cast<int>(timeout_ms));
}

bool FixEngine::is_quiet() const noexcept {
    return std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.link != nullptr; });
}

void FixEngine::read_clocks() noexcept {
    now_ = {.monotonic_ns = clock_ns(CLOCK_MONOTONIC), .utc_ns = clock_ns(CLOCK_REALTIME)};
}

/// At most one a turn: a flood of connects must not starve the sessions.
bool FixEngine::accept_connections() noexcept {
    const auto accepted = listener_->accept();
    if (!accepted) return false;
    accepted_.add();
    auto link = std::make_unique<tcp::KernelTcp>(accepted->descriptor, accepted->peer, settings_.link);
    // The oldest has had the most time to say who it is: idle connections must not lock a session out.
    if (pending_.size() == settings_.pending_max) {
        strangers_.add();
        pending_.erase(pending_.begin());
    }
    pending_.emplace_back(std::move(link), settings_.first_message_bytes_max,
                          now_.monotonic_ns + settings_.logon_timeout_ms * ns_per_ms);
    return true;
}

bool FixEngine::poll_pending() noexcept {
    bool has_worked = false;
    for (std::size_t i = 0; i < pending_.size();) {
        const PendingConnection::Step step = pending_[i].poll(now_.monotonic_ns);
        if (step == PendingConnection::Step::wait) {
            ++i;
            continue;
        }
        has_worked = true;
        if (step == PendingConnection::Step::ready)
            attach(pending_[i]);
        else
            strangers_.add();
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return has_worked;
}

/// Finds the session of a first message and gives it the connection. Unknown ones, and a second connection of
/// a session that is up, are closed without a word; the first connection goes on undisturbed (§2).
void FixEngine::attach(PendingConnection& pending) noexcept {
    const fix::Message& message = pending.message();
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& candidate) {
        return message.begin_string() == candidate.settings.begin_string &&
               message.text(fix::tag::sender_comp_id) == candidate.settings.target &&
               message.text(fix::tag::target_comp_id) == candidate.settings.sender;
    });
    if (slot == slots_.end() || slot->link) {
        strangers_.add();
        return;
    }
    slot->link = pending.take_link();
    slot->session->on_link_up(now_);
    const auto index = static_cast<std::size_t>(slot - slots_.begin());
    deliver(index, pending.bytes());
    tell_state(index);
    flush(*slot);
}

bool FixEngine::serve(std::size_t index) noexcept {
    Slot& slot = slots_[index];
    slot.link->poll(now_.monotonic_ns);
    const std::size_t received = slot.link->receive(std::span(received_).first(receivable(*slot.session)));
    if (received != 0) deliver(index, std::span(received_).first(received));
    slot.session->on_timer(now_);
    tell_state(index);
    flush(slot);
    const bool is_flushed = slot.session->output().empty() && slot.link->backlog_bytes() == 0;
    const bool is_down = slot.link->state() == model::LinkState::down;
    if (is_down || slot.session->must_close(now_, is_flushed)) disconnect(index, !is_down && !is_flushed);
    return received != 0;
}

/// A quarter of the free output: answers are up to three times as long as what they answer (an order, its two
/// reports). Nothing when less than half is free: a few bytes may complete a message whose answer is long.
std::size_t FixEngine::receivable(const session::FixSession& session) noexcept {
    if (!session.is_connected()) return 0;
    const std::size_t output_bytes = session.settings().output_bytes;
    const std::size_t free_bytes = output_bytes - session.output().size();
    return free_bytes * 2 < output_bytes ? 0 : std::min(receive_bytes, free_bytes / 4);
}

void FixEngine::deliver(std::size_t index, std::span<const std::byte> bytes) noexcept {
    struct Forward {
        FixEngine& engine;
        std::size_t index;
        void on_message(const fix::Message& message, bool poss_dup) noexcept {
            engine.tell_state(index);  // the Logon may have come with the same bytes
            engine.handler_.on_message(index, message, poss_dup);
        }
    } forward{*this, index};
    slots_[index].session->on_bytes(bytes, now_, forward);
}

/// In pieces that a link can keep when its socket is full; what it has no room for waits for the next turn.
void FixEngine::flush(Slot& slot) noexcept {
    while (!slot.session->output().empty()) {
        const auto output = slot.session->output();
        const auto piece = output.first(std::min(output.size(), settings_.link.backlog_bytes));
        if (!slot.link->send(piece)) return;
        slot.session->output_taken(piece.size());
    }
}

void FixEngine::tell_state(std::size_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.was_logged_on || !slot.session->is_logged_on()) return;
    slot.was_logged_on = true;
    handler_.on_logon(index);
}

/// `is_unread`: the peer had its time and has not taken what was sent to it. Then it is not read from either,
/// and the session takes it for silent.
void FixEngine::disconnect(std::size_t index, bool is_unread) noexcept {
    Slot& slot = slots_[index];
    // A link that broke says why; a session that wanted to end knows better.
    std::array<char, 192> reason{};
    std::string_view text = slot.session->reason().empty() ? slot.link->error_text() : slot.session->reason();
    if (is_unread) text = "the peer does not read what we send";
    text.copy(reason.data(), reason.size() - 1);
    slot.link.reset();
    slot.session->on_link_down(now_);
    if (std::exchange(slot.was_logged_on, false)) handler_.on_logout(index, reason.data());
}

}  // namespace tickpath::fix_engine
