#include "tests/support/plain_lzo1z_decoder.h"

#include <stdexcept>

namespace tickpath::test {
namespace {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class PlainDecoder {
public:
    PlainDecoder(std::span<const std::uint8_t> block, std::size_t capacity)
        : block_(block), capacity_(capacity) {}

    std::vector<std::uint8_t>& bytes() { return bytes_; }

    void run() {
        if (!block_.empty() && block_[0] >= 18) {
            at_ = 1;
            literals(block_[0] - 17u);
        }
        while (instruction()) {
        }
        if (at_ != block_.size()) throw Failure("trailing_input");
    }

private:
    unsigned byte() {
        if (at_ == block_.size()) throw Failure("input_overrun");
        return block_[at_++];
    }

    std::size_t length(unsigned field, std::size_t base, std::size_t extended_base) {
        if (field != 0) return field + base;
        std::size_t length = extended_base;
        for (;;) {
            const unsigned value = byte();
            if (value != 0) return length + value;
            length += 255;
        }
    }

    void literals(std::size_t count) {
        if (count > capacity_ - bytes_.size()) throw Failure("output_overrun");
        if (count > block_.size() - at_) throw Failure("input_overrun");
        for (std::size_t i = 0; i < count; ++i)
            bytes_.push_back(block_[at_++]);
        state_ = count < 4 ? static_cast<unsigned>(count) : 4;
    }

    void match(std::size_t length, std::size_t distance, unsigned trailing) {
        if (distance == 0 || distance > bytes_.size()) throw Failure("lookbehind_overrun");
        if (length > capacity_ - bytes_.size()) throw Failure("output_overrun");
        for (std::size_t i = 0; i < length; ++i)
            bytes_.push_back(bytes_[bytes_.size() - distance]);
        distance_ = distance;
        literals(trailing);
    }

    // False at the end marker.
    bool instruction() {
        const unsigned t = byte();
        if (t < 16 && state_ == 0) {
            literals(length(t, 3, 18));
        } else if (t < 16) {
            const unsigned b = byte();
            if (state_ == 4) {
                match(3, t * 64 + b / 4 + 1793, b % 4);
            } else {
                match(2, t * 64 + b / 4 + 1, b % 4);
            }
        } else if (t < 32) {
            const std::size_t l = length(t % 8, 2, 9);
            const unsigned high = byte();
            const unsigned low = byte();
            const bool k = t / 8 % 2 != 0;
            if (!k && high == 0 && low / 4 == 0) return false;
            match(l, 16384u + (k ? 16384u : 0u) + high * 64 + low / 4, low % 4);
        } else if (t < 64) {
            const std::size_t l = length(t % 32, 2, 33);
            const unsigned high = byte();
            const unsigned low = byte();
            match(l, high * 64 + low / 4 + 1, low % 4);
        } else if (t % 32 >= 28) {
            match(t / 32 + 1, distance_, t % 4);
        } else {
            const unsigned b = byte();
            match(t / 32 + 1, t % 32 * 64 + b / 4 + 1, b % 4);
        }
        return true;
    }

    std::span<const std::uint8_t> block_;
    std::size_t capacity_;
    std::size_t at_ = 0;
    std::vector<std::uint8_t> bytes_;
    std::size_t distance_ = 0;  // none yet
    unsigned state_ = 0;
};

}  // namespace

PlainBlock plain_lzo1z(std::span<const std::uint8_t> block, std::size_t capacity) {
    PlainDecoder decoder(block, capacity);
    std::string error;
    try {
        decoder.run();
    } catch (const Failure& failure) {
        error = failure.what();
    }
    return {error, std::move(decoder.bytes())};
}

}  // namespace tickpath::test
