// Debian's liblzo2 as a black box, found at run time and never linked: it is GPL, and this project is not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <dlfcn.h>

namespace tickpath::test {

class Liblzo2 {
public:
    /// nullopt when it is not installed (Debian: liblzo2-2).
    static std::optional<Liblzo2> open() {
        void* const library = dlopen("liblzo2.so.2", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return std::nullopt;
        Liblzo2 found;
        found.safe_ = reinterpret_cast<Decompress>(dlsym(library, "lzo1z_decompress_safe"));
        found.unchecked_ = reinterpret_cast<Decompress>(dlsym(library, "lzo1z_decompress"));
        found.compress_ = reinterpret_cast<Compress>(dlsym(library, "lzo1z_999_compress"));
        if (found.safe_ == nullptr || found.unchecked_ == nullptr || found.compress_ == nullptr)
            return std::nullopt;
        return found;
    }

    /// Decompresses into `out` and shortens it to what was written; false when the block is refused.
    bool decompress(std::span<const std::uint8_t> block, std::vector<std::uint8_t>& out) const {
        std::size_t size = out.size();
        const int code = safe_(block.data(), block.size(), out.data(), &size, nullptr);
        if (code == 0) out.resize(size);
        return code == 0;
    }

    // For benches, which bring their own buffers. The unchecked one trusts its input.
    std::size_t decompress_safe(std::span<const std::uint8_t> block, std::span<std::uint8_t> out) const {
        std::size_t size = out.size();
        return safe_(block.data(), block.size(), out.data(), &size, nullptr) == 0 ? size : 0;
    }
    std::size_t decompress_unchecked(std::span<const std::uint8_t> block, std::span<std::uint8_t> out) const {
        std::size_t size = out.size();
        return unchecked_(block.data(), block.size(), out.data(), &size, nullptr) == 0 ? size : 0;
    }

    /// At its default level, slow and small.
    [[nodiscard]] std::vector<std::uint8_t> compress(std::span<const std::uint8_t> input) const {
        std::vector<std::uint8_t> workspace(work_bytes);
        std::vector<std::uint8_t> out(input.size() + input.size() / 16 + 67);
        std::size_t size = out.size();
        if (compress_(input.data(), input.size(), out.data(), &size, workspace.data()) != 0) return {};
        out.resize(size);
        return out;
    }

private:
    using Decompress = int (*)(const unsigned char*, std::size_t, unsigned char*, std::size_t*, void*);
    using Compress = int (*)(const unsigned char*, std::size_t, unsigned char*, std::size_t*, void*);
    // Ample for any of its levels.
    static constexpr std::size_t work_bytes = 1 << 20;

    Decompress safe_ = nullptr;
    Decompress unchecked_ = nullptr;
    Compress compress_ = nullptr;
};

}  // namespace tickpath::test
