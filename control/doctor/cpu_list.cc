#include "control/doctor/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace tickpath::doctor {
namespace {

std::optional<unsigned> parse_cpu(std::string_view text) {
    unsigned cpu = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    const bool is_whole = failure == std::errc() && end == text.data() + text.size();
    return is_whole && cpu <= cpu_number_max ? std::optional(cpu) : std::nullopt;
}

bool add_range(std::string_view range, CpuList& cpus) {
    const std::size_t dash = range.find('-');
    const auto first = parse_cpu(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_cpu(range.substr(dash + 1));
    if (!first || !last || *last < *first) return false;
    for (unsigned cpu = *first; cpu <= *last; ++cpu)
        cpus.push_back(cpu);
    return true;
}

}  // namespace

std::optional<CpuList> parse_cpu_list(std::string_view text) {
    CpuList cpus;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (!add_range(text.substr(0, comma), cpus)) return std::nullopt;
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (text.empty()) return std::nullopt;
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
}

std::string to_text(const CpuList& cpus) {
    std::string text;
    for (std::size_t at = 0; at < cpus.size();) {
        std::size_t last = at;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
            ++last;
        text += (text.empty() ? "" : ",") + std::to_string(cpus[at]);
        if (last != at) text += '-' + std::to_string(cpus[last]);
        at = last + 1;
    }
    return text;
}

CpuList difference(const CpuList& all, const CpuList& without) {
    CpuList rest;
    std::set_difference(all.begin(), all.end(), without.begin(), without.end(), std::back_inserter(rest));
    return rest;
}

}  // namespace tickpath::doctor
