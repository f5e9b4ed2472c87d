// A machine of files that a test makes up.
#pragma once

#include <filesystem>
#include <string>

#include "control/doctor/machine.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::doctor {

class MadeUpMachine {
public:
    MadeUpMachine() { machine.root = folder_.file(""); }

    /// A file by its absolute path on the machine, with its line break as the kernel writes it.
    MadeUpMachine& file(const std::string& path, const std::string& content) {
        std::filesystem::create_directories(std::filesystem::path(on_disk(path)).parent_path());
        (void)folder_.write(path.substr(1), content + '\n');
        return *this;
    }
    MadeUpMachine& folder(const std::string& path) {
        std::filesystem::create_directories(on_disk(path));
        return *this;
    }
    MadeUpMachine& link(const std::string& path, const std::string& target) {
        std::filesystem::create_directories(std::filesystem::path(on_disk(path)).parent_path());
        std::filesystem::create_symlink(target, on_disk(path));
        return *this;
    }
    /// A network card on the bus, bound to `driver` unless that is empty.
    MadeUpMachine& card(const std::string& address, const std::string& driver) {
        const std::string device = "/sys/bus/pci/devices/" + address;
        file(device + "/class", "0x020000");
        return driver.empty() ? *this : link(device + "/driver", "../../../bus/pci/drivers/" + driver);
    }
    /// An interface of that card; `state` as in its operstate.
    MadeUpMachine& interface(const std::string& address, const std::string& name, const std::string& state) {
        folder("/sys/bus/pci/devices/" + address + "/net/" + name);
        return file("/sys/class/net/" + name + "/operstate", state);
    }

    Machine machine;

private:
    [[nodiscard]] std::string on_disk(const std::string& path) const { return folder_.file(path.substr(1)); }

    test::TemporaryFolder folder_;
};

}  // namespace tickpath::doctor
