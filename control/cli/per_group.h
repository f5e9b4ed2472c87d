// One decoder for each multicast group of a capture, where dictionaries outlive datagrams: groups number and
// reset their messages on their own, so that one dictionary for all of them would mix their values without a
// sign. Cold.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "control/cli/decode_output.h"
#include "control/cli/talk.h"
#include "decoders/fast/decoder.h"

namespace tickpath::cli {

/// A decoder takes about 2.3 MiB; a capture may hold any number of groups.
inline constexpr std::size_t groups_max = 256;

template <class Decoder>
class PerGroup {
public:
    using Make = std::function<std::unique_ptr<Decoder>()>;

    PerGroup(fast::ResetRule reset, Make make)
        : is_shared_(reset == fast::ResetRule::message || reset == fast::ResetRule::datagram),
          make_(std::move(make)) {}

    /// The decoder of this datagram's group; the only one of a file, or where every datagram starts anew.
    /// Null for a group beyond the first groups_max, which is said once.
    [[nodiscard]] Decoder* find(const DatagramPlace& place) {
        const std::string group = is_shared_ || !place.capture ? std::string() : place.capture->group;
        const auto found = decoders_.find(group);
        if (found != decoders_.end()) return found->second.get();
        if (decoders_.size() == groups_max) return refuse(group, place);
        return decoders_.emplace(group, make_()).first->second.get();
    }

    /// A datagram of this group was lost, or of no group that its frame could tell: then of any.
    void on_loss(const DatagramPlace& place) {
        if (!place.capture || place.capture->knows_group) {
            if (Decoder* const decoder = find(place)) decoder->poison();
            return;
        }
        for (const auto& [group, decoder] : decoders_)
            decoder->poison();
    }

private:
    // The error `limit` says that there was a limit, not which.
    Decoder* refuse(const std::string& group, const DatagramPlace& place) {
        if (!std::exchange(has_refused_, true))
            say("packet " + std::to_string(place.capture->packet) + ": group " + group +
                " is beyond the first " + std::to_string(groups_max) +
                " groups, each of which has dictionaries of its own: the number of groups is the limit; cut "
                "the "
                "file into several");
        return nullptr;
    }

    bool is_shared_;
    bool has_refused_ = false;
    Make make_;
    std::map<std::string, std::unique_ptr<Decoder>> decoders_;
};

}  // namespace tickpath::cli
