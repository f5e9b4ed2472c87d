#include "control/doctor/machine.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <sys/timex.h>

#include "control/doctor/interface_features.h"

namespace tickpath::doctor {
namespace {

std::filesystem::path below(const std::filesystem::path& root, std::string_view path) {
    return root / path.substr(path.find_first_not_of('/'));
}

// "cpu10" comes after "cpu9".
bool comes_before(const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
}

bool is_kernel_clock_synchronised() {
    timex clock{};
    return ::adjtimex(&clock) != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
}

}  // namespace

Machine Machine::this_one() {
    return {.root = "/",
            .is_clock_synchronised = is_kernel_clock_synchronised(),
            .interfaces = features_of_interfaces()};
}

std::string Machine::line_of(std::string_view path) const {
    return line_with(path, {});
}

std::string Machine::line_with(std::string_view path, std::string_view start) const {
    std::ifstream file(below(root, path));
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(start)) return line;
    return {};
}

std::vector<std::string> Machine::names_in(std::string_view folder) const {
    std::vector<std::string> names;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(below(root, folder), failure), end; !failure && at != end;
         at.increment(failure))
        names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end(), comes_before);
    return names;
}

bool Machine::has_folder_in(std::string_view folder) const {
    const std::vector<std::string> names = names_in(folder);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        std::error_code failure;
        return std::filesystem::is_directory(below(root, folder) / name, failure);
    });
}

bool Machine::has(std::string_view path) const {
    std::error_code failure;
    return std::filesystem::exists(below(root, path), failure);
}

std::string Machine::link_name(std::string_view path) const {
    std::error_code failure;
    return std::filesystem::read_symlink(below(root, path), failure).filename().string();
}

}  // namespace tickpath::doctor
