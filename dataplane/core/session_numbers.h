// The numbers of a FIX session that must survive kill -9, as cells each written by one store instruction.
// Hot: one 16-byte store per message sent and per message received.
#pragma once

#include <cstddef>
#include <cstdint>

#include <emmintrin.h>

namespace tickpath::core {

/// Two numbers below 2^48 that change together. A process dies between instructions, never inside one, and
/// the page of a shared file mapping outlives it: after kill -9 the cell holds the pair before a change or
/// the pair after it. Each word carries 16 check bits, so that a damaged file is told from a young one.
class alignas(16) DurablePair {
public:
    static constexpr std::uint64_t value_max = (std::uint64_t{1} << 48) - 1;

    [[nodiscard]] std::uint64_t first() const noexcept { return words_[0] & value_max; }
    [[nodiscard]] std::uint64_t second() const noexcept { return words_[1] & value_max; }

    /// Both values <= value_max. What follows in program order (a send) happens after the store.
    void set(std::uint64_t first, std::uint64_t second) noexcept {
        _mm_store_si128(reinterpret_cast<__m128i*>(words_),
                        _mm_set_epi64x(static_cast<long long>(sealed(second, 0xB)),
                                       static_cast<long long>(sealed(first, 0xA))));
        asm volatile("" ::: "memory");  // the compiler must not move the send before the store
    }
    void set_first(std::uint64_t value) noexcept { set(value, second()); }
    void set_second(std::uint64_t value) noexcept { set(first(), value); }

    /// False for bytes that no `set` has written, all zero among them.
    [[nodiscard]] bool is_intact() const noexcept {
        return words_[0] == sealed(first(), 0xA) && words_[1] == sealed(second(), 0xB);
    }

private:
    static constexpr std::uint64_t sealed(std::uint64_t value, std::uint64_t salt) noexcept {
        const std::uint64_t check = ((value + salt) * 0x9E37'79B9'7F4A'7C15u) >> 48;
        return (check << 48) | value;
    }

    std::uint64_t words_[2] = {};
};

/// All that is kept for one session. Lives in a mapped file (store/session_store.h), in tests in plain
/// memory. Written by the session's own thread only.
class SessionNumbers {
public:
    /// The largest number a peer may move us to, and the largest a session may start at. Both leave room for
    /// more messages than any session sends before it is started again, so that no number has to be checked
    /// when it is used.
    static constexpr std::uint64_t reset_max = std::uint64_t{1} << 46;
    static constexpr std::uint64_t start_max = std::uint64_t{1} << 47;

    /// A session that has sent and received nothing.
    void start(std::uint64_t utc_ns, std::uint64_t order_counter = 0) noexcept {
        sequence_.set(1, 1);
        set_created(utc_ns);
        orders_.set(order_counter, 0);
    }

    [[nodiscard]] std::uint64_t next_outbound() const noexcept { return sequence_.first(); }
    [[nodiscard]] std::uint64_t next_inbound() const noexcept { return sequence_.second(); }
    void set_next_outbound(std::uint64_t number) noexcept { sequence_.set_first(number); }
    void set_next_inbound(std::uint64_t number) noexcept { sequence_.set_second(number); }

    /// Both sequences at 1 and a new creation time; the order counter goes on, so that no ClOrdID repeats.
    void reset(std::uint64_t utc_ns) noexcept {
        sequence_.set(
            1, 1);  // first: killed here, the age looks old, which asks for one more reset and loses nothing
        set_created(utc_ns);
    }

    /// UTC nanoseconds since 1970 of the last reset, to the microsecond.
    [[nodiscard]] std::uint64_t created_utc_ns() const noexcept {
        return ((created_.first() << 24) | created_.second()) * 1000;
    }

    /// The next order counter; stored before it is returned. Counts from 0 over all days.
    [[nodiscard]] std::uint64_t claim_order_counter() noexcept {
        const std::uint64_t counter = orders_.first();
        orders_.set_first(counter + 1);
        return counter;
    }
    [[nodiscard]] std::uint64_t order_counter() const noexcept { return orders_.first(); }

    /// Too near the end to go on from: start_max.
    [[nodiscard]] bool is_used_up() const noexcept {
        return next_outbound() > start_max || next_inbound() > start_max;
    }
    [[nodiscard]] bool is_intact() const noexcept {
        return sequence_.is_intact() && created_.is_intact() && orders_.is_intact() && next_outbound() != 0 &&
               next_inbound() != 0;
    }

private:
    void set_created(std::uint64_t utc_ns) noexcept {
        const std::uint64_t us = utc_ns / 1000;  // microseconds need 51 bits: split over the pair
        created_.set(us >> 24, us & 0xFF'FFFFu);
    }

    DurablePair sequence_;  ///< next outbound, next expected inbound
    DurablePair created_;
    DurablePair orders_;  ///< order counter, unused
};
static_assert(sizeof(SessionNumbers) == 48);

}  // namespace tickpath::core
