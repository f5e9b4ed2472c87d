// SessionRejectReason (373) and the text that goes with each (spec/fix-session.md §3).
#pragma once

#include <cstdint>
#include <string_view>

namespace tickpath::session::reject_reason {

inline constexpr std::uint32_t invalid_tag = 0;
inline constexpr std::uint32_t required_tag_missing = 1;
inline constexpr std::uint32_t no_value = 4;
inline constexpr std::uint32_t value_out_of_range = 5;
inline constexpr std::uint32_t incorrect_format = 6;
inline constexpr std::uint32_t comp_id_problem = 9;
inline constexpr std::uint32_t sending_time_problem = 10;
inline constexpr std::uint32_t invalid_msg_type = 11;
inline constexpr std::uint32_t last_of_fix42 = 11;  ///< FIX 4.2 knows no higher number: the text goes alone
inline constexpr std::uint32_t other = 99;

[[nodiscard]] constexpr std::string_view text(std::uint32_t reason) noexcept {
    switch (reason) {
        case invalid_tag:
            return "Invalid tag number";
        case required_tag_missing:
            return "Required tag missing";
        case 2:
            return "Tag not defined for this message type";
        case 3:
            return "Undefined Tag";
        case no_value:
            return "Tag specified without a value";
        case value_out_of_range:
            return "Value is incorrect (out of range) for this tag";
        case incorrect_format:
            return "Incorrect data format for value";
        case comp_id_problem:
            return "CompID problem";
        case sending_time_problem:
            return "SendingTime accuracy problem";
        case invalid_msg_type:
            return "Invalid MsgType";
        case 13:
            return "Tag appears more than once";
        case 14:
            return "Tag specified out of required order";
        case 15:
            return "Repeating group fields out of order";
        case 16:
            return "Incorrect NumInGroup count for repeating group";
        default:
            return "Message cannot be processed";
    }
}

}  // namespace tickpath::session::reject_reason
