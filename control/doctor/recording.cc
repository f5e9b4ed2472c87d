#include "control/doctor/recording.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "control/capture/reader.h"
#include "decoders/base/whole_file.h"
#include "decoders/net/headers.h"

namespace tickpath::doctor {
namespace {

// Numbers groups as they come. A recording may have as many groups as datagrams.
class GroupNumbers {
public:
    explicit GroupNumbers(std::vector<std::string>& groups) : groups_(groups) {}

    std::uint32_t of(const std::string& group) {
        const auto [known, is_new] = numbers_.try_emplace(group, static_cast<std::uint32_t>(groups_.size()));
        if (is_new) groups_.push_back(group);
        return known->second;
    }

private:
    std::vector<std::string>& groups_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

void read_capture(Recording& recording, std::size_t payloads_max) {
    capture::Reader reader(recording.file);
    GroupNumbers numbers(recording.groups);
    while (const std::optional<capture::CapturedFrame> frame = reader.next()) {
        const net::UdpParse parsed = net::parse_udp(frame->bytes);
        if (parsed.outcome != net::UdpOutcome::ok) {
            ++recording.frames_passed_over;
            continue;
        }
        if (recording.payloads.size() == payloads_max) {
            recording.is_limited = true;
            return;
        }
        const std::span<const std::byte> bytes = parsed.udp.payload;
        recording.payloads.push_back(
            {frame->number, numbers.of(to_text(parsed.udp.group)), {bytes.begin(), bytes.end()}});
    }
    recording.error = reader.error();
}

void read_file(Recording& recording) {
    const FileContent content = read_whole_file(recording.file, data_bytes_max);
    if (!content) recording.error = recording.file + ": " + content.why;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(content.bytes));
    if (recording.error.empty() && bytes.empty()) recording.error = recording.file + ": is empty";
    recording.groups.emplace_back();
    recording.payloads.push_back({0, 0, {bytes.begin(), bytes.end()}});
}

}  // namespace

Recording read_recording(const std::string& path, std::size_t payloads_max) {
    Recording recording;
    recording.file = path;
    recording.is_capture = capture::is_capture_file(path);
    if (recording.is_capture) {
        read_capture(recording, payloads_max);
    } else {
        read_file(recording);
    }
    return recording;
}

Recording without_groups(const Recording& recording, const std::vector<std::uint32_t>& groups) {
    Recording rest = recording;
    rest.groups.clear();
    rest.payloads.clear();
    GroupNumbers numbers(rest.groups);
    std::vector<bool> is_left_out(recording.groups.size());
    for (const std::uint32_t group : groups)
        is_left_out[group] = true;
    for (const Payload& payload : recording.payloads) {
        if (is_left_out[payload.group]) continue;
        rest.payloads.push_back(payload);
        rest.payloads.back().group = numbers.of(recording.groups[payload.group]);
    }
    return rest;
}

}  // namespace tickpath::doctor
