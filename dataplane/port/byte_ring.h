// Bytes of a stream that wait for their reader, in a ring of a fixed size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace tickpath::port {

/// One thread. Memory is taken by the constructor.
class ByteRing {
public:
    explicit ByteRing(std::size_t capacity_bytes) : bytes_(capacity_bytes) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t free_bytes() const noexcept { return bytes_.size() - size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /// All or nothing.
    [[nodiscard]] bool push(std::span<const std::byte> bytes) noexcept {
        if (bytes.size() > free_bytes()) return false;
        if (bytes.empty()) return true;
        const std::size_t at = wrapped(start_ + size_);
        const std::size_t until_end = std::min(bytes.size(), bytes_.size() - at);
        std::memcpy(bytes_.data() + at, bytes.data(), until_end);
        if (until_end != bytes.size())
            std::memcpy(bytes_.data(), bytes.data() + until_end, bytes.size() - until_end);
        size_ += bytes.size();
        return true;
    }
    /// The oldest bytes that lie in one piece; empty when there are none.
    [[nodiscard]] std::span<const std::byte> front() const noexcept {
        return std::span(bytes_).subspan(start_, std::min(size_, bytes_.size() - start_));
    }
    /// Forgets the oldest `count` bytes, at most size().
    void pop(std::size_t count) noexcept {
        start_ = wrapped(start_ + count);
        size_ -= count;
        if (size_ == 0) start_ = 0;
    }
    void clear() noexcept { start_ = size_ = 0; }

private:
    [[nodiscard]] std::size_t wrapped(std::size_t index) const noexcept {
        return index >= bytes_.size() && index != 0 ? index - bytes_.size() : index;
    }

    std::vector<std::byte> bytes_;
    std::size_t start_ = 0;
    std::size_t size_ = 0;
};

}  // namespace tickpath::port
