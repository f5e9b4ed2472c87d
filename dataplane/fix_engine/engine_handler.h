// What an application hears from its sessions.
#pragma once

#include <cstddef>
#include <string_view>

#include "decoders/fix/message.h"

namespace tickpath::fix_engine {

/// Sessions are named by their index in EngineSettings::sessions. Called on the engine's thread, inside poll;
/// sending from inside a callback is allowed, closing the engine is not.
class EngineHandler {
public:
    virtual ~EngineHandler() = default;

    virtual void on_logon(std::size_t session) noexcept = 0;
    /// Application messages and Rejects, in sequence; see session::SessionHandler.
    virtual void on_message(std::size_t session, const fix::Message& message, bool poss_dup) noexcept = 0;
    /// The session is down. `reason` is for a person.
    virtual void on_logout(std::size_t session, std::string_view reason) noexcept = 0;
};

}  // namespace tickpath::fix_engine
