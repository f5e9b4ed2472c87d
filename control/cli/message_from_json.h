// A line that `tickpath decode --format jsonl` printed, back to a message: the inverse of message_json.h.
// Cold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "decoders/fast/message_builder.h"

namespace tickpath::cli {

/// The template of a printed label: a name, or the id of a template without one. Null when there is none.
[[nodiscard]] const fast::Template* find_by_label(const fast::Templates& templates, std::string_view label);

struct BuiltFromJson {
    std::string problem;  ///< what is wrong and where, for a person; empty when the builder is finished
    std::uint64_t texts_from_hex = 0;  ///< unicode texts that were taken for the bytes after their "hex:"
};

/// Builds `tmpl`'s message from the line's "fields" object.
[[nodiscard]] BuiltFromJson build_from_json(const nlohmann::json& fields, const fast::Template& tmpl,
                                            fast::MessageBuilder& builder);

}  // namespace tickpath::cli
