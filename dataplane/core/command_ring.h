// What control asks of a polling core. Drained between bursts, so that no state is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dataplane/core/slot_ring.h"

namespace tickpath::core {

enum class CommandKind : std::uint8_t {
    arm,        ///< orders may be sent from now on
    disarm,     ///< no new orders; open ones stay
    kill,       ///< no new orders until the process starts again
    stop,       ///< finish what is in hand, then leave the loop
    report,     ///< write the state of this worker into its snapshots now
    link_lost,  ///< nothing comes in at the port with the index `argument` any more
    link_back,  ///< it may again
};

[[nodiscard]] constexpr std::string_view name(CommandKind kind) noexcept {
    switch (kind) {
        case CommandKind::arm:
            return "arm";
        case CommandKind::disarm:
            return "disarm";
        case CommandKind::kill:
            return "kill";
        case CommandKind::stop:
            return "stop";
        case CommandKind::report:
            return "report";
        case CommandKind::link_lost:
            return "link lost";
        case CommandKind::link_back:
            return "link back";
    }
    return "stop";
}

struct Command {
    CommandKind kind = CommandKind::report;
    std::uint64_t argument = 0;  ///< meaning depends on the kind; 0 where it has none
};

/// One control thread to one worker; a worker has a ring for each thread that may command it.
class CommandRing {
public:
    static constexpr std::size_t commands_max = 64;  ///< waiting at a time
    static constexpr std::size_t drained_max = 4;    ///< per loop: a flood of commands must not delay a tick

    CommandRing() : ring_(commands_max) {}

    /// Called by the control thread. False when the worker has commands_max commands to read yet: it is
    /// stuck.
    [[nodiscard]] bool send(Command command) noexcept { return ring_.push(command); }

    /// Called by the worker: runs `execute(Command)` on at most drained_max waiting commands; returns how
    /// many.
    template <class Execute>
    std::size_t drain(Execute&& execute) {
        std::size_t count = 0;
        for (; count < drained_max; ++count) {
            const Command* const command = ring_.front();
            if (command == nullptr) break;
            execute(*command);
            ring_.pop();
        }
        return count;
    }

private:
    SlotRing<Command> ring_;
};

}  // namespace tickpath::core
