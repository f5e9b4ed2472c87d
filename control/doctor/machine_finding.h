// What a check of the machine says. Cold.
#pragma once

#include <cstdint>
#include <string>

namespace tickpath::doctor {

enum class MachineState : std::uint8_t {
    ok,
    mend,    ///< the path works worse than it could, or not at all in some mode
    absent,  ///< nothing here that could be right or wrong
};

[[nodiscard]] constexpr const char* name(MachineState state) noexcept {
    switch (state) {
        case MachineState::ok:
            return "ok";
        case MachineState::mend:
            return "mend";
        case MachineState::absent:
            return "absent";
    }
    return "absent";
}

struct MachineFinding {
    std::string check;  ///< "clock_source"
    MachineState state = MachineState::absent;
    std::string found;    ///< one line for a person
    std::string command;  ///< the one that mends it; empty unless the state is mend
};

}  // namespace tickpath::doctor
