// The command that adds parameters to the kernel's command line. Cold.
#pragma once

#include <string>

namespace tickpath::doctor {

/// Behind those that are there, for the kernel listens to the last. For machines that start by GRUB, as
/// Debian does; takes effect at the next start of the machine.
[[nodiscard]] inline std::string kernel_parameter_command(const std::string& parameters) {
    return R"(sudo sed -i 's/^GRUB_CMDLINE_LINUX="[^"]*/& )" + parameters +
           "/' /etc/default/grub && sudo update-grub  # then restart the machine";
}

}  // namespace tickpath::doctor
