// The made-up market of tick-to-order: frames with FAST messages of ten entries, encoded here and never twice
// the same, together with the orders they must lead to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "dataplane/model/frame.h"
#include "dataplane/model/instrument.h"

namespace tickpath::bench {

/// The order that a frame must cause: hit-quote sells to its best bid.
struct ExpectedOrder {
    std::uint32_t packet_sequence = 0;
    std::uint8_t entry_index = 0;  ///< of the instrument's last entry
    model::InstrumentId instrument = 0;
    std::int64_t price = 0;  ///< at price_places 2
    std::int64_t quantity = 0;
};

/// Frames lie in slots like mbufs, with head- and tailroom; each batch overwrites the one before, as a NIC's
/// ring does.
class Market {
public:
    static constexpr std::uint32_t known_count = 8;   ///< instruments that are traded
    static constexpr std::uint32_t other_count = 64;  ///< instruments that nobody asked for
    static constexpr std::uint32_t entries = 10;      ///< per packet
    static constexpr std::int64_t order_quantity_max = 50;
    static constexpr std::size_t batch_max = 2'048;         ///< packets
    static constexpr std::int64_t quiet_below = 2'245'050;  ///< 22450.50; make_quiet alone bids less

    Market();

    /// One packet for each instrument that fills its book; no orders follow.
    void make_books();
    /// The same with bids below `quiet_below`.
    void make_quiet_books();
    /// `count` packets, each of which changes all ten levels of one traded instrument.
    void make_subscribed(std::size_t count);
    /// The same, but every bid is below `quiet_below`: a seller with that limit does nothing.
    void make_quiet(std::size_t count);
    /// `count` packets with one entry of a traded instrument, its best bid, among nine of others.
    void make_noisy(std::size_t count);
    /// The same with the traded instrument's entry first.
    void make_leading(std::size_t count);

    /// Of the last batch. rx_time and rx_cycles are the caller's to stamp.
    [[nodiscard]] std::span<model::Frame> frames() noexcept { return frames_; }
    [[nodiscard]] std::span<const ExpectedOrder> expected() const noexcept { return expected_; }

    [[nodiscard]] static std::vector<model::Instrument> instruments();

private:
    struct Entry {
        std::uint32_t action = 1;
        char type = '0';
        std::uint32_t instrument = 0;  ///< index: traded ones first, then the others
        std::int64_t price = 0;
        std::int64_t quantity = 0;
        std::uint32_t level = 1;
    };
    using Entries = std::array<Entry, entries>;
    void add_noisy(std::uint8_t place);

    void fill_books(std::int64_t least_bid);
    void start_batch();
    void add_packet(const Entries& packet);
    [[nodiscard]] Entries whole_book(std::uint32_t instrument, std::uint32_t action, std::int64_t least_bid);
    [[nodiscard]] std::int64_t next_bid(std::uint32_t instrument, std::int64_t least);
    [[nodiscard]] std::int64_t quantity() { return 1 + static_cast<std::int64_t>(random_() % 100); }

    std::mt19937_64 random_{20261130};
    std::uint32_t packet_sequence_ = 0;
    std::array<std::uint32_t, known_count + other_count> instrument_sequence_{};
    std::array<std::int64_t, known_count + other_count> bid_{};
    std::vector<std::byte> slots_;
    std::vector<model::Frame> frames_;
    std::vector<ExpectedOrder> expected_;
};

}  // namespace tickpath::bench
