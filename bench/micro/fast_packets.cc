#include "bench/micro/fast_packets.h"

#include <random>

namespace tickpath::bench {
namespace {

constexpr std::size_t tailroom_bytes = 256;

struct Entry {
    std::uint32_t action = 1;
    char type = '0';
    std::uint32_t security = 35'001;
    std::uint32_t sequence = 1'000;
    std::int64_t price = 2'245'050;  // at two places
    std::int64_t size = 75;
    std::uint32_t level = 1;
};

class Writer {
public:
    void unsigned_integer(std::uint64_t value) {
        unsigned groups = 1;
        while (groups < 10 && value >> (7 * groups) != 0)
            ++groups;
        write_groups(value, groups);
    }
    void signed_integer(std::int64_t value) {
        unsigned groups = 1;
        while (groups < 10 && (value >> (7 * groups - 1)) != (value < 0 ? -1 : 0))
            ++groups;
        write_groups(static_cast<std::uint64_t>(value), groups);
    }
    void nullable_signed(std::int64_t value) { signed_integer(value >= 0 ? value + 1 : value); }
    void byte(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }

    [[nodiscard]] RefreshPacket finish(std::int64_t checksum) {
        RefreshPacket packet{.buffer = bytes_, .size_bytes = bytes_.size(), .checksum = checksum};
        packet.buffer.resize(bytes_.size() + tailroom_bytes);
        return packet;
    }

private:
    void write_groups(std::uint64_t value, unsigned groups) {
        for (unsigned i = groups; i-- > 0;)
            byte(static_cast<std::uint8_t>((value >> (7 * i) & 0x7F) | (i == 0 ? 0x80 : 0)));
    }
    std::vector<std::byte> bytes_;
};

// A value goes on the wire when its bit says so: always, or when `compress` is on and the dictionary differs.
RefreshPacket write_packet(std::uint32_t sequence, std::uint64_t sending_time,
                           const std::vector<Entry>& entries, bool compress) {
    Writer out;
    out.byte(0xF0);  // identifier, MsgSeqNum, SendingTime
    out.unsigned_integer(10);
    out.unsigned_integer(sequence);
    out.unsigned_integer(sending_time);
    out.unsigned_integer(entries.size());
    std::int64_t checksum = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const Entry* const before = compress && i != 0 ? &entries[i - 1] : nullptr;
        const bool sends_action = before == nullptr || before->action != entry.action;
        const bool sends_type = before == nullptr || before->type != entry.type;
        const bool sends_security = before == nullptr || before->security != entry.security;
        const bool sends_sequence = before == nullptr || before->sequence + 1 != entry.sequence;
        const bool sends_level = !compress || entry.level != 0;
        out.byte(static_cast<std::uint8_t>(0x80 | sends_action << 6 | sends_type << 5 | sends_security << 4 |
                                           sends_sequence << 3 | sends_level << 2));
        if (sends_action) out.unsigned_integer(entry.action);
        if (sends_type) out.byte(static_cast<std::uint8_t>(entry.type | 0x80));
        if (sends_security) out.unsigned_integer(entry.security);
        if (sends_sequence) out.unsigned_integer(entry.sequence);
        out.nullable_signed(-2);
        out.signed_integer(entry.price);
        out.nullable_signed(entry.size);
        if (sends_level) out.unsigned_integer(entry.level + 1);
        checksum += entry.price * entry.size;
    }
    return out.finish(checksum);
}

std::vector<RefreshPacket> varied_packets(std::size_t count, bool compress) {
    std::mt19937_64 random(compress ? 2 : 1);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    std::vector<RefreshPacket> packets;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Entry> entries(compress ? 1 + below(16) : 10);
        auto sequence = static_cast<std::uint32_t>(1'000 + below(100'000));
        auto security = static_cast<std::uint32_t>(35'001 + below(200) * 7);
        for (Entry& entry : entries) {
            if (below(4) == 0) security = static_cast<std::uint32_t>(35'001 + below(20'000));
            sequence += below(8) == 0 ? 2 : 1;
            entry = {.action = static_cast<std::uint32_t>(below(3)),
                     .type = below(2) == 0 ? '0' : '1',
                     .security = security,
                     .sequence = sequence,
                     .price = static_cast<std::int64_t>(1'000 + below(3'000'000)),
                     .size = static_cast<std::int64_t>(1 + below(below(8) == 0 ? 100'000 : 1'000)),
                     .level = static_cast<std::uint32_t>(below(compress ? 3 : 10))};
        }
        packets.push_back(write_packet(static_cast<std::uint32_t>(123'456 + i),
                                       20'261'009'091'500'123 + i * 977, entries, compress));
    }
    return packets;
}

}  // namespace

const std::string_view refresh_template_xml = R"(<templates>
  <template name="Refresh" id="10">
    <string name="Kind"><constant value="X"/></string>
    <uInt32 name="MsgSeqNum"><increment/></uInt32>
    <uInt64 name="SendingTime"><copy/></uInt64>
    <sequence name="Entries">
      <length name="EntryCount"/>
      <uInt32 name="Action"><copy/></uInt32>
      <string name="Type"><copy/></string>
      <uInt32 name="SecurityID"><copy/></uInt32>
      <uInt32 name="RptSeq"><increment/></uInt32>
      <decimal name="Price" presence="optional"/>
      <int64 name="Size" presence="optional"/>
      <uInt32 name="Level" presence="optional"><default/></uInt32>
    </sequence>
  </template>
</templates>)";

RefreshPacket fastfix_packet() {
    std::vector<Entry> entries(10);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        entries[i].type = i % 2 == 0 ? '0' : '1';
        entries[i].sequence += i;
        entries[i].price += 5 * i;
        entries[i].size *= i + 1;
        entries[i].level += i / 2;
    }
    return write_packet(123'456, 20'261'009'091'500'123, entries, false);
}

std::vector<RefreshPacket> varied_full_packets(std::size_t count) {
    return varied_packets(count, false);
}
std::vector<RefreshPacket> varied_compressed_packets(std::size_t count) {
    return varied_packets(count, true);
}

}  // namespace tickpath::bench
