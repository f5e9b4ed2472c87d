// A frame wire that ends in the kernel of a network of the test's own, with loss, duplicates and disorder on
// demand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dataplane/port/frame_wire.h"

namespace tickpath::test {

class TapWire final : public port::FrameWire {
public:
    /// Makes the interface; it goes with the wire.
    explicit TapWire(const char* interface) : descriptor_(::open("/dev/net/tun", O_RDWR | O_NONBLOCK)) {
        ifreq request{};
        std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
        request.ifr_flags = IFF_TAP | IFF_NO_PI;
        is_open_ = descriptor_ >= 0 && ::ioctl(descriptor_, TUNSETIFF, &request) == 0;
    }
    ~TapWire() override {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    TapWire(const TapWire&) = delete;
    TapWire& operator=(const TapWire&) = delete;

    enum class Fate : std::uint8_t { pass, lose, twice, late, damage };
    using Fates = std::function<Fate(std::span<const std::byte> frame)>;
    Fates fate_out;                            ///< of each frame that is sent; passes all when empty
    Fates fate_in;                             ///< of each frame that is received
    std::size_t tx_room = SIZE_MAX;            ///< so many frames are sent before the device is full
    std::size_t tx_buffers = SIZE_MAX;         ///< so many are allocated
    std::vector<std::vector<std::byte>> sent;  ///< when keeps_sent, before their fate
    bool keeps_sent = false;

    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

    [[nodiscard]] std::span<std::byte> tx_alloc(std::size_t size_bytes) noexcept override {
        if (tx_buffers == 0) return {};
        --tx_buffers;
        tx_bytes_ = size_bytes;
        return std::span(tx_frame_).first(size_bytes);
    }
    [[nodiscard]] bool tx_send() noexcept override {
        if (tx_room == 0) return false;
        --tx_room;
        const std::span frame = std::span(tx_frame_).first(tx_bytes_);
        if (keeps_sent) sent.emplace_back(frame.begin(), frame.end());
        meet(fate_out, frame, late_out_, [this](std::span<const std::byte> passed) { put(passed); });
        return true;
    }
    [[nodiscard]] std::size_t rx_burst(std::span<model::Frame> out) noexcept override {
        std::array<std::byte, 2048> frame;
        for (ssize_t size = 0; received_.size() + 1 < out.size() &&
                               (size = ::read(descriptor_, frame.data(), frame.size())) > 0;)
            meet(fate_in, std::span(frame).first(static_cast<std::size_t>(size)), late_in_,
                 [this](std::span<const std::byte> passed) {
                     received_.emplace_back(passed.begin(), passed.end());
                 });
        const std::size_t count = std::min(out.size(), received_.size());
        for (std::size_t i = 0; i < count; ++i)
            out[i] = {.data = received_[i].data(),
                      .size_bytes = static_cast<std::uint32_t>(received_[i].size())};
        handed_out_ = count;
        return count;
    }
    void rx_free() noexcept override {
        received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(handed_out_));
    }
    /// Sends bytes of the test's own to the stack, as if the network had.
    void inject(std::span<const std::byte> frame) { received_.emplace_back(frame.begin(), frame.end()); }

private:
    template <class Pass>
    static void meet(const Fates& fates, std::span<std::byte> frame, std::vector<std::byte>& late,
                     Pass&& pass) {
        switch (fates ? fates(frame) : Fate::pass) {
            case Fate::lose:
                return;
            case Fate::late:  // goes after the next one
                late.assign(frame.begin(), frame.end());
                return;
            case Fate::damage:
                frame.back() ^= std::byte{0xFF};
                break;
            case Fate::twice:
                pass(frame);
                break;
            case Fate::pass:
                break;
        }
        pass(frame);
        if (!late.empty()) pass(late);
        late.clear();
    }
    void put(std::span<const std::byte> frame) const {
        if (::write(descriptor_, frame.data(), frame.size()) < 0)
            return;  // an interface that is down loses it
    }

    int descriptor_;
    bool is_open_ = false;
    std::array<std::byte, 2048> tx_frame_{};
    std::size_t tx_bytes_ = 0;
    std::size_t handed_out_ = 0;
    std::vector<std::byte> late_out_;
    std::vector<std::byte> late_in_;
    std::deque<std::vector<std::byte>> received_;
};

}  // namespace tickpath::test
