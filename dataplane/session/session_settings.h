// Every choice and limit of one FIX session, with its default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "decoders/fix/number.h"

namespace tickpath::session {

enum class Role : std::uint8_t { initiator, acceptor };

/// spec/fix-session.md; numbers in brackets below are its sections.
struct SessionSettings {
    Role role = Role::initiator;
    std::string begin_string = "FIX.4.4";
    std::string sender;  ///< SenderCompID of what we send
    std::string target;  ///< TargetCompID of what we send
    std::uint32_t heartbeat_s =
        30;  ///< HeartBtInt an initiator asks for; an acceptor adopts its peer's. 0 = none

    bool reset_on_logon = false;  ///< initiator: sends 141=Y; acceptor: resets before judging a Logon (4.2)
    bool announce_reset = false;  ///< acceptor: answers 141=Y to a Logon that reset_on_logon reset
    bool accept_unrequested_reset = true;  ///< initiator: follows a 141=Y it did not ask for
    bool check_comp_ids = true;            ///< 2
    bool check_latency = true;             ///< 4.4
    bool ascending_fields =
        false;  ///< header and body sorted by tag, as the acceptance scripts compare (1.3)
    std::uint32_t latency_max_s = 120;                              ///< between SendingTime and our clock
    fix::TimePrecision time_precision = fix::TimePrecision::milli;  ///< of times we write
    std::string test_request_id = "TEST";

    std::uint32_t logon_timeout_ms = 10'000;
    std::uint32_t logout_timeout_ms = 2'000;
    std::uint32_t test_request_percent =
        120;  ///< of the heartbeat interval, in silence, until a TestRequest (4.6)
    std::uint32_t silence_percent = 240;  ///< of the heartbeat interval, in silence, until the link is closed
    std::uint32_t resend_timeout_ms = 5'000;   ///< without progress; at least the heartbeat interval (4.5)
    std::uint32_t resend_attempts_max = 3;     ///< requests for one gap before a Logout
    std::uint32_t resends_per_range_max = 10;  ///< answers to one and the same ResendRequest before a Logout
    std::uint32_t refusals_max = 5;            ///< Logons refused in a row until gave_up() (6)

    std::uint32_t message_bytes_max = 64 * 1024;  ///< longer ones close the link (1.4)
    std::uint32_t fields_max = 1024;              ///< per message
    std::uint32_t output_bytes = 64 * 1024;       ///< written and not yet taken by the link
    std::uint32_t queue_bytes = 256 * 1024;       ///< of messages that wait for a gap to close
    std::uint32_t queue_messages_max = 1024;      ///< beyond it they are dropped and asked for again
};

}  // namespace tickpath::session
