#include "dataplane/feed/decode_stage.h"

#include <string>

namespace tickpath::feed {

DecodeCounters::DecodeCounters(core::CounterPage& page, std::string_view owner)
    : messages(page.add(owner, "messages")), messages_unmapped(page.add(owner, "messages_unmapped")) {
    for (std::size_t i = 1; i < failures.size(); ++i)
        failures[i] = page.add(owner, "failed_" + std::string(code(static_cast<Errc>(i))));
    for (std::size_t i = 0; i < reports.size(); ++i)
        reports[i] = page.add(owner, "reported_" + std::string(code(errc_of(static_cast<fast::Report>(i)))));
}

void DecodeStage::note_failure(const Packet& packet) noexcept {
    const fast::DecodeError error = decoder_.error_place();
    if (error.error == Errc::ok)
        return note_failure(packet, Errc::missing, 0, static_cast<std::uint32_t>(packet.body.size()));
    note_failure(packet, error.error, error.template_id, error.offset);
}

void DecodeStage::note_failure(const Packet& packet, Errc error, std::uint32_t template_id,
                               std::uint32_t offset) noexcept {
    counters_.failures[static_cast<std::size_t>(error)].add();
    counters_.last_failure = {.error = error,
                              .channel = channel_,
                              .line = packet.line,
                              .packet_number = packet.number,
                              .frame_number = packet.frame_number,
                              .template_id = template_id,
                              .offset = packet.body_offset + offset};
}

}  // namespace tickpath::feed
