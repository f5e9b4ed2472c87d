// What a feed path is built from: channels with their compiled feed, ports and limits. Cold; filled by the
// launcher.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/feed/compiled_feed.h"
#include "dataplane/feed/compiled_nse.h"
#include "dataplane/model/instrument.h"
#include "decoders/framing/description.h"
#include "decoders/net/mac_address.h"

namespace tickpath::feed {

/// A line and the port its group is joined on: the same group on another port is unknown there.
struct LinePlan {
    framing::Line line;
    std::uint16_t port = 0;       ///< index of the port in the configuration, as in model::Frame
    bool check_checksum = false;  ///< see port::PortSettings
};

struct ChannelPlan {
    std::uint16_t index = 0;  ///< model::Tick::channel, unique over all workers
    std::string name;
    // One of the two: which codec the feed has.
    std::shared_ptr<const CompiledFeed> feed = nullptr;
    std::shared_ptr<const CompiledNse> nse = nullptr;
    framing::BookSettings book;
    std::vector<LinePlan> lines;
};

/// Sizes of what is taken at construction.
struct FeedLimits {
    std::uint32_t queued_ticks_max = 8192;     ///< per channel, while books are invalid
    std::uint32_t snapshot_ticks_max = 16384;  ///< per channel: entries of one snapshot, all fragments
    std::uint32_t holes_kept = 256;            ///< for the report; all are counted
};

/// The table by InstrumentId that feed, trade and journal look names and scales up in. It outlives the path.
///
/// Known instruments stand first. A path writes only its own range of learned entries, each once and before
/// the first tick that names it, so that a reader behind a ring sees it complete.
struct InstrumentTable {
    std::span<model::Instrument> all;
    std::uint32_t known_count = 0;
    std::uint32_t learned_first = 0;  ///< first id this path may fill; not below known_count
    std::uint32_t learned_max = 0;    ///< how many from there; learned_first + learned_max <= all.size()
};

struct FeedPlan {
    std::vector<ChannelPlan> channels;
    std::vector<net::MacAddress> port_macs;  ///< by port index; frames from them are our own echo
    InstrumentTable instruments;
    FeedLimits limits;
    /// Snapshot ticks that no book needed go to the sink flagged `unused`, for files that hold every tick.
    bool forward_unused = false;
    /// Ticks leave as soon as their entry is decoded, flagged `early` (model/tick.h). For a trade side that
    /// decides at entries.
    bool by_entry = false;
};

}  // namespace tickpath::feed
