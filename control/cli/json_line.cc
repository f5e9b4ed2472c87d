#include "control/cli/json_line.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "control/cli/message_json.h"
#include "decoders/base/printable.h"

namespace tickpath::cli {
namespace {

using nlohmann::json;

// Which strings of the line, keys included and counted from 0, begin with the escaped letter.
std::vector<std::size_t> escaped_strings(std::string_view text) {
    std::vector<std::size_t> found;
    if (text.find(escaped_hex_prefix) == std::string_view::npos) return found;
    std::size_t number = 0;
    bool is_inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_inside && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            if (is_inside) ++number;
            is_inside = !is_inside;
            if (is_inside && text.substr(i + 1).starts_with(escaped_hex_prefix)) found.push_back(number);
        }
    }
    return found;
}

// Thrown out of the parser, which has no other way to end early and say why.
struct Refusal {
    std::string problem;
};

// Looks at each part of the line as the parser comes to it.
class Watch {
public:
    explicit Watch(std::vector<std::size_t> escaped) : escaped_(std::move(escaped)) {}

    void see(json::parse_event_t event, json& parsed) {
        switch (event) {
            case json::parse_event_t::object_start:
                open(true);
                break;
            case json::parse_event_t::array_start:
                open(false);
                break;
            case json::parse_event_t::object_end:
                keys_.pop_back();
                --depth_;
                break;
            case json::parse_event_t::array_end:
                --depth_;
                break;
            case json::parse_event_t::key:
                ++strings_;
                see_key(parsed.get_ref<const std::string&>());
                break;
            case json::parse_event_t::value:
                if (parsed.is_string() && std::ranges::binary_search(escaped_, strings_++))
                    parsed = {{"text", std::move(parsed)}};
                break;
        }
    }

private:
    void open(bool is_object) {
        if (++depth_ > json_depth_max)
            throw Refusal{"nests more than " + std::to_string(json_depth_max) + " deep"};
        if (is_object) keys_.emplace_back();
    }
    void see_key(const std::string& key) {
        if (!keys_.back().insert(key).second)
            throw Refusal{"has \"" + printable_in_line(key) + "\" twice in one object"};
    }

    std::vector<std::size_t> escaped_;
    std::vector<std::set<std::string>> keys_;  // of the objects that are open
    std::size_t strings_ = 0;
    int depth_ = 0;
};

}  // namespace

JsonLine parse_json_line(const std::string& text) {
    Watch watch(escaped_strings(text));
    try {
        return {json::parse(text,
                            [&](int, json::parse_event_t event, json& parsed) {
                                watch.see(event, parsed);
                                return true;
                            }),
                {}};
    } catch (const Refusal& refusal) {
        return {{}, refusal.problem};
    } catch (const json::parse_error& error) {
        return {{}, "is no JSON: something is wrong at column " + std::to_string(error.byte)};
    } catch (const json::out_of_range&) {
        return {{}, "has a number that is out of range"};  // 1e400
    }
}

}  // namespace tickpath::cli
