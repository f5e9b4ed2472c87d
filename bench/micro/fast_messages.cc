#include "bench/micro/fast_messages.h"

#include <cstdlib>
#include <iostream>

namespace tickpath::bench {
namespace {

constexpr std::size_t tailroom_bytes = 256;

class Digest {
public:
    void add(std::uint64_t value) noexcept { hash_ = (hash_ ^ value) * 0x9E37'79B9'7F4A'7C15u ^ hash_ >> 29; }

    void add(const std::vector<fast::Field>& fields, fast::Row row) {
        for (const fast::Field& field : fields) {
            add(row.has(field.ref) ? 1u : 0u);
            if (row.has(field.ref)) add(field, row);
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

private:
    void add(const fast::Field& field, fast::Row row) {
        using fast::FieldType;
        switch (field.ref.type) {
            case FieldType::decimal:
                add(static_cast<std::uint64_t>(row.decimal(field.ref).mantissa));
                return add(static_cast<std::uint64_t>(row.decimal(field.ref).exponent));
            case FieldType::ascii:
            case FieldType::unicode:
            case FieldType::bytes:
                for (const char c : row.text(field.ref).to_string())
                    add(static_cast<std::uint64_t>(c));
                return add(row.text(field.ref).size());
            case FieldType::group:
                return add(field.fields, row);
            case FieldType::sequence:
                for (const fast::Row element : row.rows(field.ref))
                    add(field.fields, element);
                return add(row.rows(field.ref).size());
            case FieldType::dynamic:
                return add(row.dynamic(field.ref).tmpl->fields(), row.dynamic(field.ref).row);
            default:
                add(row.u64(field.ref));
        }
    }

    std::uint64_t hash_ = 1;
};

[[nodiscard]] bool decode(fast::Decoder& decoder, const BenchMessage& message) noexcept {
    decoder.begin({message.buffer.data(), message.size_bytes}, tailroom_bytes);
    return decoder.next();
}

}  // namespace

BenchMessage bench_message(const std::byte* first, std::size_t size_bytes) {
    BenchMessage message{.buffer = {first, first + size_bytes}, .size_bytes = size_bytes};
    message.buffer.resize(size_bytes + tailroom_bytes);
    return message;
}

std::uint64_t digest(fast::Decoder& decoder, const std::vector<BenchMessage>& messages) {
    Digest digest;
    for (const BenchMessage& message : messages) {
        if (!decode(decoder, message)) return 0;
        digest.add(decoder.message().end());
        digest.add(decoder.message().tmpl().fields(), decoder.message().root());
    }
    return digest.value();
}

void time_messages(benchmark::State& state, const std::shared_ptr<const fast::Templates>& templates,
                   fast::ResetRule reset, const std::vector<BenchMessage>& messages, std::uint64_t expected) {
    fast::Decoder decoder(templates, {.reset = reset});
    if (expected == 0 || digest(decoder, messages) != expected) {
        std::cerr << "fast/decode: messages decode to other values than they should\n";
        std::exit(1);
    }
    decoder.reset();
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(decode(decoder, messages[next]));
        next = next + 1 == messages.size() ? 0 : next + 1;
    }
    if (decoder.error() != Errc::ok) std::exit(1);
}

}  // namespace tickpath::bench
