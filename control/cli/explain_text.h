// An explained message as lines that a person reads who never saw FAST. Cold.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "decoders/fast/explain.h"

namespace tickpath::cli {

/// A few lines on how FAST works and how to read the table; once, before the first message.
[[nodiscard]] std::string explain_legend();

/// One message: a heading, then a line per step. `number` counts from 1; `offset` is where the datagram
/// begins in its file or payload, and is added to all bytes shown. `where` goes into the heading: "packet 7,
/// ".
[[nodiscard]] std::string explain_text(const fast::ExplainedMessage& message,
                                       std::span<const std::byte> datagram, std::uint64_t number,
                                       std::uint64_t offset, const std::string& where);

}  // namespace tickpath::cli
