// What can be said of a list of instructions before it is compiled: presence-map bits, row bits, shortest
// form. References must resolve. Cold.
#pragma once

#include <vector>

#include "decoders/fast/definition.h"

namespace tickpath::fast {

/// Whether the operator takes a bit of the presence map (table in spec/fast.md §3.1).
[[nodiscard]] bool takes_bit(Operator op, bool optional) noexcept;

/// Bits of the segment's own presence map, conditional ones included; groups and elements with maps of their
/// own count only by their presence or length bit. The segment has a map iff this is not 0 (messages always
/// do).
[[nodiscard]] unsigned map_bits(const std::vector<FieldDefinition>& fields, const TemplateNames& names);

/// Optional fields and groups whose presence a row must remember, without nested rows.
[[nodiscard]] unsigned presence_bits(const std::vector<FieldDefinition>& fields, const TemplateNames& names);

/// Bytes that the fields take at least on the wire, without the segment's own map.
[[nodiscard]] unsigned bytes_min(const std::vector<FieldDefinition>& fields, const TemplateNames& names);

}  // namespace tickpath::fast
