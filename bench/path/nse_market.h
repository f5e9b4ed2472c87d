// The made-up NSE market of tick-to-order: frames with one 7208 message each, of two tokens, and the orders
// they must lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bench/path/market.h"
#include "control/capture/nse_traffic.h"
#include "dataplane/model/frame.h"
#include "dataplane/model/instrument.h"

namespace tickpath::bench {

/// Tokens from first_token on; the first known_count of them are traded. Frames lie in slots like mbufs, and
/// each batch overwrites the one before.
class NseMarket {
public:
    static constexpr std::uint32_t first_token = 35'001;
    static constexpr std::uint32_t known_count = Market::known_count;
    static constexpr std::uint32_t default_token_count = known_count + Market::other_count;
    static constexpr std::size_t batch_max = Market::batch_max;

    explicit NseMarket(std::uint32_t token_count = default_token_count, std::uint64_t seed = 1);

    /// One packet for each two tokens.
    void make_books();
    /// `count` packets, each with all ten levels of one traded token changed, and of one nobody asked for.
    void make_subscribed(std::size_t count);
    /// `count` packets with two tokens that nobody asked for.
    void make_others(std::size_t count);

    /// Of the last batch. rx_time and rx_cycles are the caller's to stamp.
    [[nodiscard]] std::span<model::Frame> frames() noexcept { return frames_; }
    [[nodiscard]] std::span<const ExpectedOrder> expected() const noexcept { return expected_; }
    /// The block inside each frame of the last batch.
    [[nodiscard]] std::span<const std::span<const std::byte>> blocks() const noexcept { return blocks_; }

    [[nodiscard]] static std::vector<model::Instrument> instruments();
    [[nodiscard]] std::uint32_t token_count() const noexcept { return token_count_; }

private:
    void start_batch();
    void add_packet(std::uint32_t first, std::uint32_t second);
    [[nodiscard]] std::uint32_t other_token();

    std::uint32_t token_count_;
    Diagnostics diagnostics_;
    capture::NseTraffic traffic_;
    std::mt19937_64 random_;
    std::uint64_t frame_number_ = 0;
    std::vector<std::byte> slots_;
    std::vector<model::Frame> frames_;
    std::vector<std::span<const std::byte>> blocks_;
    std::vector<ExpectedOrder> expected_;
};

}  // namespace tickpath::bench
