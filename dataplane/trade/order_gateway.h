// Turns an accepted intent into FIX bytes on the link. Hot: send, once per order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/core/session_numbers.h"
#include "dataplane/model/instrument.h"
#include "dataplane/model/order.h"
#include "dataplane/model/order_link.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/order_id.h"
#include "dataplane/trade/order_ledger.h"
#include "dataplane/trade/refusal.h"
#include "dataplane/trade/trade_settings.h"
#include "decoders/base/diagnostics.h"
#include "decoders/fix/message_template.h"

namespace tickpath::trade {

/// The prepared orders: one message per symbol length (a changed length would be laid out anew), one set of
/// constants per instrument.
class PreparedOrders {
public:
    /// An instrument whose symbol or scales cannot be written is an error under `file` and `line`.
    PreparedOrders(const fix::OrderTemplate& order, const fix::TemplateIdentity& identity,
                   std::span<const model::Instrument> instruments, std::string_view file, std::uint32_t line,
                   Diagnostics& diagnostics);

    [[nodiscard]] std::span<const std::byte> patch(model::InstrumentId instrument,
                                                   const fix::OrderPatch& values) noexcept {
        const Prepared& prepared = prepared_[instrument];
        return messages_[prepared.message_index].patch(prepared.constants, values);
    }

private:
    struct Prepared {
        fix::TemplateInstrument constants;
        std::uint32_t message_index = 0;
    };
    std::vector<Prepared> prepared_;
    std::vector<fix::MessageTemplate> messages_;
};

/// What an order's ClOrdID says about its cause; see order_id.h.
struct OrderCause {
    std::uint8_t line = 0;
    std::uint8_t message_index = 0;
    std::uint16_t entry_index = 0;
    std::uint32_t packet_sequence = 0;
};

/// What became of an intent that risk let pass.
struct SendResult {
    Refusal refusal = Refusal::none;
    std::uint64_t ready_cycles = 0;  ///< when the bytes were complete, before the link took them
    OrderId id{};
};

/// Sends orders on one session. Everything that may refuse an order is asked before its numbers are taken: a
/// taken MsgSeqNum that is not sent is a gap for the peer (spec/fix-session.md §6 rule O).
template <model::OrderLink Link>
class OrderGateway {
public:
    /// `session` and `numbers` are null without a session: then only shadow orders are possible. `clock` is
    /// its owner's, who anchors its UTC.
    OrderGateway(OrderMode mode, PreparedOrders prepared, session::FixSession* session,
                 core::SessionNumbers* numbers, Link& link, OrderLedger& ledger,
                 const core::CycleClock& clock) noexcept
        : mode_(mode),
          prepared_(std::move(prepared)),
          session_(session),
          numbers_(numbers),
          link_(link),
          ledger_(ledger),
          clock_(clock) {
        if (numbers == nullptr) return;
        shadow_counter_ = numbers->order_counter();
        shadow_number_ = numbers->next_outbound();
    }

    /// Shadow orders need no session.
    [[nodiscard]] bool session_ready() const noexcept {
        return mode_ == OrderMode::shadow || (session_ != nullptr && session_->ready());
    }

    /// Requires session_ready.
    [[nodiscard]] SendResult send(const model::OrderIntent& intent, const OrderCause& cause,
                                  std::uint64_t now_cycles) noexcept {
        if (mode_ == OrderMode::shadow) [[unlikely]]
            return prepare_shadow(intent, cause, now_cycles);
        if (link_.state() != model::LinkState::up || link_.backlog_bytes() != 0) [[unlikely]]
            return {.refusal = Refusal::link_not_ready};
        if (const Refusal refusal = find_room(); refusal != Refusal::none) [[unlikely]]
            return {.refusal = refusal};

        const OrderId id = id_of(cause, numbers_->claim_order_counter());
        const std::uint64_t number = session_->claim_outbound_number();
        const std::uint64_t utc_ns = clock_.to_realtime_ns(now_cycles);
        const std::span<const std::byte> bytes = patch(intent, id, number, utc_ns);
        const std::uint64_t ready_cycles = core::cycles_now();
        if (!link_.send(bytes)) [[unlikely]]
            return give_up_link();
        ledger_.sent(intent, id.counter, number);
        session_->note_sent({.monotonic_ns = clock_.to_ns(now_cycles), .utc_ns = utc_ns});
        return {.refusal = Refusal::none, .ready_cycles = ready_cycles, .id = id};
    }

    /// The bytes the next order would have; takes no number. For warming.
    [[nodiscard]] std::span<const std::byte> rehearse(const model::OrderIntent& intent,
                                                      std::uint64_t now_cycles) noexcept {
        const bool has_numbers = numbers_ != nullptr && mode_ == OrderMode::live;
        const std::uint64_t counter = has_numbers ? numbers_->order_counter() : shadow_counter_;
        const std::uint64_t number = has_numbers ? numbers_->next_outbound() : shadow_number_;
        return patch(intent, id_of({}, counter), number, clock_.to_realtime_ns(now_cycles));
    }

private:
    // The number is a gap now. On this connection the peer would ask for it and drop, by our gap fill, every
    // order sent behind it; at the next Logon it is filled before any order.
    [[gnu::cold, gnu::noinline]] SendResult give_up_link() noexcept {
        link_.close(false);
        return {.refusal = Refusal::link_refused};
    }

    // Orders whose slot is still held by an older open one skip that counter: an unused ClOrdID does no harm.
    [[nodiscard]] Refusal find_room() noexcept {
        const std::uint64_t counter = numbers_->order_counter();
        if (counter > order_counter_max) [[unlikely]]
            return Refusal::ids_exhausted;
        if (ledger_.has_room(static_cast<std::uint32_t>(counter))) [[likely]]
            return Refusal::none;
        return skip_to_room(counter);
    }
    [[gnu::cold, gnu::noinline]] Refusal skip_to_room(std::uint64_t counter) noexcept {
        std::uint64_t free = counter;
        while (!ledger_.has_room(static_cast<std::uint32_t>(free)))
            if (++free - counter == ledger_.orders_max()) return Refusal::order_table_full;
        if (free > order_counter_max) return Refusal::ids_exhausted;
        for (; counter != free; ++counter)
            (void)numbers_->claim_order_counter();
        return Refusal::none;
    }

    [[gnu::cold, gnu::noinline]] SendResult prepare_shadow(const model::OrderIntent& intent,
                                                           const OrderCause& cause,
                                                           std::uint64_t now_cycles) noexcept {
        const OrderId id = id_of(cause, shadow_counter_++ & order_counter_max);
        (void)patch(intent, id, shadow_number_++, clock_.to_realtime_ns(now_cycles));
        const std::uint64_t ready_cycles = core::cycles_now();
        ledger_.assumed_filled(intent);
        return {.refusal = Refusal::none, .ready_cycles = ready_cycles, .id = id};
    }

    [[nodiscard]] static OrderId id_of(const OrderCause& cause, std::uint64_t counter) noexcept {
        return {.line = cause.line,
                .packet_sequence = cause.packet_sequence,
                .message_index = cause.message_index,
                .entry_index = static_cast<std::uint8_t>(std::min<std::uint16_t>(cause.entry_index, 0xFF)),
                .counter = static_cast<std::uint32_t>(counter)};
    }

    [[nodiscard]] std::span<const std::byte> patch(const model::OrderIntent& intent, const OrderId& id,
                                                   std::uint64_t number, std::uint64_t utc_ns) noexcept {
        const bool is_ioc = intent.time_in_force == model::TimeInForce::immediate_or_cancel;
        return prepared_.patch(intent.instrument, {.sequence_number = number,
                                                   .sending_time_ns = utc_ns,
                                                   .transact_time_ns = utc_ns,
                                                   .cl_ord_id = encode(id),
                                                   .price = intent.price,
                                                   .quantity = intent.quantity,
                                                   .side = intent.side == model::OrderSide::buy ? '1' : '2',
                                                   .ord_type = '2',
                                                   .time_in_force = is_ioc ? '3' : '0'});
    }

    OrderMode mode_;
    PreparedOrders prepared_;
    session::FixSession* session_;
    core::SessionNumbers* numbers_;
    Link& link_;
    OrderLedger& ledger_;
    const core::CycleClock& clock_;
    std::uint64_t shadow_counter_ = 0;
    std::uint64_t shadow_number_ = 1;
};

}  // namespace tickpath::trade
