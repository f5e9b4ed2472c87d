// Messages with made-up values for any template: values that repeat, count up, share ends, or lie at the
// bounds of their type, so that every way to send them is met. For comparing what was encoded with what is
// decoded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoders/fast/message_builder.h"

namespace tickpath::test {

class RandomMessages {
public:
    /// Gives a number made of so many bytes; a fuzzer's come from its input.
    using Source = std::function<std::uint64_t(unsigned bytes)>;

    explicit RandomMessages(std::uint64_t seed)
        : source_([random = std::mt19937_64(seed)](unsigned) mutable { return random(); }) {}
    explicit RandomMessages(Source source) : source_(std::move(source)) {}

    /// Builds a message of `tmpl`; false when it came to nothing, as where dynamic references never end.
    [[nodiscard]] bool build(fast::MessageBuilder& builder, const fast::Template& tmpl);

    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return source_(bound > 256 ? 8 : 1) % bound; }
    [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }

private:
    void fill(fast::RowBuilder row, const std::vector<fast::Field>& fields, unsigned depth);
    void set(fast::RowBuilder row, const fast::Field& field, unsigned depth);
    [[nodiscard]] std::int64_t integer(const fast::Field& field);
    [[nodiscard]] Decimal decimal(const fast::Field& field);
    [[nodiscard]] std::string text(const fast::Field& field);
    [[nodiscard]] std::string fresh_text(fast::FieldType type);

    Source source_;
    const fast::Templates* templates_ = nullptr;
    std::map<const fast::Field*, std::int64_t>
        integers_;  ///< the last one of each field, as are the next two
    std::map<const fast::Field*, Decimal> decimals_;
    std::map<const fast::Field*, std::string> texts_;
};

}  // namespace tickpath::test
