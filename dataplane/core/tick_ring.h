// The ring between the receive side and the trade side: one tick by value in two cache lines.
#pragma once

#include <cstddef>

#include "dataplane/core/cache_line.h"
#include "dataplane/core/slot_ring.h"

namespace tickpath::core {

/// `T` is model::Tick (core does not know the model); a hop costs about 220 ns for the slot's two lines.
template <class T>
class TickRing : public SlotRing<T> {
    static_assert(SlotRing<T>::slot_bytes() == 2 * cache_line_bytes,
                  "a tick and its sequence word fill two lines");

public:
    using SlotRing<T>::SlotRing;
};

}  // namespace tickpath::core
