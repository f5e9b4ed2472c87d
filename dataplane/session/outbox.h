// Messages a session writes, from their header to the moment the link takes them. Once per message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/session_numbers.h"
#include "dataplane/session/now.h"
#include "dataplane/session/session_settings.h"
#include "decoders/fix/message.h"
#include "decoders/fix/writer.h"

namespace tickpath::session {

/// One message at a time: begin, add the body, commit. A number counts as used once commit succeeded, and is
/// stored before its bytes can be seen in output() (spec/fix-session.md §6 rule O).
class Outbox {
public:
    Outbox(const SessionSettings& settings, core::SessionNumbers& numbers);

    /// The next number, the header written. `route_of`: the message this one answers, whose OnBehalfOf fields
    /// become DeliverTo fields and the other way round (§2); nullptr for none.
    [[nodiscard]] fix::Writer& begin(std::string_view msg_type, Now now,
                                     const fix::Message* route_of = nullptr) noexcept;
    /// In place of an earlier message: `number`, PossDupFlag and OrigSendingTime (§4.5). Uses no number.
    [[nodiscard]] fix::Writer& begin_resend(std::string_view msg_type, std::uint64_t number,
                                            Now now) noexcept;
    /// False when there is no room: the message is forgotten and no number used.
    [[nodiscard]] bool commit() noexcept;

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return std::as_bytes(std::span(buffer_).subspan(start_, end_ - start_));
    }
    [[nodiscard]] bool empty() const noexcept { return start_ == end_; }
    void taken(std::size_t bytes) noexcept;
    void clear() noexcept { start_ = end_ = 0; }

    [[nodiscard]] fix::TimestampWriter& timestamps() noexcept { return timestamps_; }

private:
    void write_header(std::string_view msg_type, std::uint64_t number, Now now,
                      const fix::Message* route_of) noexcept;
    void write_route(const fix::Message& of) noexcept;

    const SessionSettings& settings_;
    core::SessionNumbers& numbers_;
    fix::Writer writer_;
    fix::TimestampWriter timestamps_;
    bool is_resend_ = false;
    std::vector<char> buffer_;
    std::size_t start_ = 0;
    std::size_t end_ = 0;
};

}  // namespace tickpath::session
