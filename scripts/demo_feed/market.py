"""A small made-up market, the same for the same seed: five price levels a side, trades, and now and then a quote
inside the spread that a strategy should hit. It speaks in rows; write.py turns them into messages and expected ticks.
"""
import dataclasses
import random

DEPTH = 5
ADD, CHANGE, REMOVE = 0, 1, 2  # MDUpdateAction
BID, ASK, TRADE = "0", "1", "2"  # MDEntryType
BUY, SELL = 1, 2  # AggressorSide


@dataclasses.dataclass
class Row:
    """One entry of a message. Prices are in cents; size is None where an entry removes a level."""
    instrument: "Instrument"
    rpt_seq: int
    action: int
    kind: str
    level: int | None
    cents: int
    size: int | None
    time_ns: int
    aggressor: int | None = None


class Instrument:
    """Bids stay at 99.90 and below, offers at 100.10 and above; only a lure stands between."""

    def __init__(self, key, symbol, price_places, rng):
        self.key, self.symbol, self.price_places, self.rng = key, symbol, price_places, rng
        self.rpt_seq = 0
        self.sides = {BID: self._ladder(BID, 9980), ASK: self._ladder(ASK, 10020)}
        self.lured = None  # side with a quote inside the spread

    def _ladder(self, side, best):
        step = -1 if side == BID else 1
        return [[best + step * 2 * level, self.rng.randint(1, 500)] for level in range(DEPTH)]

    def _row(self, time_ns, action, kind, level, cents, size, aggressor=None):
        self.rpt_seq += 1
        return Row(self, self.rpt_seq, action, kind, level, cents, size, time_ns, aggressor)

    def _drop(self, side, level, time_ns):
        cents, _ = self.sides[side].pop(level - 1)
        return self._row(time_ns, REMOVE, side, level, cents, None)

    def _add(self, side, level, cents, size, time_ns):
        self.sides[side].insert(level - 1, [cents, size])
        return self._row(time_ns, ADD, side, level, cents, size)

    def resize(self, time_ns):
        side, level = self.rng.choice((BID, ASK)), self.rng.randint(1, DEPTH)
        entry = self.sides[side][level - 1]
        entry[1] = self.rng.randint(1, 500)
        return [self._row(time_ns, CHANGE, side, level, entry[0], entry[1])]

    def improve(self, time_ns):
        """A better best price; the venue sends five levels, so the last one goes."""
        side = self.rng.choice((BID, ASK))
        best = self.sides[side][0][0]
        better = best + self.rng.randint(1, 3) * (1 if side == BID else -1)
        if not (better <= 9990 if side == BID else better >= 10010):
            return self.trade(time_ns, side)
        return [self._drop(side, DEPTH, time_ns), self._add(side, 1, better, self.rng.randint(1, 500), time_ns)]

    def trade(self, time_ns, side):
        """The best level is traded away and a new last one comes into sight."""
        cents, size = self.sides[side][0]
        aggressor = SELL if side == BID else BUY
        rows = [self._row(time_ns, ADD, TRADE, None, cents, size, aggressor), self._drop(side, 1, time_ns)]
        last = self.sides[side][-1][0] + self.rng.randint(1, 3) * (-1 if side == BID else 1)
        return rows + [self._add(side, DEPTH, last, self.rng.randint(1, 500), time_ns)]

    def change(self, time_ns):
        if self.lured:
            side, self.lured = self.lured, None
            return self.trade(time_ns, side)
        return self.resize(time_ns) if self.rng.random() < 0.7 else self.improve(time_ns)

    def lure(self, side, time_ns):
        """A bid at 100.00 or above, or an offer at 99.99 or below: better than the strategy's limit."""
        self.lured = side
        cents = 10000 + self.rng.randint(0, 4) if side == BID else 9999 - self.rng.randint(0, 4)
        return [self._drop(side, DEPTH, time_ns), self._add(side, 1, cents, self.rng.randint(1, 40), time_ns)]

    def snapshot(self, time_ns):
        return [Row(self, self.rpt_seq, ADD, side, level, cents, size, time_ns)
                for side in (BID, ASK) for level, (cents, size) in enumerate(self.sides[side], 1)]


class Market:
    """Messages as lists of rows. The last instrument is in no instrument file: it is decoded, never traded."""

    KNOWN = (("1001", "ALFA-12.26", 2), ("1002", "BETA-12.26", 2), ("1003", "GAMA-12.26", 3), ("1004", "DELT-12.26", 2))
    UNLISTED = ("1999", "", 2)

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.instruments = [Instrument(*known, self.rng) for known in self.KNOWN + (self.UNLISTED,)]
        self.lure_count = 0

    def message(self, time_ns):
        """Changes of one instrument, now and then of two."""
        rows = []
        for instrument in self.rng.sample(self.instruments, 1 if self.rng.random() < 0.8 else 2):
            for _ in range(1 if instrument.lured else self.rng.choice((1, 1, 1, 2, 3))):
                rows += instrument.change(time_ns)
        return rows

    def lure(self, time_ns):
        """Bids and offers in turn, so that a position ends where it began."""
        instrument = self.instruments[(self.lure_count // 2) % len(self.KNOWN)]
        side = (BID, ASK)[self.lure_count % 2]
        if instrument.lured:
            return instrument.change(time_ns)
        self.lure_count += 1
        return instrument.lure(side, time_ns)
