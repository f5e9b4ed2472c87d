// Reads one field of a datagram without decoding the rest: the sequencer needs the packet number before it
// knows whether the packet is worth decoding. Hot: once per packet of each line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "decoders/fast/decoder.h"

namespace tickpath::fast {

/// Works on dictionaries of its own that start each datagram undefined, and honours every reset inside it: a
/// datagram whose number depends on an earlier datagram has none. The real decoder's state is not touched.
class SequencePeek {
public:
    /// `path` is an integer field at the top level of the messages that carry it ("MsgSeqNum").
    SequencePeek(const std::shared_ptr<const Templates>& templates, std::string_view path,
                 DecoderOptions options);

    /// Whether any template has the field as an integer; without one read() always returns nullopt.
    [[nodiscard]] bool usable() const noexcept { return usable_; }

    /// The field of the first message that has it. nullopt when none does, or when decoding fails before it.
    [[nodiscard]] std::optional<std::uint64_t> read(std::span<const std::byte> datagram,
                                                    std::size_t writable_tailroom_bytes) noexcept;

private:
    Decoder decoder_;
    std::vector<std::optional<FieldRef>> field_by_template_;
    bool usable_ = false;
};

}  // namespace tickpath::fast
