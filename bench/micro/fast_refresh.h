// Decodes the packets of fast_packets.h in each of the ways that are compared, down to the checksum of every
// price and size. One copy for the timed benches and the instruction counts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bench/micro/fast_floor.h"
#include "bench/micro/fast_packets.h"
#include "decoders/fast/decoder.h"

namespace tickpath::bench {

enum class Tier : std::uint8_t { runtime, generated };

/// Templates of refresh_template_xml, with generated decoders or without. Ends the program when the build has
/// none that fit.
[[nodiscard]] std::shared_ptr<const fast::Templates> refresh_templates(Tier tier);

class RefreshReader {
public:
    explicit RefreshReader(Tier tier) : RefreshReader(refresh_templates(tier)) {}
    /// Readers on several threads share one set.
    explicit RefreshReader(std::shared_ptr<const fast::Templates> templates)
        : decoder_(std::move(templates), {.reset = fast::ResetRule::datagram}) {
        const fast::Template& tmpl = decoder_.templates().all().front();
        entries_ = *tmpl.field("Entries");
        price_ = *tmpl.field("Entries/Price");
        size_ = *tmpl.field("Entries/Size");
    }

    [[nodiscard]] std::int64_t checksum(const RefreshPacket& packet) noexcept {
        const std::span<const std::byte> bytes(packet.buffer.data(), packet.size_bytes);
        decoder_.begin(bytes, packet.buffer.size() - packet.size_bytes);
        std::int64_t sum = 0;
        while (decoder_.next())
            for (const fast::Row entry : decoder_.message().root().rows(entries_))
                sum += entry.decimal(price_).mantissa * entry.i64(size_);
        return sum;
    }

private:
    fast::Decoder decoder_;
    fast::FieldRef entries_;
    fast::FieldRef price_;
    fast::FieldRef size_;
};

class FloorReader {
public:
    [[nodiscard]] std::int64_t checksum(const RefreshPacket& packet) noexcept {
        if (!decoder_.decode({packet.buffer.data(), packet.size_bytes})) return 0;
        std::int64_t sum = 0;
        for (const FloorEntry& entry : decoder_.entries())
            sum += (entry.has_price ? entry.price : 0) * (entry.has_size ? entry.size : 0);
        return sum;
    }

private:
    FloorDecoder decoder_;
};

}  // namespace tickpath::bench
