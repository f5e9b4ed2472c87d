// A sender of quotes whose memory is what a test wants it to be: it leaves out what its receiver knows, and
// begins anew where it is told to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "control/doctor/recording.h"

namespace tickpath::test {

/// Nothing here is mandatory without a previous value, so that no rule makes decoding fail.
inline constexpr const char* quote_template = R"(
  <template name="Quote" id="1">
    <uInt32 name="Number"/>
    <uInt64 name="Time"><delta/></uInt64>
    <string name="Symbol" presence="optional"><copy/></string>
    <string name="Board" presence="optional"><copy/></string>
    <int64 name="Price"><delta/></int64>
  </template>)";

class QuoteSender {
public:
    explicit QuoteSender(std::uint64_t seed) : random_(seed) {}

    /// Whether the template identifier may be left out where it is remembered.
    bool remembers_template = false;
    /// Every other quote has no board, which takes a NULL where one is remembered.
    bool has_board_seldom = false;

    void forget() {
        time_ = price_ = 0;
        symbol_.reset();
        board_.clear();
        has_template_ = false;
    }

    /// The Reset of T7 feeds: template 120, without fields.
    void append_reset(std::vector<std::byte>& out) {
        put(out, {0xC0, 0xF8});
        forget();
        has_template_ = false;
    }

    void append_quote(std::vector<std::byte>& out) {
        const std::int64_t time = 90'000'000 + 37 * ++number_;
        const std::int64_t price = 1'000'000 + static_cast<std::int64_t>(random_() % 200);
        const std::string symbol = random_() % 3 == 0 ? "SBER" : "GAZP";
        const bool sends_template = !(remembers_template && has_template_);
        const bool sends_symbol = symbol_ != symbol;
        const std::string board = has_board_seldom && number_ % 2 == 0 ? "" : "TQBR";
        const bool sends_board = board_ != board;
        put(out, {static_cast<std::uint8_t>(0x80 | (sends_template ? 0x40 : 0) | (sends_symbol ? 0x20 : 0) |
                                            (sends_board ? 0x10 : 0))});
        if (sends_template) put(out, {0x81});
        put_unsigned(out, static_cast<std::uint64_t>(number_));
        put_signed(out, time - time_);
        if (sends_symbol) put_ascii(out, symbol);
        if (sends_board && board.empty()) put(out, {0x80});
        if (sends_board && !board.empty()) put_ascii(out, board);
        put_signed(out, price - price_);
        time_ = time;
        price_ = price;
        symbol_ = symbol;
        board_ = board;
        has_template_ = true;
    }

private:
    static void put(std::vector<std::byte>& out, std::initializer_list<std::uint8_t> bytes) {
        for (const std::uint8_t byte : bytes)
            out.push_back(static_cast<std::byte>(byte));
    }
    static void put_unsigned(std::vector<std::byte>& out, std::uint64_t value) {
        for (int shift = 63; shift > 0; shift -= 7)
            if (value >> shift != 0) put(out, {static_cast<std::uint8_t>(value >> shift & 0x7F)});
        put(out, {static_cast<std::uint8_t>((value & 0x7F) | 0x80)});
    }
    static void put_signed(std::vector<std::byte>& out, std::int64_t value) {
        int groups = 1;
        while (groups < 9 && (value < -(std::int64_t{1} << (7 * groups - 1)) ||
                              value >= std::int64_t{1} << (7 * groups - 1)))
            ++groups;
        for (int group = groups - 1; group >= 0; --group)
            put(out, {static_cast<std::uint8_t>((value >> 7 * group & 0x7F) | (group == 0 ? 0x80 : 0))});
    }
    static void put_ascii(std::vector<std::byte>& out, const std::string& text) {
        for (std::size_t i = 0; i < text.size(); ++i)
            put(out, {static_cast<std::uint8_t>(static_cast<std::uint8_t>(text[i]) |
                                                (i + 1 == text.size() ? 0x80 : 0))});
    }

    std::mt19937_64 random_;
    std::int64_t number_ = 0;
    std::int64_t time_ = 0;
    std::int64_t price_ = 0;
    std::optional<std::string> symbol_;
    std::string board_;  // empty: none
    bool has_template_ = false;
};

}  // namespace tickpath::test
