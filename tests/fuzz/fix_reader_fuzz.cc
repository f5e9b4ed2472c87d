// Fuzzes the FIX reader: any bytes as a stream give the same messages and garbled events however they are
// split, every answer consumes or asks for more, and every index entry lies inside its message. Input: one
// byte with the size of the pieces, then the stream.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "decoders/fix/reader.h"

namespace {

using namespace tickpath;

void require(bool holds) {
    if (!holds) std::abort();
}

void check_index(const fix::Message& message) {
    require(message.fields().size() >= 3 && message.fields()[2].tag == fix::tag::msg_type);
    for (const fix::Field& field : message.fields()) {
        require(field.tag != 0 && std::size_t{field.offset} + field.length < message.bytes().size());
        const std::string_view value = message.value(field);
        static_cast<void>(fix::parse_unsigned(value));
        static_cast<void>(fix::parse_signed(value));
        static_cast<void>(fix::parse_decimal(value));
        static_cast<void>(fix::parse_utc_timestamp(value));
    }
}

/// Everything the stream gives, read at most `piece` bytes at a time.
std::string events_of(std::string_view stream, std::size_t piece) {
    fix::Reader reader({.message_bytes_max = 2'048, .fields_max = 64});
    std::string events;
    std::size_t at = 0;
    for (std::size_t arrived = 0; arrived < stream.size();) {
        arrived = std::min(stream.size(), arrived + piece);
        for (;;) {
            const fix::ScanResult found = reader.read(std::span(stream.data() + at, arrived - at));
            require(found.bytes <= arrived - at);
            if (found.scan == fix::Scan::incomplete) break;
            if (found.scan == fix::Scan::overlong) return events + 'o';
            require(found.bytes != 0);
            at += found.bytes;
            if (found.scan == fix::Scan::garbled) events += 'g';
            if (found.scan != fix::Scan::message) continue;
            check_index(reader.message());
            events += 'm' + std::string(reader.message().bytes());
            if (reader.fault().is_present)
                events += std::to_string(reader.fault().reason) + std::string(reader.fault().tag);
        }
    }
    return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Within the message limit: beyond it what waits for a trailer is given up, which may come sooner or
    // later.
    if (size < 2 || size > 2'000) return 0;
    const std::string stream(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::string whole = events_of(stream, stream.size());
    require(events_of(stream, data[0] % 64 + 1u) == whole);
    require(events_of(stream, 1) == whole);
    return 0;
}
