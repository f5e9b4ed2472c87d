// Names of the FIX fields and message types this program uses; numbers as in the FIX 4.4 dictionary.
#pragma once

#include <cstdint>
#include <string_view>

namespace tickpath::fix {

inline constexpr char soh = '\x01';  ///< ends every field

namespace tag {
inline constexpr std::uint32_t account = 1;
inline constexpr std::uint32_t avg_px = 6;
inline constexpr std::uint32_t begin_seq_no = 7;
inline constexpr std::uint32_t begin_string = 8;
inline constexpr std::uint32_t body_length = 9;
inline constexpr std::uint32_t check_sum = 10;
inline constexpr std::uint32_t cl_ord_id = 11;
inline constexpr std::uint32_t cum_qty = 14;
inline constexpr std::uint32_t end_seq_no = 16;
inline constexpr std::uint32_t exec_id = 17;
inline constexpr std::uint32_t last_px = 31;
inline constexpr std::uint32_t last_qty = 32;
inline constexpr std::uint32_t msg_seq_num = 34;
inline constexpr std::uint32_t msg_type = 35;
inline constexpr std::uint32_t new_seq_no = 36;
inline constexpr std::uint32_t order_id = 37;
inline constexpr std::uint32_t order_qty = 38;
inline constexpr std::uint32_t ord_status = 39;
inline constexpr std::uint32_t ord_type = 40;
inline constexpr std::uint32_t orig_cl_ord_id = 41;
inline constexpr std::uint32_t poss_dup_flag = 43;
inline constexpr std::uint32_t price = 44;
inline constexpr std::uint32_t ref_seq_num = 45;
inline constexpr std::uint32_t sender_comp_id = 49;
inline constexpr std::uint32_t sender_sub_id = 50;
inline constexpr std::uint32_t sending_time = 52;
inline constexpr std::uint32_t side = 54;
inline constexpr std::uint32_t symbol = 55;
inline constexpr std::uint32_t target_comp_id = 56;
inline constexpr std::uint32_t target_sub_id = 57;
inline constexpr std::uint32_t text = 58;
inline constexpr std::uint32_t time_in_force = 59;
inline constexpr std::uint32_t transact_time = 60;
inline constexpr std::uint32_t encrypt_method = 98;
inline constexpr std::uint32_t cxl_rej_reason = 102;
inline constexpr std::uint32_t ord_rej_reason = 103;
inline constexpr std::uint32_t poss_resend = 97;
inline constexpr std::uint32_t heart_bt_int = 108;
inline constexpr std::uint32_t test_req_id = 112;
inline constexpr std::uint32_t on_behalf_of_comp_id = 115;
inline constexpr std::uint32_t on_behalf_of_sub_id = 116;
inline constexpr std::uint32_t orig_sending_time = 122;
inline constexpr std::uint32_t gap_fill_flag = 123;
inline constexpr std::uint32_t deliver_to_comp_id = 128;
inline constexpr std::uint32_t deliver_to_sub_id = 129;
inline constexpr std::uint32_t reset_seq_num_flag = 141;
inline constexpr std::uint32_t on_behalf_of_location_id = 144;
inline constexpr std::uint32_t deliver_to_location_id = 145;
inline constexpr std::uint32_t exec_type = 150;
inline constexpr std::uint32_t leaves_qty = 151;
inline constexpr std::uint32_t ref_tag_id = 371;
inline constexpr std::uint32_t ref_msg_type = 372;
inline constexpr std::uint32_t session_reject_reason = 373;
inline constexpr std::uint32_t business_reject_ref_id = 379;
inline constexpr std::uint32_t business_reject_reason = 380;
inline constexpr std::uint32_t cxl_rej_response_to = 434;
inline constexpr std::uint32_t next_expected_msg_seq_num = 789;
}  // namespace tag

namespace msg_type {
inline constexpr std::string_view heartbeat = "0";
inline constexpr std::string_view test_request = "1";
inline constexpr std::string_view resend_request = "2";
inline constexpr std::string_view reject = "3";
inline constexpr std::string_view sequence_reset = "4";
inline constexpr std::string_view logout = "5";
inline constexpr std::string_view execution_report = "8";
inline constexpr std::string_view order_cancel_reject = "9";
inline constexpr std::string_view logon = "A";
inline constexpr std::string_view new_order_single = "D";
inline constexpr std::string_view order_cancel_request = "F";
inline constexpr std::string_view order_status_request = "H";
inline constexpr std::string_view business_message_reject = "j";
}  // namespace msg_type

/// The session's own messages (35 = A 0 1 2 3 4 5); everything else belongs to the application.
[[nodiscard]] constexpr bool is_admin(std::string_view type) noexcept {
    return type.size() == 1 && ((type[0] >= '0' && type[0] <= '5') || type[0] == 'A');
}

}  // namespace tickpath::fix
