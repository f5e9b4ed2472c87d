#include "dataplane/feed/recovery.h"

namespace tickpath::feed {

RecoveryCounters::RecoveryCounters(core::CounterPage& page, std::string_view owner)
    : books_invalidated(page.add(owner, "books_invalidated")),
      instrument_gaps(page.add(owner, "instrument_gaps")),
      healed(page.add(owner, "books_healed")),
      entries_old(page.add(owner, "entries_old")),
      entries_unusable(page.add(owner, "entries_unusable")),
      stale_ticks(page.add(owner, "stale_ticks")),
      queue_overflows(page.add(owner, "queue_overflows")),
      snapshots_applied(page.add(owner, "snapshots_applied")),
      snapshots_unused(page.add(owner, "snapshots_unused")),
      snapshots_too_old(page.add(owner, "snapshots_too_old")),
      snapshots_incomplete(page.add(owner, "snapshots_incomplete")),
      snapshots_broken(page.add(owner, "snapshots_broken")),
      snapshots_too_large(page.add(owner, "snapshots_too_large")) {}

}  // namespace tickpath::feed
