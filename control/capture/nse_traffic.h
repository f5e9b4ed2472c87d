// Makes NSE broadcast traffic up: books that walk at random, in the layouts of the program, compressed as the
// exchange does. The same settings give the same bytes. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/framing/nse_layout.h"
#include "decoders/lzo1z/compress.h"

namespace tickpath::capture {

struct NseTrafficSettings {
    framing::nse::Segment segment = framing::nse::Segment::fo;  ///< fo or cm
    std::uint32_t first_token = 35'001;
    std::uint32_t token_count = 1'000;
    double datagrams_per_second = 400;                   ///< on average; arrivals are random
    std::uint64_t start_ns = 1'790'307'000'000'000'000;  ///< 2026-09-25 03:30 UTC: 9:00 in India
    std::uint64_t seed = 1;
    bool has_other_messages = true;  ///< tickers, indices and control messages among the books
    std::int64_t base_bid = 0;       ///< where every book begins, in paise; 0: each somewhere else
};

/// One book's best side, as it was sent last.
struct NseQuote {
    std::int64_t price = 0;  ///< in paise
    std::int64_t quantity = 0;
    friend bool operator==(const NseQuote&, const NseQuote&) = default;
};

class NseTraffic {
public:
    /// What is wrong with the layouts is in `diagnostics`; then the object must not be used.
    NseTraffic(const NseTrafficSettings& settings, Diagnostics& diagnostics);

    /// Makes the next datagram: one to five messages, at most 512 bytes unless it is a single longer one.
    /// Valid until the next call.
    [[nodiscard]] std::span<const std::byte> next();
    /// When it was sent.
    [[nodiscard]] std::uint64_t time_ns() const noexcept { return time_ns_; }

    /// For those who want no `next` besides: a datagram of one 7208 message with books of exactly these
    /// tokens, at most two, both changed in every level. Valid until the next call.
    [[nodiscard]] std::span<const std::byte> books_of(std::span<const std::uint32_t> tokens);
    /// The block of the newest 7208, for those who measure decompression alone.
    [[nodiscard]] std::span<const std::byte> newest_block() const noexcept { return block_; }
    [[nodiscard]] NseQuote best_bid(std::uint32_t token) const;

private:
    struct Book {
        std::int64_t bid = 0;  ///< best, in paise
        std::int64_t volume = 0;
        std::int64_t last_price = 0;
        std::int64_t best_quantity = 0;
        std::int64_t open_interest = 0;
    };
    using Bytes = std::vector<std::byte>;

    [[nodiscard]] Book& book(std::uint32_t token) { return books_[token - settings_.first_token]; }
    void advance_time();
    void start(const framing::nse::Layout& layout);
    void make_books(std::span<const std::uint32_t> tokens);
    void make_book(std::byte* record, std::uint32_t token);
    void make_tickers();
    void make_indices();
    void make_control(std::int16_t transcode);
    void finish_message(bool is_compressed);
    void begin_datagram();
    void pack();
    void make_any();
    [[nodiscard]] std::uint32_t any_token();
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    [[nodiscard]] const framing::nse::Layout* layout_of(std::int16_t transcode) const noexcept;

    NseTrafficSettings settings_;
    framing::nse::Layouts layouts_;
    const framing::nse::Layout* book_layout_ = nullptr;
    std::mt19937_64 random_;
    std::uint64_t time_ns_;
    std::vector<Book> books_;
    std::vector<std::int32_t> sequences_;  ///< by index of the layout
    Bytes message_;                        ///< the one being made
    Bytes block_;                          ///< the newest that was compressed
    Bytes packed_;                         ///< a message that waits for room in a datagram; empty: none
    Bytes payload_;
    std::uint16_t message_count_ = 0;
    bool has_opened_ = false;
    lzo1z::Workspace workspace_;
};

}  // namespace tickpath::capture
