#include "dataplane/trade/book.h"

#include <cstring>

namespace tickpath::trade {

// With the best level last, levels better than the place move one up, those at and below it stay: they are
// one number further from the best all the same.
void BookSide::insert(std::size_t from_best, const Level& level) noexcept {
    Level* const place = levels_ + count_ - from_best;
    std::memmove(place + 1, place, from_best * sizeof(Level));
    *place = level;
    ++count_;
}

// The side is full: what is at the place and below moves down over the worst level.
void BookSide::insert_dropping_worst(std::size_t from_best, const Level& level) noexcept {
    const std::size_t worse = count_ - 1 - from_best;
    std::memmove(levels_, levels_ + 1, worse * sizeof(Level));
    levels_[worse] = level;
}

void BookSide::remove(std::size_t from_best) noexcept {
    Level* const place = levels_ + count_ - 1 - from_best;
    std::memmove(place, place + 1, from_best * sizeof(Level));
    --count_;
}

}  // namespace tickpath::trade
