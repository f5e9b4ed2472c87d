// What `tickpath doctor` looks at is a list of checks; each says what it found in one form. A new check is a
// file of its own with one function that returns a CheckReport. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tickpath::doctor {

enum class Outcome : std::uint8_t {
    found,
    cannot_tell,  ///< what is there fits more than one answer
    bad_data,     ///< what is there fits no answer
};

[[nodiscard]] constexpr const char* name(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::found:
            return "found";
        case Outcome::cannot_tell:
            return "cannot_tell";
        case Outcome::bad_data:
            return "bad_data";
    }
    return "bad_data";
}

struct CheckReport {
    std::string check;  ///< one word: "fast"
    Outcome outcome = Outcome::bad_data;
    std::vector<std::string> lines;  ///< for a person, at most a screen
    nlohmann::ordered_json data;     ///< the same for programs
};

}  // namespace tickpath::doctor
