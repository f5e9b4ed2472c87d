#include "bench/micro/lzo1z_blocks.h"

#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "decoders/base/bytes.h"
#include "decoders/lzo1z/compress.h"
#include "tests/support/liblzo2.h"

namespace tickpath::bench {
namespace {

using Octets = std::vector<std::uint8_t>;

class Maker {
public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    /// A message of two books, each 214 bytes behind a prefix of 8, a header of 40 and a count: NSE's 7208.
    Octets nse_message() {
        Octets message;
        for (const char c : std::string_view("\x02YZ**123"))
            message.push_back(static_cast<std::uint8_t>(c));
        put(message, 0, 4);
        put(message, 1'300'000'000 + below(20'000), 4);
        put(message, 0, 2);
        put(message, 7'208, 2);
        put(message, 0, 2);
        put(message, below(1 << 20), 4);
        put(message, 0, 4);
        put(message, random_() >> 18, 8);
        put(message, 0x32, 1);
        for (int i = 0; i < 7; ++i)
            put(message, ' ', 1);
        put(message, 470, 2);
        put(message, 2, 2);
        book(message);
        book(message);
        return message;
    }

    /// One sentence over and over.
    Octets text() {
        static constexpr const char* words[] = {"the",  "quick", "brown", "fox",     "jumps", "over", "lazy",
                                                "dogs", "while", "seven", "traders", "quote", "gold", "at"};
        std::string sentence;
        const std::size_t bytes = 38 + below(16);
        while (sentence.size() < bytes)
            sentence += std::string(words[below(std::size(words))]) + ' ';
        sentence.back() = '.';
        sentence += ' ';
        Octets out;
        while (out.size() < 7'991)
            out.push_back(static_cast<std::uint8_t>(sentence[out.size() % sentence.size()]));
        return out;
    }

    /// 100 lines of 116 characters, twice: symbol, price, quantity, blanks.
    Octets records() {
        Octets out;
        const std::size_t first = below(90'000);
        const std::size_t price = 10'000 + below(80'000);
        const std::size_t quantity = 50 + below(900);
        for (std::size_t i = 0; i < 200; ++i) {
            char line[117];
            std::snprintf(line, sizeof line, "SYMBOL%05zu     %08zu.%02zu      %012zu", first + i % 100,
                          price / 100, price % 100, quantity);
            std::string text(line);
            text.resize(115, ' ');
            text += '\n';
            out.insert(out.end(), text.begin(), text.end());
        }
        return out;
    }

    /// A byte ramp of some 250 values, one byte of every fourth turn changed.
    Octets large() {
        const std::size_t period = 245 + below(10);
        const std::size_t odd = 4 * period;
        const auto value = static_cast<std::uint8_t>(random_());
        Octets out(60'000);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = i % odd == 0 ? static_cast<std::uint8_t>(value + i / odd)
                                  : static_cast<std::uint8_t>(i % period);
        return out;
    }

private:
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    static void put(Octets& out, std::uint64_t value, unsigned bytes) {
        for (unsigned shift = 8 * bytes; shift != 0; shift -= 8)
            out.push_back(static_cast<std::uint8_t>(value >> (shift - 8)));
    }
    static void put_double(Octets& out, double value) {
        put(out, __builtin_bit_cast(std::uint64_t, value), 8);
    }

    void book(Octets& out) {
        const std::size_t price = 1'000 + below(300'000);
        const std::size_t lot = 25 * (1 + below(6));
        put(out, 35'000 + below(60'000), 4);
        put(out, 1, 2);
        put(out, 2, 2);
        put(out, lot * below(100'000), 4);
        put(out, price, 4);
        put(out, below(2) != 0 ? '+' : '-', 1);
        put(out, ' ', 1);
        put(out, price + below(400), 4);
        put(out, lot * (1 + below(20)), 4);
        put(out, 1'300'000'000 + below(20'000), 4);
        put(out, price + below(100), 4);
        put(out, 0, 22);
        std::size_t at = price;
        for (int level = 0; level < 10; ++level) {
            at = level == 5 ? price + 5 : at;
            at = level < 5 ? at - 5 * below(3) : at + 5 * below(3);
            put(out, lot * (1 + below(40)), 4);
            put(out, at, 4);
            put(out, 1 + below(9), 2);
            put(out, 0, 2);
        }
        put(out, 0, 4);
        put_double(out, static_cast<double>(lot * below(200'000)));
        put_double(out, static_cast<double>(lot * below(200'000)));
        put(out, below(4) << 12, 2);
        for (const std::size_t away : {std::size_t{0}, below(500), below(900), below(900)})
            put(out, price + away, 4);
    }

    std::mt19937_64 random_;
};

Octets packed(const Octets& raw) {
    static const std::optional<test::Liblzo2> library = test::Liblzo2::open();
    if (library) return library->compress(raw);
    static lzo1z::Workspace workspace;
    Octets block(lzo1z::max_compressed_size(raw.size()));
    const lzo1z::CompressResult result =
        lzo1z::compress(std::as_bytes(std::span(raw)), std::as_writable_bytes(std::span(block)), workspace,
                        lzo1z::Level::small);
    block.resize(result.written);
    return block;
}

std::vector<Block> make(std::string_view workload) {
    Maker maker(20'260'101);
    std::vector<Block> blocks;
    const auto add = [&](Octets raw) {
        Octets block = packed(raw);
        blocks.push_back({std::move(raw), std::move(block)});
    };
    const auto piece = [](const Octets& message, std::size_t from, std::size_t bytes) {
        const auto begin = message.begin() + static_cast<std::ptrdiff_t>(from);
        return Octets(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    };
    while (workload == "nse_478" && blocks.size() < 4'096)
        add(maker.nse_message());
    while (workload == "nse_264" && blocks.size() < 4'096)
        add(piece(maker.nse_message(), 0, 264));
    while (workload == "nse_120" && blocks.size() < 4'096)
        add(piece(maker.nse_message(), 120 * (blocks.size() % 3), 120));
    while (workload == "text" && blocks.size() < 2'048)
        add(maker.text());
    while (workload == "records" && blocks.size() < 1'024)
        add(maker.records());
    while (workload == "large" && blocks.size() < 1'024)
        add(maker.large());
    return blocks;
}

}  // namespace

const std::vector<Block>& lzo1z_blocks(std::string_view workload) {
    static std::map<std::string, std::vector<Block>, std::less<>> made;
    const auto found = made.find(workload);
    if (found != made.end()) return found->second;
    return made.emplace(workload, make(workload)).first->second;
}

}  // namespace tickpath::bench
