#include "decoders/fast/stream_decoder.h"

#include <algorithm>
#include <utility>

namespace tickpath::fast {
namespace {

DecoderOptions without_datagrams(DecoderOptions options) {
    if (options.reset == ResetRule::datagram) options.reset = ResetRule::never;
    return options;
}

}  // namespace

StreamDecoder::StreamDecoder(std::shared_ptr<const Templates> templates, DecoderOptions options)
    : decoder_(std::move(templates), without_datagrams(options)),
      message_bytes_max_(options.limits.datagram_bytes_max) {
    decoder_.keep_undo_log();
}

void StreamDecoder::begin(std::span<const std::byte> received, std::size_t writable_tailroom_bytes) noexcept {
    received_ = received;
    tailroom_bytes_ = writable_tailroom_bytes;
    window_begin_ = window_used_ = 0;
    open_window();
}

// Only a stretch that reaches the end of what was received may have the caller's tailroom behind it.
void StreamDecoder::open_window() noexcept {
    window_begin_ += window_used_;
    window_used_ = 0;
    const std::size_t left = received_.size() - window_begin_;
    window_bytes_ = std::min(left, message_bytes_max_);
    decoder_.begin(received_.subspan(window_begin_, window_bytes_),
                   window_bytes_ == left ? tailroom_bytes_ : 0);
}

bool StreamDecoder::next() noexcept {
    for (;;) {
        if (decoder_.next_in_stream()) {
            window_used_ = decoder_.message().end();
            return true;
        }
        if (decoder_.error() != Errc::ok) return false;
        const bool is_full = window_bytes_ == message_bytes_max_;
        if (is_full && window_used_ == 0) {
            decoder_.fail_in_stream(Errc::limit);
            return false;
        }
        if (window_begin_ + window_bytes_ == received_.size()) return false;
        open_window();
    }
}

DecodeError StreamDecoder::error_place() const noexcept {
    DecodeError place = decoder_.error_place();
    place.offset += static_cast<std::uint32_t>(window_begin_);
    return place;
}

}  // namespace tickpath::fast
