// Every choice and limit of one engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/session/session_settings.h"
#include "dataplane/tcp/kernel_tcp.h"

namespace tickpath::fix_engine {

struct EngineSettings {
    tcp::Endpoint listen;         ///< where acceptor sessions are waited for; port 0: the system chooses
    std::string store_directory;  ///< of all sessions' numbers
    std::vector<session::SessionSettings> sessions;  ///< role acceptor, all on the one port
    tcp::KernelTcpSettings link;
    std::uint32_t pending_max = 64;  ///< connections that have not logged on yet; one more ends the oldest
    std::uint32_t first_message_bytes_max = 4096;  ///< a longer Logon is not read
    std::uint32_t logon_timeout_ms = 10'000;       ///< from the connect to the first message
};

}  // namespace tickpath::fix_engine
