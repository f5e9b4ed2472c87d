// A line that `tickpath decode --format jsonl` printed, back to a message: the inverse of message_json.h.
// Cold.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "decoders/fast/message_builder.h"

namespace tickpath::cli {

/// The template of a printed label: a name, or the id of a template without one. Null when there is none.
[[nodiscard]] const fast::Template* find_by_label(const fast::Templates& templates, std::string_view label);

/// Builds `tmpl`'s message from the line's "fields" object. Returns what is wrong with it and where, for a
/// person; empty when nothing is, and then the builder is finished.
[[nodiscard]] std::string build_from_json(const nlohmann::json& fields, const fast::Template& tmpl,
                                          fast::MessageBuilder& builder);

}  // namespace tickpath::cli
