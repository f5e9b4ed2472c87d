// NSE datagrams for tests of the feed path: the real message of 2020, changed field by field, on one channel
// with two sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/support/hex.h"
#include "tests/support/nse_datagram.h"

namespace tickpath::test {

inline constexpr std::uint32_t nse_a = 0xE901'0205, nse_b = 0xE901'0305;

/// Channel NSE, sources on 233.1.2.5:34331 (A) and, where asked for, 233.1.3.5:34331 (B).
[[nodiscard]] inline std::string nse_description(std::string_view interest = "all", bool has_b = false,
                                                 std::string_view segment = "fo") {
    std::string xml =
        "<feed name=\"nse\"><nse segment=\"" + std::string(segment) + "\" interest=\"" +
        std::string(interest) +
        "\"/><window line_silence_ms=\"18000\"/><learned price_places=\"2\" "
        "quantity_places=\"0\"/><channel name=\"NSE\" book=\"level\" depth=\"5\" "
        "start=\"unsynchronised\"><line role=\"incremental\" copy=\"A\" group=\"233.1.2.5:34331\"/>";
    if (has_b) xml += "<line role=\"incremental\" copy=\"B\" group=\"233.1.3.5:34331\"/>";
    return xml + "</channel></feed>";
}

[[nodiscard]] inline model::Instrument nse_instrument(std::string_view key, std::int8_t price_places = 2,
                                                      std::int8_t quantity_places = 0) {
    model::Instrument instrument;
    std::copy(key.begin(), key.end(), instrument.feed_key.begin());
    instrument.price_places = price_places;
    instrument.quantity_places = quantity_places;
    instrument.is_known = true;
    return instrument;
}

/// The real 7208 of tokens 53673 and 53682, decompressed: 478 bytes.
[[nodiscard]] inline Bytes nse_real_message() {
    Bytes message(1024);
    const auto done = lzo1z::decompress(from_hex(nse_real_block), message);
    message.resize(done.error == Errc::ok ? done.written : 0);
    return message;
}

/// Where things stand in it (spec nse-broadcast §6, FO 7208).
inline constexpr std::size_t nse_record_bytes = 214;
[[nodiscard]] constexpr std::size_t nse_record(std::size_t index) {
    return 8 + 42 + index * nse_record_bytes;
}
[[nodiscard]] constexpr std::size_t nse_level(std::size_t record, bool is_ask, std::size_t from_best) {
    return nse_record(record) + 56 + (is_ask ? 60 : 0) + 12 * from_best;
}

/// Sets one level; 0, 0 empties it.
inline void set_level(Bytes& message, std::size_t record, bool is_ask, std::size_t from_best,
                      std::int64_t price, std::int64_t quantity) {
    set_big(message, nse_level(record, is_ask, from_best), static_cast<std::uint64_t>(quantity), 4);
    set_big(message, nse_level(record, is_ask, from_best) + 4, static_cast<std::uint64_t>(price), 4);
}
inline void set_volume(Bytes& message, std::size_t record, std::uint32_t volume, char exceeded = ' ') {
    set_big(message, nse_record(record) + 8, volume, 4);
    set_big(message, nse_record(record) + 17, static_cast<std::uint8_t>(exceeded), 1);
}
inline void set_sequence(Bytes& message, std::int32_t sequence) {
    set_big(message, 8 + 14, static_cast<std::uint32_t>(sequence), 4);
}
/// TimeStamp2 of the real message, and so many units of 1/65536 seconds later.
inline void set_time(Bytes& message, std::int64_t later) {
    set_big(message, 8 + 22, NseHeader{}.time_stamp_2 + static_cast<std::uint64_t>(later), 8);
}

[[nodiscard]] inline Bytes packed(const Bytes& message) {
    Bytes block(lzo1z::max_compressed_size(message.size()));
    lzo1z::Workspace workspace;
    block.resize(lzo1z::compress(message, block, workspace).written);
    return packed_block(block);
}

/// A path with one NSE channel, and a clock.
class NseLab {
public:
    explicit NseLab(std::string description = nse_description(), std::vector<model::Instrument> known = {},
                    bool by_cycles = false)
        : bench({.description = std::move(description),
                 .templates_path = {},
                 .channel = {},
                 .known = std::move(known),
                 .by_cycles = by_cycles}) {}

    void put(const Bytes& payload, std::uint32_t address = nse_a) {
        time_ns += 1'000'000;
        bench.put(TestFrame{build_frame({.address = address, .port = 34'331, .payload = payload}), time_ns,
                            frame_number++});
    }
    /// One datagram of one compressed message.
    void put_message(const Bytes& message, std::uint32_t address = nse_a) {
        put(nse_datagram(2, 1, {packed(message)}), address);
    }
    /// Ticks since the last call.
    [[nodiscard]] std::vector<model::Tick> taken() {
        const std::vector<model::Tick> all = bench.ticks();
        const std::vector<model::Tick> fresh(all.begin() + static_cast<std::ptrdiff_t>(taken_), all.end());
        taken_ = all.size();
        return fresh;
    }
    [[nodiscard]] std::uint64_t count(std::string_view counter) const {
        return bench.count("NSE." + std::string(counter));
    }

    FeedBench bench;
    std::uint64_t time_ns = 1'600'411'263'000'000'000;
    std::uint64_t frame_number = 0;

private:
    std::size_t taken_ = 0;
};

}  // namespace tickpath::test
