// Finds FIX messages in a byte stream and indexes their fields in one pass, BodyLength and CheckSum verified.
// Hot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoders/fix/message.h"

namespace tickpath::fix {

struct ReaderLimits {
    std::uint32_t message_bytes_max = 64 * 1024;
    std::uint32_t fields_max = 1024;
};

/// What stands at the start of the buffer.
enum class Scan : std::uint8_t {
    message,     ///< one sound message
    incomplete,  ///< too early to tell; read more
    garbled,     ///< bytes to be dropped in silence; counts once (spec/fix-session.md §1.5)
    skipped,     ///< more bytes of what was garbled: the next message has not started yet
    overlong,    ///< BodyLength is over the limit: where the next message starts is lost, only closing helps
};

struct ScanResult {
    Scan scan = Scan::incomplete;
    std::size_t bytes = 0;  ///< to consume: of the message, or of what is dropped; 0 for the others
};

/// Session reject reasons (373) that show while indexing, before any dictionary.
struct Fault {
    std::uint32_t reason = 0;  ///< 373
    std::string_view tag;  ///< 371 as it stood on the wire: may be "0" or "-1"; empty: no one tag is to blame
    bool is_present = false;
};

/// One per connection at a time. Any split of a stream gives the same messages and the same garbled events.
/// No allocation after construction.
class Reader {
public:
    explicit Reader(const ReaderLimits& limits = {});

    /// Forgets what was garbled: a new connection starts.
    void reset() noexcept { is_skipping_ = false; }

    /// Looks at the start of `buffer`. After `message`, message() and fault() are about it until the next
    /// call.
    [[nodiscard]] ScanResult read(std::span<const char> buffer) noexcept;

    [[nodiscard]] const Message& message() const noexcept { return message_; }

    /// A sound frame with an unsound field, the first one: a number that is no tag (0; the index leaves it
    /// out), an empty value (4), a DATA field that breaks its length (6, 5; the index ends before it), more
    /// fields than the limit (99; the index ends there).
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

    [[nodiscard]] const ReaderLimits& limits() const noexcept { return limits_; }

private:
    [[nodiscard]] ScanResult index(const char* start, std::size_t trailer) noexcept;
    [[nodiscard]] ScanResult skip(std::string_view bytes, std::size_t from, Scan scan) noexcept;
    [[nodiscard]] ScanResult drop_wrong_length(std::string_view bytes, std::size_t trailer) noexcept;

    ReaderLimits limits_;
    std::vector<Field> fields_;
    Message message_;
    Fault fault_;
    bool is_skipping_ = false;  ///< the next message has not been found yet
};

}  // namespace tickpath::fix
