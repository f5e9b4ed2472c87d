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

std::optional<CheckReport> check_nse(const Recording& recording, const nse::Layouts& layouts) {
    Evidence evidence;
    for (const Payload& payload : recording.payloads)
        look_at_datagram(payload.bytes, layouts, evidence);
    if (!evidence.is_nse()) return std::nullopt;

    CheckReport report;
    report.check = "nse";
    report.outcome = evidence.is_sound() ? Outcome::found : Outcome::bad_data;
    const std::string preset(preset_of(most_common_segment(evidence)));
    report.lines.push_back("an NSE broadcast: " + std::to_string(evidence.walked) + " of " +
                           std::to_string(evidence.datagrams) + " datagrams, " +
                           std::to_string(evidence.messages) + " messages");
    say_blocks(evidence, report);
    for (const auto& [kind, count] : evidence.without_layout)
        report.lines.push_back("no layout for transcode " + std::to_string(kind.first) + " of length " +
                               std::to_string(kind.second) + ": " + std::to_string(count) + " messages");
    if (!preset.empty())
        report.lines.push_back("decode it with: tickpath decode --feed " + preset + ' ' + recording.file);
    report.data = {{"outcome", name(report.outcome)},     {"feed", preset},
                   {"datagrams", evidence.datagrams},     {"datagrams_walked", evidence.walked},
                   {"messages", evidence.messages},       {"blocks", evidence.blocks},
                   {"blocks_good", evidence.good_blocks}, {"other_variant", evidence.is_other_variant()}};
    return report;
}

}  // namespace tickpath::doctor
