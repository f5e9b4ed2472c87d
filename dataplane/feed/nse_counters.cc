#include "dataplane/feed/nse_counters.h"

#include <string>

namespace tickpath::feed {

NseCounters::NseCounters(core::CounterPage& page, std::string_view owner, const CompiledNse& feed)
    : datagrams(page.add(owner, "datagrams")),
      messages_raw(page.add(owner, "messages_raw")),
      of_no_interest(page.add(owner, "messages_of_no_interest")),
      datagrams_cut(page.add(owner, "datagrams_cut")),
      lengths_bad(page.add(owner, "lengths_bad")),
      segments_other(page.add(owner, "messages_of_other_segment")),
      prefix_mismatches(page.add(owner, "prefix_mismatches")),
      without_layout(page.add(owner, "messages_without_layout")),
      lagging(page.add(owner, "nse_messages_lagging")),
      ahead(page.add(owner, "nse_messages_ahead")),
      times_set_back(page.add(owner, "nse_times_set_back")),
      times_set_forward(page.add(owner, "nse_times_set_forward")),
      counts_bad(page.add(owner, "nse_counts_bad")),
      without_token(page.add(owner, "nse_records_without_token")),
      without_ticks(page.add(owner, "messages_without_ticks")),
      soft_gaps(page.add(owner, "soft_gaps")),
      soft_gap_messages(page.add(owner, "soft_gap_messages")),
      heartbeats(page.add(owner, "heartbeats")),
      silences(page.add(owner, "feed_silences")) {
    for (const framing::nse::Layout& layout : feed.layouts().all()) {
        if (layout.segment != feed.description().nse.segment) {
            by_layout.emplace_back();  // of another market: never counted
            continue;
        }
        by_layout.push_back(page.add(
            owner, "messages_" + std::to_string(layout.transcode) + "_" + std::to_string(layout.length)));
    }
}

}  // namespace tickpath::feed
