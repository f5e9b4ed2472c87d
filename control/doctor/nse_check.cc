#include "control/doctor/nse_check.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "decoders/lzo1z/decompress.h"

namespace tickpath::doctor {
namespace {

namespace nse = framing::nse;

struct Evidence {
    std::uint64_t datagrams = 0;
    std::uint64_t walked = 0;  ///< of a known market, with messages, to their last byte
    std::uint64_t messages = 0;
    std::uint64_t blocks = 0;
    std::uint64_t good_blocks = 0;  ///< decompressed to the length that their header says
    std::array<std::uint64_t, errc_count> failures{};
    std::map<nse::Segment, std::uint64_t> by_segment;
    std::map<std::pair<std::int16_t, std::int16_t>, std::uint64_t> without_layout;  ///< by code, length

    void add(const Evidence& other) {
        datagrams += other.datagrams;
        walked += other.walked;
        messages += other.messages;
        blocks += other.blocks;
        good_blocks += other.good_blocks;
        for (std::size_t i = 0; i < failures.size(); ++i)
            failures[i] += other.failures[i];
        for (const auto& [segment, count] : other.by_segment)
            by_segment[segment] += count;
        for (const auto& [kind, count] : other.without_layout)
            without_layout[kind] += count;
    }
    [[nodiscard]] bool is_nse() const { return walked != 0 && walked * 10 >= datagrams * 9; }
    [[nodiscard]] bool is_sound() const { return good_blocks * 10 >= blocks * 9; }
    [[nodiscard]] bool is_other_variant() const {
        return failures[static_cast<std::size_t>(Errc::lookbehind_overrun)] * 2 > blocks;
    }
};

std::string_view preset_of(nse::Segment segment) {
    switch (segment) {
        case nse::Segment::fo:
            return "nse-fo";
        case nse::Segment::cm:
            return "nse-cm";
        case nse::Segment::cd:
        case nse::Segment::unknown:
            break;
    }
    return "";
}

void look_at_message(std::span<const std::byte> message, const nse::Layouts& layouts, Evidence& evidence) {
    const nse::HeaderView header(message);
    if (layouts.find(header.segment(), header) == nullptr)
        ++evidence.without_layout[{header.transcode(), header.message_length()}];
}

void look_at_block(std::span<const std::byte> block, const nse::Layouts& layouts, Evidence& evidence) {
    std::array<std::byte, nse::message_bytes_max> out{};
    ++evidence.blocks;
    const lzo1z::DecompressResult done = lzo1z::decompress(block, out);
    const std::span<const std::byte> message = std::span<const std::byte>(out).first(done.written);
    const Errc error = done.error != Errc::ok ? done.error : nse::check_length(message);
    ++evidence.failures[static_cast<std::size_t>(error)];
    if (error != Errc::ok) return;
    ++evidence.good_blocks;
    look_at_message(message, layouts, evidence);
}

void look_at_datagram(std::span<const std::byte> payload, const nse::Layouts& layouts, Evidence& evidence) {
    ++evidence.datagrams;
    std::vector<nse::PackedMessage> messages;
    nse::Datagram datagram(payload);
    for (nse::PackedMessage message; datagram.next(message);)
        messages.push_back(message);
    if (datagram.error() != Errc::ok || messages.empty() || datagram.segment() == nse::Segment::unknown)
        return;
    ++evidence.walked;
    ++evidence.by_segment[datagram.segment()];
    evidence.messages += messages.size();
    for (const nse::PackedMessage& message : messages) {
        if (message.is_compressed)
            look_at_block(message.bytes, layouts, evidence);
        else
            look_at_message(message.bytes, layouts, evidence);
    }
}

nse::Segment most_common_segment(const Evidence& evidence) {
    nse::Segment most = nse::Segment::unknown;
    std::uint64_t count = 0;
    for (const auto& [segment, datagrams] : evidence.by_segment)
        if (datagrams > count) {
            most = segment;
            count = datagrams;
        }
    return most;
}

std::string failures_text(const Evidence& evidence) {
    std::string text;
    for (std::size_t i = 1; i < errc_count; ++i) {
        if (evidence.failures[i] == 0) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(evidence.failures[i]) + ' ' +
                std::string(code(static_cast<Errc>(i)));
    }
    return text;
}

nlohmann::ordered_json to_json(const Evidence& evidence) {
    return {{"datagrams", evidence.datagrams},     {"datagrams_walked", evidence.walked},
            {"messages", evidence.messages},       {"blocks", evidence.blocks},
            {"blocks_good", evidence.good_blocks}, {"other_variant", evidence.is_other_variant()}};
}

void say_group(const std::string& group, const Evidence& evidence, CheckReport& report) {
    const std::string preset(preset_of(most_common_segment(evidence)));
    report.lines.push_back((group.empty() ? "" : group + ": ") + "an NSE broadcast" +
                           (preset.empty() ? "" : " (" + preset + ")") + ": " +
                           std::to_string(evidence.walked) + " of " + std::to_string(evidence.datagrams) +
                           " datagrams, " + std::to_string(evidence.messages) + " messages");
    nlohmann::ordered_json row = to_json(evidence);
    row["group"] = group;
    row["feed"] = preset;
    report.data["groups"].push_back(std::move(row));
}

void say_layouts(const Evidence& evidence, CheckReport& report) {
    for (const auto& [kind, count] : evidence.without_layout)
        report.lines.push_back("no layout for transcode " + std::to_string(kind.first) + " of length " +
                               std::to_string(kind.second) + ": " + std::to_string(count) + " messages");
}

void say_blocks(const Evidence& evidence, CheckReport& report) {
    report.lines.push_back(std::to_string(evidence.good_blocks) + " of " + std::to_string(evidence.blocks) +
                           " compressed messages decompress as LZO1Z to the length in their header");
    const std::string failures = failures_text(evidence);
    if (!failures.empty()) report.lines.push_back("the others: " + failures);
    if (evidence.is_other_variant())
        report.lines.emplace_back(
            "most blocks look back before their beginning: they are of another LZO variant (LZO1X or LZO1Y), "
            "not the LZO1Z that the exchange sends");
    else if (!evidence.is_sound())
        report.lines.emplace_back(
            "lengths are NSE's, but the blocks are not whole: was the capture cut or changed?");
}

}  // namespace

std::optional<NseAnswer> check_nse(const Recording& recording, const nse::Layouts& layouts) {
    std::vector<Evidence> by_group(recording.groups.size());
    for (const Payload& payload : recording.payloads)
        look_at_datagram(payload.bytes, layouts, by_group[payload.group]);
    NseAnswer answer;
    Evidence all;
    for (std::uint32_t group = 0; group < by_group.size(); ++group) {
        if (!by_group[group].is_nse()) continue;
        answer.groups.push_back(group);
        all.add(by_group[group]);
        say_group(recording.groups[group], by_group[group], answer.report);
    }
    if (answer.groups.empty()) return std::nullopt;
    answer.report.check = "nse";
    answer.report.outcome = all.is_sound() ? Outcome::found : Outcome::bad_data;
    if (!recording.error.empty()) answer.report.lines.push_back(recording.error);
    say_blocks(all, answer.report);
    say_layouts(all, answer.report);
    const std::string preset(preset_of(most_common_segment(all)));
    if (!preset.empty())
        answer.report.lines.push_back("decode it with: tickpath decode --feed " + preset + ' ' +
                                      recording.file);
    answer.report.data["outcome"] = name(answer.report.outcome);
    answer.report.data["feed"] = preset;
    answer.report.data["input_error"] = recording.error;
    answer.report.data.update(to_json(all));
    return answer;
}

}  // namespace tickpath::doctor
