// A made-up feed with its own encoder: for what no capture shows. Without operators, so that a message is its
// fields one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/packet_builder.h"

namespace tickpath::test {

inline constexpr std::string_view lab_templates =
    R"(<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
<template name="X" id="1"><uInt32 name="Seq"/>
  <sequence name="Entries"><length name="No"/>
    <uInt32 name="Action"/> <string name="Type"/> <string name="Symbol"/> <uInt32 name="Rpt"/> <uInt32 name="Level"/>
    <decimal name="Px" presence="optional"/> <int64 name="Qty" presence="optional"/>
  </sequence>
</template>
<template name="W" id="2">
  <uInt32 name="Seq"/> <string name="Symbol"/> <uInt32 name="Rpt"/> <uInt32 name="Last"/> <uInt32 name="First"/> <uInt32 name="Final"/>
  <sequence name="Entries"><length name="No"/>
    <string name="Type"/> <uInt32 name="Level"/> <decimal name="Px"/> <int64 name="Qty"/>
  </sequence>
</template>
<template name="Restart" id="3"><uInt32 name="Seq"/><uInt32 name="Next"/></template>
<template name="Heartbeat" id="4"><uInt32 name="Seq"/></template>
</templates>)";

/// One channel LAB: incremental on 239.1.1.1:9000 (A) and 239.1.2.1:9000 (B), snapshots on 239.1.1.2:9000.
/// Packet numbers stand in a big-endian preamble.
inline constexpr std::string_view lab_description = R"(<feed name="lab">
<framing preamble_bytes="4" sequence_bytes="4" sequence_order="big" messages="many"/>
<fast reset="datagram"/>
<numbering source="preamble"/>
<instrument_numbering contiguous="yes"/>
<window packets="8" time_us="1000"/>
<learned price_places="2" quantity_places="0"/>
<message kind="incremental" templates="X" entries="Entries" number="Seq" key="Symbol" instrument_sequence="Rpt" price="Px" quantity="Qty" level="Level">
  <action field="Action" add="0" change="1" remove="2"/>
  <type field="Type" bid="0" ask="1" trade="2" empty_book="J"/>
</message>
<message kind="snapshot" templates="W" entries="Entries" key="Symbol" instrument_sequence="Rpt" last_number_processed="Last"
         fragment_first="First" fragment_last="Final" price="Px" quantity="Qty" level="Level">
  <type field="Type" bid="0" ask="1"/>
</message>
<message kind="restart" templates="Restart" next_number="Next"/>
<channel name="LAB" book="level" depth="5" start="unsynchronised">
  <line role="incremental" copy="A" group="239.1.1.1:9000"/>
  <line role="incremental" copy="B" group="239.1.2.1:9000"/>
  <line role="snapshot" copy="A" group="239.1.1.2:9000"/>
</channel>
</feed>)";

inline constexpr std::uint32_t lab_a = 0xEF01'0101, lab_b = 0xEF01'0201, lab_snapshot = 0xEF01'0102;

struct LabEntry {
    std::uint32_t action = 0;
    std::string_view type = "0";
    std::string symbol = "S";
    std::uint32_t sequence = 1;
    std::uint32_t level = 1;
    std::int64_t price = 100;  ///< exponent `exponent`
    std::int32_t exponent = -2;
    std::int64_t quantity = 5;
    bool has_price = true;
};

struct LabSnapshot {
    std::string symbol = "S";
    std::uint32_t sequence = 1;
    std::uint32_t last_processed = 1;
    bool is_first = true;
    bool is_last = true;
    std::vector<LabEntry> entries{};
};

/// A datagram of the lab feed. FAST 1.1 §10.6: stop-bit integers, optional ones one higher.
class LabDatagram {
public:
    explicit LabDatagram(std::uint32_t number) : number_(number) { detail::put32(bytes_, number); }

    LabDatagram& incremental(const std::vector<LabEntry>& entries) {
        begin(1);
        put(static_cast<std::int64_t>(entries.size()), false);
        for (const LabEntry& entry : entries) {
            put(entry.action, false);
            put(entry.type);
            put(entry.symbol);
            put(entry.sequence, false);
            put(entry.level, false);
            if (entry.has_price) {
                put(entry.exponent + (entry.exponent >= 0 ? 1 : 0), true);
                put(entry.price, true);
            } else {
                put(std::int64_t{0}, true);
            }
            put(entry.quantity + (entry.quantity >= 0 ? 1 : 0), true);
        }
        return *this;
    }
    LabDatagram& snapshot(const LabSnapshot& snapshot) {
        begin(2);
        put(snapshot.symbol);
        for (const std::int64_t field :
             {std::int64_t{snapshot.sequence}, std::int64_t{snapshot.last_processed},
              std::int64_t{snapshot.is_first}, std::int64_t{snapshot.is_last},
              static_cast<std::int64_t>(snapshot.entries.size())})
            put(field, false);
        for (const LabEntry& entry : snapshot.entries) {
            put(entry.type);
            put(entry.level, false);
            put(entry.exponent, true);
            put(entry.price, true);
            put(entry.quantity, true);
        }
        return *this;
    }
    LabDatagram& restart(std::uint32_t next_number) {
        begin(3);
        put(next_number, false);
        return *this;
    }
    LabDatagram& heartbeat() {
        begin(4);
        return *this;
    }
    /// The identifier alone of a template that is not in the file.
    LabDatagram& reset(std::uint32_t template_id) {
        bytes_.push_back(std::byte{0xC0});
        put(template_id, false);
        return *this;
    }
    /// Makes Seq inside differ from the preamble's number.
    LabDatagram& lying_number(std::uint32_t number) {
        number_ = number;
        return *this;
    }

    /// Without the preamble.
    [[nodiscard]] Bytes messages() const { return {bytes_.begin() + 4, bytes_.end()}; }
    /// `cut_bytes` are missing at its end.
    [[nodiscard]] Bytes on(std::uint32_t group, std::size_t cut_bytes = 0) const {
        const Bytes payload(bytes_.begin(), bytes_.end() - static_cast<std::ptrdiff_t>(cut_bytes));
        return build_frame({.address = group, .port = 9000, .payload = payload});
    }

private:
    void begin(std::uint32_t template_id) {
        bytes_.push_back(std::byte{0xC0});  // the template identifier follows
        put(template_id, false);
        put(number_, false);
    }
    void put(std::string_view text) {
        for (std::size_t i = 0; i < text.size(); ++i)
            bytes_.push_back(static_cast<std::byte>(text[i] | (i + 1 == text.size() ? 0x80 : 0)));
    }
    /// Seven bits a byte, the last with its top bit set; a signed number's first byte tells the sign in
    /// bit 6.
    void put(std::int64_t value, bool is_signed) {
        std::vector<std::uint8_t> groups = {static_cast<std::uint8_t>((value & 0x7F) | 0x80)};
        std::int64_t rest = value >> 7;
        const auto is_done = [&] {
            if (!is_signed) return rest == 0;
            const bool sign_shown = (groups.back() & 0x40) != 0;
            return (rest == 0 && !sign_shown) || (rest == -1 && sign_shown);
        };
        for (; !is_done(); rest >>= 7)
            groups.push_back(static_cast<std::uint8_t>(rest & 0x7F));
        for (auto group = groups.rbegin(); group != groups.rend(); ++group)
            bytes_.push_back(static_cast<std::byte>(*group));
    }

    Bytes bytes_;
    std::uint32_t number_;
};

}  // namespace tickpath::test
