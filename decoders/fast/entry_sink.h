// Where a decoder hands the elements of a sequence, each as soon as it is complete, for those who cannot wait
// for the end of the message. Hot when it is used; a decoder without one pays nothing
// (Templates::with_entry_sinks).
#pragma once

#include <cstdint>

#include "decoders/fast/message.h"

namespace tickpath::fast {

/// An element, before its message is complete. Valid during the call.
struct Entry {
    std::uint32_t template_index = 0;  ///< as Message::template_index
    /// The message so far: fields that stand before the sequence. Those behind it read as whatever was there.
    Row root;
    Row row;
    bool is_last = false;  ///< of its sequence
};

/// The message may still fail after any number of its elements; then Decoder::next() returns false as ever.
struct EntrySink {
    using Function = void (*)(void* owner, const Entry& entry) noexcept;

    Function on_entry = [](void*, const Entry&) noexcept {};
    void* owner = nullptr;
};

}  // namespace tickpath::fast
