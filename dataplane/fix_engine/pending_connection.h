// One accepted connection before its first message has told whose it is. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dataplane/tcp/kernel_tcp.h"
#include "decoders/fix/reader.h"

namespace tickpath::fix_engine {

/// Collects the first message. A stranger is never answered (spec/fix-session.md §2).
class PendingConnection {
public:
    enum class Step : std::uint8_t {
        wait,   ///< nothing decided yet
        ready,  ///< message() is the first message, bytes() all that was received
        close,  ///< no FIX, too long, too late or gone
    };

    PendingConnection(std::unique_ptr<tcp::KernelTcp> link, std::size_t bytes_max, std::uint64_t deadline_ns)
        : link_(std::move(link)),
          deadline_ns_(deadline_ns),
          bytes_(bytes_max),
          reader_({.message_bytes_max = static_cast<std::uint32_t>(bytes_max), .fields_max = 64}) {}

    [[nodiscard]] Step poll(std::uint64_t now_ns) noexcept {
        const std::size_t received = link_->receive(std::span(bytes_).subspan(used_));
        used_ += received;
        if (received == 0) {
            const bool is_over = link_->state() != model::LinkState::up || now_ns >= deadline_ns_;
            return is_over ? Step::close : Step::wait;
        }
        switch (reader_.read({reinterpret_cast<const char*>(bytes_.data()), used_}).scan) {
            case fix::Scan::message:
                return Step::ready;
            case fix::Scan::incomplete:
                return used_ == bytes_.size() ? Step::close : Step::wait;
            default:
                return Step::close;
        }
    }

    [[nodiscard]] const fix::Message& message() const noexcept { return reader_.message(); }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return std::span(bytes_).first(used_); }
    [[nodiscard]] std::unique_ptr<tcp::KernelTcp> take_link() noexcept { return std::move(link_); }
    [[nodiscard]] int descriptor() const noexcept { return link_->descriptor(); }

private:
    std::unique_ptr<tcp::KernelTcp> link_;
    std::uint64_t deadline_ns_;
    std::size_t used_ = 0;
    std::vector<std::byte> bytes_;
    fix::Reader reader_;
};

}  // namespace tickpath::fix_engine
