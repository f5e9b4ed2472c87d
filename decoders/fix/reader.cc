#include "decoders/fix/reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <emmintrin.h>

namespace tickpath::fix {
namespace {

constexpr std::size_t begin_string_chars_max = 8;  // "FIXT.1.1"
constexpr std::size_t body_length_digits_max = 7;  // spec/fix-session.md §1.4
constexpr std::size_t tag_digits_max = 9;          // likewise
constexpr std::size_t trailer_bytes = 7;           // 10=ddd and SOH
constexpr std::string_view resync_mark =
    "\x01"
    "8=FIX";

namespace reason {
constexpr std::uint32_t invalid_tag = 0;
constexpr std::uint32_t no_value = 4;
constexpr std::uint32_t bad_value = 5;
constexpr std::uint32_t bad_format = 6;
constexpr std::uint32_t other = 99;
}  // namespace reason

struct DataPair {
    std::uint32_t length_tag;
    std::uint32_t data_tag;
};
// DATA fields of FIX 4.2 and 4.4; each stands right behind its length (§1.2).
constexpr std::array<DataPair, 16> data_pairs = {{{90, 91},
                                                  {93, 89},
                                                  {95, 96},
                                                  {212, 213},
                                                  {348, 349},
                                                  {350, 351},
                                                  {352, 353},
                                                  {354, 355},
                                                  {356, 357},
                                                  {358, 359},
                                                  {360, 361},
                                                  {362, 363},
                                                  {364, 365},
                                                  {445, 446},
                                                  {618, 619},
                                                  {621, 622}}};

// One bit per tag that is in a pair: the test every field takes.
constexpr std::size_t paired_tags_end = 640;
constexpr auto paired_tags = [] {
    std::array<std::uint64_t, paired_tags_end / 64> bits{};
    for (const DataPair pair : data_pairs) {
        bits[pair.length_tag / 64] |= std::uint64_t{1} << (pair.length_tag % 64);
        bits[pair.data_tag / 64] |= std::uint64_t{1} << (pair.data_tag % 64);
    }
    return bits;
}();

[[nodiscard]] bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

[[nodiscard]] bool is_known_version(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 6> versions = {"FIX.4.4", "FIXT.1.1", "FIX.4.2",
                                                          "FIX.4.3", "FIX.4.1",  "FIX.4.0"};
    return std::find(versions.begin(), versions.end(), text) != versions.end();
}

/// 8= and 9= at the start of a message.
struct Header {
    std::size_t body_offset = 0;  ///< of the '3' of 35=
    std::size_t body_bytes = 0;   ///< BodyLength
};

/// `message` stands for "so far sound". Decides on the same bytes whatever more has arrived.
[[nodiscard]] Scan scan_header(std::string_view bytes, Header& header) noexcept {
    constexpr std::string_view first_tag = "8=", second_tag = "9=", third_tag = "35=";
    if (bytes.size() < first_tag.size())
        return first_tag.starts_with(bytes) ? Scan::incomplete : Scan::garbled;
    if (!bytes.starts_with(first_tag)) return Scan::garbled;
    const std::size_t version_end = bytes.substr(0, first_tag.size() + begin_string_chars_max + 1).find(soh);
    if (version_end == std::string_view::npos)
        return bytes.size() > first_tag.size() + begin_string_chars_max ? Scan::garbled : Scan::incomplete;
    if (!is_known_version(bytes.substr(first_tag.size(), version_end - first_tag.size())))
        return Scan::garbled;

    std::size_t at = version_end + 1;
    if (bytes.size() < at + second_tag.size())
        return second_tag.starts_with(bytes.substr(at)) ? Scan::incomplete : Scan::garbled;
    if (bytes.substr(at, second_tag.size()) != second_tag) return Scan::garbled;
    at += second_tag.size();
    const std::size_t digits_start = at;
    while (at < bytes.size() && is_digit(bytes[at]) && at - digits_start <= body_length_digits_max)
        header.body_bytes = header.body_bytes * 10 + static_cast<std::size_t>(bytes[at++] - '0');
    if (at - digits_start > body_length_digits_max) return Scan::overlong;
    if (at == bytes.size()) return Scan::incomplete;
    if (bytes[at] != soh || at == digits_start) return Scan::garbled;

    header.body_offset = at + 1;
    const std::string_view body = bytes.substr(header.body_offset, third_tag.size());
    if (body == third_tag) return Scan::message;
    return third_tag.starts_with(body) ? Scan::incomplete : Scan::garbled;
}

/// Turns field ends into index entries. Lives for one message.
class Indexer {
public:
    Indexer(const char* start, std::size_t end, std::span<Field> fields, Fault& fault) noexcept
        : start_(start), end_(end), fields_(fields), fault_(fault) {}

    /// The SOH at `soh_offset` ends a field, unless it is inside DATA. False: the message is garbled.
    [[nodiscard]] bool on_soh(std::size_t soh_offset) noexcept {
        if (soh_offset < data_end_) return true;
        const char* const field = start_ + field_offset_;
        const char* at = field;
        std::uint32_t tag = 0;
        for (std::uint8_t digit = 0; (digit = static_cast<std::uint8_t>(*at - '0')) <= 9; ++at)
            tag = tag * 10 + digit;
        field_offset_ = soh_offset + 1;
        const auto digits = static_cast<std::size_t>(at - field);
        if (*at != '=' || digits - 1 >= tag_digits_max || *field == '0') [[unlikely]]
            return on_odd_tag(field, soh_offset);
        const auto value = static_cast<std::size_t>(at + 1 - start_);
        if (count_ == fields_.size()) [[unlikely]]
            return stop(reason::other, {});
        fields_[count_++] = {tag, static_cast<std::uint32_t>(value),
                             static_cast<std::uint32_t>(soh_offset - value)};
        if (value == soh_offset) [[unlikely]]
            note(reason::no_value, {field, digits});
        if (tag < paired_tags_end && (paired_tags[tag / 64] >> (tag % 64) & 1) != 0) [[unlikely]]
            return on_paired_tag();
        return true;
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    /// A number that is no tag is the sender's mistake and answered; text where a tag should be is line noise
    /// (§1.5).
    [[gnu::cold, gnu::noinline]] bool on_odd_tag(const char* field, std::size_t soh_offset) noexcept {
        const std::string_view text(field, static_cast<std::size_t>(start_ + soh_offset - field));
        const std::string_view tag = text.substr(0, text.find('='));
        const std::string_view digits = tag.starts_with('-') ? tag.substr(1) : tag;
        if (tag.size() == text.size() || digits.empty() ||
            !std::all_of(digits.begin(), digits.end(), is_digit))
            return false;
        note(reason::invalid_tag, tag);
        return true;
    }

    /// The last field is a length before DATA, or DATA itself.
    [[gnu::cold, gnu::noinline]] bool on_paired_tag() noexcept {
        const Field field = fields_[count_ - 1];
        const auto as_data = std::find_if(data_pairs.begin(), data_pairs.end(),
                                          [&](DataPair pair) { return pair.data_tag == field.tag; });
        if (as_data != data_pairs.end())
            return data_end_ != 0 && field.offset + field.length == data_end_
                       ? true
                       : refuse_data(reason::bad_format);
        const auto pair = std::find_if(data_pairs.begin(), data_pairs.end(),
                                       [&](DataPair p) { return p.length_tag == field.tag; });
        return reserve_data(field, pair->data_tag);
    }

    /// Makes on_soh pass over the DATA field that follows, if the next field is that.
    bool reserve_data(const Field& length_field, std::uint32_t data_tag) noexcept {
        char* const text_end = write_unsigned(expected_.data(), data_tag);
        *text_end = '=';
        const std::string_view expected(expected_.data(),
                                        static_cast<std::size_t>(text_end + 1 - expected_.data()));
        const std::string_view rest(start_ + field_offset_, end_ - field_offset_);
        if (!rest.starts_with(expected)) return true;  // a length alone: left to the dictionary
        const auto bytes = parse_unsigned({start_ + length_field.offset, length_field.length});
        if (!bytes) return refuse_data(reason::bad_value);
        if (*bytes == 0 || *bytes >= rest.size() - expected.size() || rest[expected.size() + *bytes] != soh)
            return refuse_data(reason::bad_format);
        data_end_ = field_offset_ + expected.size() + static_cast<std::size_t>(*bytes);
        return true;
    }

    bool refuse_data(std::uint32_t why) noexcept {
        const Field& field = fields_[--count_];
        const char* const equals = start_ + field.offset - 1;
        const char* tag = equals;
        while (is_digit(tag[-1]))
            --tag;
        return stop(why, {tag, static_cast<std::size_t>(equals - tag)});
    }

    bool stop(std::uint32_t why, std::string_view tag) noexcept {
        note(why, tag);
        data_end_ = end_;  // nothing behind it can be trusted to be a field
        return true;
    }

    void note(std::uint32_t why, std::string_view tag) noexcept {
        if (!fault_.is_present) fault_ = {why, tag, true};
    }

    const char* start_;
    std::size_t end_;
    std::span<Field> fields_;
    Fault& fault_;
    std::size_t count_ = 0;
    std::size_t field_offset_ = 0;
    std::size_t data_end_ = 0;  ///< SOH before it belong to a DATA value
    std::array<char, number_chars_max + 1> expected_{};
};

}  // namespace

Reader::Reader(const ReaderLimits& limits) : limits_(limits), fields_(std::size_t{limits.fields_max} + 1) {}

ScanResult Reader::read(std::span<const char> buffer) noexcept {
    const std::string_view bytes(buffer.data(), buffer.size());
    if (is_skipping_) [[unlikely]]
        return skip(bytes, 0, Scan::skipped);
    Header header;
    const Scan scan = scan_header(bytes, header);
    if (scan == Scan::garbled) return skip(bytes, 0, Scan::garbled);
    if (scan != Scan::message) return {scan, 0};

    const std::size_t trailer = header.body_offset + header.body_bytes;
    if (trailer + trailer_bytes > limits_.message_bytes_max) return {Scan::overlong, 0};
    if (bytes.size() < trailer + trailer_bytes) return {Scan::incomplete, 0};
    const char* const tail = bytes.data() + trailer;
    if (tail[-1] != soh || tail[0] != '1' || tail[1] != '0' || tail[2] != '=') [[unlikely]]
        return drop_wrong_length(bytes, trailer);
    if (!is_digit(tail[3]) || !is_digit(tail[4]) || !is_digit(tail[5]) || tail[6] != soh) [[unlikely]]
        return skip(bytes, trailer, Scan::garbled);
    return index(bytes.data(), trailer);
}

// PERF NOTES. One pass: each block of 16 bytes is summed (psadbw) and searched for SOH (pcmpeqb) while it is
// in a register. Work per field, not per byte, rules (design notes: about 4 ns a field), so wider vectors
// give nothing.
ScanResult Reader::index(const char* start, std::size_t trailer) noexcept {
    fault_ = {};
    Indexer indexer(start, trailer, std::span(fields_).first(limits_.fields_max), fault_);
    const __m128i soh_bytes = _mm_set1_epi8(soh);
    __m128i sums = _mm_setzero_si128();
    for (std::size_t offset = 0; offset < trailer; offset += 16) {
        __m128i block;
        if (offset + 16 <= trailer) [[likely]] {
            block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(start + offset));
        } else {
            alignas(16) std::array<char, 16> last{};
            std::memcpy(last.data(), start + offset, trailer - offset);
            block = _mm_load_si128(reinterpret_cast<const __m128i*>(last.data()));
        }
        sums = _mm_add_epi64(sums, _mm_sad_epu8(block, _mm_setzero_si128()));
        auto ends = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, soh_bytes)));
        for (; ends != 0; ends &= ends - 1)
            if (!indexer.on_soh(offset + static_cast<unsigned>(std::countr_zero(ends)))) [[unlikely]]
                return {Scan::garbled, trailer + trailer_bytes};
    }
    const auto sum = static_cast<std::uint32_t>(_mm_cvtsi128_si64(sums) +
                                                _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
    const char* const digits = start + trailer + 3;
    const auto stated =
        static_cast<std::uint32_t>((digits[0] - '0') * 100 + (digits[1] - '0') * 10 + digits[2] - '0');
    if ((sum & 0xFFu) != stated) [[unlikely]]
        return {Scan::garbled, trailer + trailer_bytes};
    std::size_t count = indexer.count();
    fields_[count++] = {tag::check_sum, static_cast<std::uint32_t>(trailer + 3), 3};
    message_ = Message(start, trailer + trailer_bytes, std::span<const Field>(fields_).first(count));
    return {Scan::message, trailer + trailer_bytes};
}

/// BodyLength does not point at 10=. The message ends at the first trailer behind that place: too short a
/// length costs this message, too long a one the next as well (§1.5).
ScanResult Reader::drop_wrong_length(std::string_view bytes, std::size_t trailer) noexcept {
    constexpr std::string_view trailer_mark =
        "\x01"
        "10=";
    for (std::size_t at = bytes.find(trailer_mark, trailer - 1); at != std::string_view::npos;
         at = bytes.find(trailer_mark, at + 1)) {
        if (bytes.size() < at + 1 + trailer_bytes) break;
        const std::string_view digits = bytes.substr(at + trailer_mark.size(), 3);
        if (std::all_of(digits.begin(), digits.end(), is_digit) && bytes[at + trailer_bytes] == soh)
            return {Scan::garbled, at + 1 + trailer_bytes};
    }
    if (bytes.size() >= limits_.message_bytes_max) return skip(bytes, 0, Scan::garbled);
    return {Scan::incomplete, 0};
}

/// Drops bytes up to the next start of a message; keeps a tail that may be the beginning of one. Nothing to
/// drop yet means nothing is decided yet, so every answer but `incomplete` and `overlong` consumes.
ScanResult Reader::skip(std::string_view bytes, std::size_t from, Scan scan) noexcept {
    const std::size_t mark = bytes.find(resync_mark, from);
    if (mark != std::string_view::npos) {
        is_skipping_ = false;
        return {scan, mark + 1};
    }
    std::size_t kept = std::min(bytes.size(), resync_mark.size() - 1);
    while (kept != 0 && !resync_mark.starts_with(bytes.substr(bytes.size() - kept)))
        --kept;
    if (kept == bytes.size()) return {Scan::incomplete, 0};
    is_skipping_ = true;
    return {scan, bytes.size() - kept};
}

}  // namespace tickpath::fix
