// The wire forms of FAST (spec/fast.md §4) read one byte at a time, with the place of each: for Explainer,
// which shows people what it reads. The decoder reads them otherwise (cursor.h). Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoders/base/error.h"
#include "decoders/fast/decoder.h"

namespace tickpath::fast {

/// Wide enough for every integer on the wire, its nullable form, and the sum of a delta.
__extension__ typedef __int128 WideInteger;

/// Bytes of one datagram. After the first error every read returns nothing and consumes nothing.
class WireReader {
public:
    /// `options` must outlive the reader.
    WireReader(std::span<const std::byte> bytes, const DecoderOptions& options)
        : bytes_(bytes), options_(&options) {}

    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] std::size_t bytes_left() const noexcept { return bytes_.size() - at_; }
    [[nodiscard]] bool ok() const noexcept { return error_ == Errc::ok; }
    [[nodiscard]] Errc error() const noexcept { return error_; }
    [[nodiscard]] std::size_t error_at() const noexcept { return error_at_; }

    /// `at`: the byte the error is about.
    void fail(Errc error, std::size_t at) noexcept;
    /// The error so far is called otherwise where it happened: a subtraction length has its own code.
    void rename_error(Errc error) noexcept { error_ = error; }
    /// A reportable error of what begins at `at`: ends decoding in strict mode, else only noted.
    void report(Report report, std::size_t at) noexcept;
    /// Reports since the last call, as bits by Report.
    [[nodiscard]] std::uint8_t take_reports() noexcept;

    /// nullopt for NULL, and after an error. Fails with D2 when the value is outside the type's range.
    [[nodiscard]] std::optional<WideInteger> read_integer(FieldType type, bool nullable);
    /// A delta: signed, and not bounded by its field's type.
    [[nodiscard]] std::optional<WideInteger> read_delta(bool nullable);
    [[nodiscard]] std::optional<std::string> read_text(FieldType type, bool nullable);
    /// The bits of a presence map in order, seven a byte.
    [[nodiscard]] std::vector<bool> read_map();

private:
    [[nodiscard]] std::vector<std::uint8_t> read_groups(std::size_t most);
    [[nodiscard]] WideInteger read_raw_integer(bool is_signed_value);
    [[nodiscard]] std::optional<std::string> read_ascii(bool nullable);

    std::span<const std::byte> bytes_;
    const DecoderOptions* options_;
    std::size_t at_ = 0;
    Errc error_ = Errc::ok;
    std::size_t error_at_ = 0;
    std::uint8_t reports_ = 0;
};

struct WideRange {
    WideInteger min;
    WideInteger max;
};
/// Of an integer type. `bits`: 8 or 16 for the narrow ones of FAST 1.2, else 0.
[[nodiscard]] WideRange range_of(FieldType type, unsigned bits) noexcept;

}  // namespace tickpath::fast
