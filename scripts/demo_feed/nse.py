"""A made-up NSE broadcast beside the FAST feed: full books of two tokens a message, tickers, circuit checks, packed as the
exchange does. It writes what an independent reader must make of them: ticks, and the orders that hit-quote should send.
"""
import random
import struct

import capture_file
import lzo1z

GROUP = ("233.1.2.5", 34331)
KNOWN = (("35001", "NIFTY-12.26"), ("35002", "BANKN-12.26"), ("35003", "RELI-12.26"))
UNLISTED = "35999"  # in no instrument file: nobody asks for it
DEPTH = 5
MARKET = 2  # futures and options
SECONDS_1970_TO_1980, INDIA_AHEAD_SECONDS = 315_532_800, 19_800


def india_seconds(time_ns):
    return time_ns // 10**9 - SECONDS_1970_TO_1980 + INDIA_AHEAD_SECONDS


def unix_ns(stamp):
    """Of a TimeStamp2, which counts 1/65536 seconds."""
    return ((stamp >> 16) + SECONDS_1970_TO_1980 - INDIA_AHEAD_SECONDS) * 10**9 + ((stamp & 0xFFFF) * 10**9 >> 16)


def message(transcode, sequence, time_ns, body):
    """The 8-byte prefix, BCAST_HEADER and body; returns it with its TimeStamp2."""
    stamp = india_seconds(time_ns) << 16 | ((time_ns % 10**9) << 16) // 10**9
    header = struct.pack(">ii2shhiiQ8sh", 0, india_seconds(time_ns), b"  ", transcode, 0, sequence, 0x3C000000, stamp,
                         b"\x05       ", 40 + len(body))
    return bytes((MARKET,)) + b"YZ**123" + header + body, stamp


def packed(content, is_compressed):
    if not is_compressed:
        return struct.pack(">h", 0) + content
    block = lzo1z.compress(content)
    return struct.pack(">h", len(block)) + block


class Instrument:
    """Bids stay at 99.90 and below, offers at 100.10 and above; only a lure stands between."""

    def __init__(self, token, symbol, rng):
        self.token, self.symbol, self.rng = token, symbol, rng
        self.key = f"fo|{token}"
        self.volume = 0
        self.last_cents = 9990
        self.best = {"bid": 9980, "ask": 10020}
        self.levels = {"bid": [], "ask": []}  # as the reader has them: (cents, size), best first
        self.was_seen = False

    def ladder(self, side, lure_cents=None):
        """Now and then a level is missing at the end."""
        step = -5 if side == "bid" else 5
        first = lure_cents or self.best[side]
        rest = self.best[side] + (step if lure_cents is None else 0)
        cents = [first] + [rest + step * level for level in range(DEPTH - 1)]
        count = DEPTH if self.rng.random() < 0.9 else self.rng.randint(1, DEPTH)
        return [(price, self.rng.randint(1, 40)) for price in cents[:count]]

    def walk(self):
        self.best["bid"] = min(9990, max(9700, self.best["bid"] + self.rng.choice((-5, 0, 5))))
        self.best["ask"] = max(10010, min(10300, self.best["ask"] + self.rng.choice((-5, 0, 5))))


def record(instrument, levels, traded_ns):
    rows = b"".join(struct.pack(">iihh", size, cents, 1, 0) for side in ("bid", "ask")
                    for cents, size in (levels[side] + [(0, 0)] * DEPTH)[:DEPTH])
    start = struct.pack(">ihhIi1s1siiiihhhiiii", int(instrument.token), 1, 2, instrument.volume, instrument.last_cents, b"+", b" ",
                        9990, 1, india_seconds(traded_ns), instrument.last_cents, 0, 0, 0, 0, 0, 0, 0)
    end = struct.pack(">hhddHiiii", 0, 0, 1000.0, 900.0, 0, 9990, 9980, 10100, 9900)
    return start + rows + end


class Feed:
    """Datagrams with their expected ticks. `tick_row` and `fixed` are the FAST writer's, so that files have one form."""

    def __init__(self, seed, fixed, quantity_max):
        self.rng = random.Random(seed)
        self.fixed, self.quantity_max = fixed, quantity_max
        self.instruments = [Instrument(*known, self.rng) for known in KNOWN] + [Instrument(UNLISTED, "", self.rng)]
        self.sequences = {}
        self.frames, self.ticks, self.orders = [], [], []
        self.datagrams = self.messages = self.lures = 0

    def datagram(self, time_ns, lures):
        """One to three messages; with `lures` the first one holds a quote worth hitting."""
        self.datagrams += 1
        count = self.rng.choice((1, 1, 2, 3))
        content = b""
        for index in range(count):
            draw = 0.0 if index == 0 else self.rng.random()
            if draw < 0.7:
                content += self._books(time_ns, index, lures and index == 0)
            elif draw < 0.95:
                content += self._tickers(time_ns, index)
            else:
                content += packed(self._message(6541, time_ns, b"")[0], is_compressed=False)
        self.messages += count
        payload = struct.pack(">Bch", MARKET, b" ", count) + content
        self.frames.append((time_ns, capture_file.frame(*GROUP, payload, identification=self.datagrams)))

    def _message(self, transcode, time_ns, body):
        self.sequences[transcode] = self.sequences.get(transcode, 0) + 1
        return message(transcode, self.sequences[transcode], time_ns, body)

    def _books(self, time_ns, index, lures):
        chosen = self.rng.sample(self.instruments, 1 if lures else self.rng.choice((1, 2)))
        lured = self._lure(chosen) if lures else {}
        records, changes = b"", []
        for instrument in chosen:
            instrument.walk()
            traded = self.rng.choice((0, 0, 3, 10))
            instrument.volume += traded
            levels = {side: instrument.ladder(side, lured.get(side)) for side in ("bid", "ask")}
            records += record(instrument, levels, time_ns - 10**9)
            changes.append((instrument, traded, levels))
        content, stamp = self._message(7208, time_ns, struct.pack(">h", len(chosen)) + records.ljust(2 * 214, b"\0"))
        for entry, (instrument, traded, levels) in enumerate(changes):
            if instrument.symbol:
                self._expect_book(index, entry, instrument, traded, levels, time_ns, unix_ns(stamp))
            if lures and instrument.symbol:
                self._expect_order(index, entry, instrument, lured, levels)
        return packed(content, is_compressed=True)

    def _lure(self, chosen):
        """Bids and offers in turn, so that a position ends where it began."""
        chosen[:] = [self.instruments[self.lures // 2 % len(KNOWN)]]
        self.lures += 1
        return {"bid": 10000 + self.rng.randint(0, 4)} if self.lures % 2 else {"ask": 9999 - self.rng.randint(0, 4)}

    def _expect_book(self, index, entry, instrument, traded, levels, time_ns, sending_ns):
        def tick(kind, side, action, level, cents, size, exchange_time):
            self.ticks.append(("A", self.datagrams, index, entry, instrument.key, instrument.symbol, kind, side, action, level,
                               cents if cents == "" else self.fixed(cents, 2), size, "", exchange_time, sending_ns))
        if traded and instrument.was_seen:
            tick("trade", "", "add", "", instrument.last_cents, traded, time_ns // 10**9 * 10**9 - 10**9)
        instrument.was_seen = True
        for side in ("bid", "ask"):
            had, has = len(instrument.levels[side]), len(levels[side])
            for level, (cents, size) in enumerate(levels[side], 1):
                tick("quote", side, "change" if level <= had else "add", level, cents, size, "")
            for level in range(had, has, -1):
                tick("quote", side, "remove", level, "", "", "")
            instrument.levels[side] = levels[side]

    def _expect_order(self, index, entry, instrument, lured, levels):
        side = next(iter(lured))
        cents, size = levels[side][0]
        start = f"00{self.datagrams:08X}{index:02X}{entry:02X}"
        self.orders.append((start, instrument.symbol, "sell" if side == "bid" else "buy", self.fixed(cents, 2),
                            min(size, self.quantity_max)))

    def _tickers(self, time_ns, index):
        chosen = self.rng.sample(self.instruments, 2)
        rows = [(instrument, self.rng.randint(1, 10**6)) for instrument in chosen]
        body = struct.pack(">h", len(rows)) + b"".join(
            struct.pack(">ihiiqqq", int(instrument.token), 1, instrument.last_cents, 1, interest, interest, interest)
            for instrument, interest in rows)
        content, stamp = self._message(17202, time_ns, body.ljust(498 - 40, b"\0"))
        for entry, (instrument, interest) in enumerate(rows):
            if not instrument.symbol:
                continue
            for kind, price, size in (("trade", self.fixed(instrument.last_cents, 2), ""), ("open_interest", "", interest)):
                self.ticks.append(("A", self.datagrams, index, entry, instrument.key, instrument.symbol, kind, "", "add", "",
                                   price, size, "", "", unix_ns(stamp)))
        return packed(content, is_compressed=True)
