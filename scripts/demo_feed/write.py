#!/usr/bin/env python3
"""Writes the demo feed: a capture of two lines and a snapshot loop, the instrument file, and what must come out.

FOLDER/feed.pcap        nanosecond pcap; B copies A a little later, each misses packets that the other has
FOLDER/fast.pcap        of feed.pcap the FAST feed alone, where an NSE broadcast goes along (--nse): `decode` takes one feed
FOLDER/nse.pcap         and the broadcast alone
FOLDER/orders.pcap      of feed.pcap the FAST feed, and the orders it causes, each a known time after its packet (order_stream.py)
FOLDER/instruments.csv  the instruments that may be traded
FOLDER/ticks.csv        the ticks of the incremental packets, as an independent reader should see them
FOLDER/snapshots.csv    the ticks that the snapshots hold
FOLDER/nse_ticks.csv    the ticks of the NSE broadcast that goes along, where one was asked for (--nse)
FOLDER/orders.csv       the orders that hit-quote should send: sell to bids from 100.00, buy from offers to 99.99
FOLDER/facts.json       counts
The same seed and sizes give the same bytes.
"""
import argparse
import csv
import json
import os
import random
import struct
import sys

import capture_file
import fast_encoder
import market
import nse
import order_stream

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEMPLATES = os.path.join(ROOT, "templates/fast/demo/demo.xml")
GROUPS = {"A": ("239.192.10.1", 30001), "B": ("239.192.20.1", 30001), "SA": ("239.192.10.2", 30002)}
START_NS = 1_796_049_000 * 10**9  # 2026-11-30 14:30:00 UTC
TICK_COLUMNS = ("line", "packet_seq", "msg", "entry", "instrument", "symbol", "kind", "side", "action", "level",
                "price", "quantity", "rpt_seq", "exchange_time", "sending_time")
ORDER_COLUMNS = ("cl_ord_id_start", "symbol", "side", "price", "quantity")
SIDES = {market.BID: "bid", market.ASK: "ask"}


def fixed(cents, places):
    """99.8 at two places is 99.80; the feed's prices are cents."""
    scaled = cents * 10**places // 100
    return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"


def decimal(cents):
    """(mantissa, exponent) as venues send them: the exponent goes along with the zeros of the price."""
    if cents % 100 == 0:
        return cents // 100, 0
    return (cents // 10, -1) if cents % 10 == 0 else (cents, -2)


def incremental_fields(number, sending_ns, rows):
    return {"MessageNumber": number, "SendingTime": sending_ns, "MDEntries": [
        {"MDUpdateAction": row.action, "MDEntryType": row.kind, "SecurityID": int(row.instrument.key), "RptSeq": row.rpt_seq,
         "MDPriceLevel": row.level, "MDEntryPx": decimal(row.cents), "MDEntrySize": row.size, "MDEntryTime": row.time_ns,
         "AggressorSide": row.aggressor} for row in rows]}


def snapshot_fields(instrument, last_packet, sending_ns, rows):
    return {"SendingTime": sending_ns, "LastPacketNumber": last_packet, "SecurityID": int(instrument.key),
            "RptSeq": instrument.rpt_seq, "MDEntries": [
                {"MDEntryType": row.kind, "MDPriceLevel": row.level, "MDEntryPx": decimal(row.cents), "MDEntrySize": row.size,
                 "MDEntryTime": row.time_ns} for row in rows]}


def tick(line, packet, message, entry, row, sending_ns):
    is_trade = row.kind == market.TRADE
    side = {market.BUY: "bid", market.SELL: "ask"}[row.aggressor] if is_trade else SIDES[row.kind]
    return (line, packet, message, entry, row.instrument.key, row.instrument.symbol, "trade" if is_trade else "quote", side,
            ("add", "change", "remove")[row.action], row.level or "", fixed(row.cents, row.instrument.price_places),
            "" if row.size is None else row.size, row.rpt_seq, row.time_ns, sending_ns)


class Feed:
    """Packets in the order of their numbers, each with the frames of the lines that carry it."""

    def __init__(self, options):
        self.options = options
        self.rng = random.Random(options.seed + 1)
        self.market = market.Market(options.seed)
        self.encoder = fast_encoder.Encoder(TEMPLATES)
        self.frames, self.ticks, self.snapshots, self.orders, self.timed_orders = [], [], [], [], []
        self.snapshot_number = 0
        self.time_ns = START_NS
        self.last_b_ns = 0
        self.message_number = 0
        self.missed = {"A": 0, "B": 0}

    def write_all(self):
        for number in range(1, self.options.packets + 1):
            self._advance(number)
            self._incremental(number)
            if number % self.options.snapshot_every == 0:
                self._snapshot(number)

    def _advance(self, number):
        """A steady pace with a burst of ten packets, 5 us apart, once in a hundred."""
        is_burst = number % 100 < 10
        self.time_ns += 5_000 if is_burst else int(self.rng.uniform(0.5, 1.5) * 1e9 / self.options.rate)

    def _incremental(self, number):
        sending_ns = self.time_ns - 3_000
        self.encoder.reset()
        content, message_rows = b"", []
        is_lure = number > self.options.lure_from and number % self.options.lure_every == 0
        for _ in range(1 if is_lure else self.rng.choice((1, 1, 1, 2, 3))):
            rows = self.market.lure(sending_ns - 500) if is_lure else self.market.message(sending_ns - 500)
            self.message_number += 1
            content += self.encoder.encode("DemoIncremental", incremental_fields(self.message_number, sending_ns, rows))
            message_rows.append(rows)
        line, sent_ns = self._send_lines(number, struct.pack("<I", number) + content)
        for message, rows in enumerate(message_rows):
            for entry, row in enumerate(rows):
                self.ticks.append(tick(line, number, message, entry, row, sending_ns))
            self._expect_orders(line, sent_ns, number, message, rows)

    def _send_lines(self, number, payload):
        """B comes 20 to 80 us after A, one in ten 5 us before, each line in order; returns the line that is first and its time."""
        lag_ns = self.rng.randint(20_000, 80_000) if self.rng.random() < 0.9 else -5_000
        self.last_b_ns = max(self.time_ns + lag_ns, self.last_b_ns + 1_000)
        times = {"A": self.time_ns, "B": self.last_b_ns}
        for line in self._lost_on(number):
            del times[line]
            self.missed[line] += 1
        for line, time_ns in times.items():
            self._frame(time_ns, line, payload)
        first = min(times, key=times.get, default="")
        return first, times.get(first, 0)

    def _lost_on(self, number):
        draw = self.rng.random()
        if number in self.options.hole:
            return "AB"
        if number <= 10:
            return ""  # a reader that joins here must not take a late copy for an old packet
        return "A" if draw < self.options.loss else "B" if draw < 2 * self.options.loss else ""

    def _snapshot(self, number):
        """Well after both lines, so that the packets it includes have arrived."""
        known = self.market.instruments
        instrument = known[self.snapshot_number % len(known)]
        self.snapshot_number += 1
        rows = instrument.snapshot(self.time_ns)
        self.encoder.reset()
        content = self.encoder.encode("DemoSnapshot", snapshot_fields(instrument, number, self.time_ns, rows))
        self._frame(self.time_ns + 100_000, "SA", struct.pack("<I", self.snapshot_number) + content)
        self.time_ns += 200_000
        for entry, row in enumerate(rows):
            self.snapshots.append(tick("SA", self.snapshot_number, 0, entry, row, self.time_ns - 200_000))

    def _frame(self, time_ns, line, payload):
        self.frames.append((time_ns, capture_file.frame(*GROUPS[line], payload, identification=len(self.frames))))

    def _expect_orders(self, line, sent_ns, number, message, rows):
        """hit-quote looks once per message and instrument; the order is for the quote's size, at most the cap."""
        for entry, row in enumerate(rows):
            is_lure = row.kind == market.BID and row.cents >= 10000 or row.kind == market.ASK and row.cents <= 9999
            if is_lure and row.action == market.ADD and row.instrument.symbol:
                start = f"{'AB'.find(line):02X}{number:08X}{message:02X}{entry:02X}"
                order = (start, row.instrument.symbol, "sell" if row.kind == market.BID else "buy",
                         fixed(row.cents, row.instrument.price_places), min(row.size, self.options.quantity_max))
                self.orders.append(order)
                if line:
                    self.timed_orders.append((sent_ns, *order))


def write_broadcast(feed):
    """An NSE broadcast over the time of the FAST feed: books first, then now and then one worth hitting."""
    options = feed.options
    broadcast = nse.Feed(options.seed + 2, fixed, options.quantity_max)
    step_ns = (feed.time_ns - START_NS) // (options.nse + 1)
    for number in range(1, options.nse + 1):
        lures = number > options.nse_lure_from and number % options.nse_lure_every == 0
        broadcast.datagram(START_NS + number * step_ns, lures)
    return broadcast


def write_capture(folder, name, frames):
    capture_file.write(os.path.join(folder, name), sorted(frames, key=lambda pair: pair[0]))


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def instrument_rows(known):
    for instrument in known:
        if instrument.symbol:
            tick_size = fixed(1, instrument.price_places)
            yield (instrument.key, instrument.symbol, instrument.price_places, 0, tick_size, 1)


def broadcast_instrument_rows():
    for token, symbol in nse.KNOWN:
        yield (f"fo|{token}", symbol, 2, 0, fixed(1, 2), 1)


def facts(feed, broadcast):
    return {"nse_datagrams": broadcast.datagrams, "nse_messages": broadcast.messages, "nse_ticks": len(broadcast.ticks),
            "nse_orders": len(broadcast.orders), "frames": len(feed.frames) + len(broadcast.frames), "packets": feed.options.packets, "messages": feed.message_number,
            "snapshots": feed.snapshot_number, "ticks": len(feed.ticks), "orders": len(feed.orders),
            "missed_on_a": feed.missed["A"], "missed_on_b": feed.missed["B"],
            "seconds": (feed.frames[-1][0] - feed.frames[0][0]) / 1e9}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packets", type=int, default=6000, help="incremental packets")
    parser.add_argument("--rate", type=float, default=2000, help="packets per second")
    parser.add_argument("--loss", type=float, default=0.02, help="part of the packets that A misses, and that B misses")
    parser.add_argument("--snapshot-every", type=int, default=20, help="packets between two snapshots")
    parser.add_argument("--lure-every", type=int, default=50, help="packets between two quotes worth hitting")
    parser.add_argument("--lure-from", type=int, default=500, help="packet after which these begin: books are valid by then")
    parser.add_argument("--quantity-max", type=int, default=20, help="the strategy's cap")
    parser.add_argument("--hole", type=int, action="append", default=[], help="packet that both lines miss; may be repeated")
    parser.add_argument("--nse", type=int, default=0, help="datagrams of an NSE broadcast among the others")
    parser.add_argument("--nse-lure-every", type=int, default=20, help="datagrams between two quotes worth hitting")
    parser.add_argument("--nse-lure-from", type=int, default=100, help="datagram after which these begin")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    feed = Feed(options)
    feed.write_all()
    broadcast = write_broadcast(feed)
    os.makedirs(options.folder, exist_ok=True)
    write_capture(options.folder, "feed.pcap", feed.frames + broadcast.frames)
    write_capture(options.folder, "orders.pcap", feed.frames + order_stream.frames(feed.timed_orders))
    instruments = list(instrument_rows(feed.market.instruments))
    if options.nse:
        write_capture(options.folder, "fast.pcap", feed.frames)
        write_capture(options.folder, "nse.pcap", broadcast.frames)
        instruments += broadcast_instrument_rows()
        write_csv(os.path.join(options.folder, "nse_ticks.csv"), TICK_COLUMNS, broadcast.ticks)
    write_csv(os.path.join(options.folder, "instruments.csv"),
              ("key", "symbol", "price_places", "quantity_places", "tick_size", "lot_size"), instruments)
    write_csv(os.path.join(options.folder, "ticks.csv"), TICK_COLUMNS, feed.ticks)
    write_csv(os.path.join(options.folder, "snapshots.csv"), TICK_COLUMNS, feed.snapshots)
    write_csv(os.path.join(options.folder, "orders.csv"), ORDER_COLUMNS, feed.orders + broadcast.orders)
    with open(os.path.join(options.folder, "facts.json"), "w", encoding="utf-8") as file:
        json.dump(facts(feed, broadcast), file, indent=1)
    print(json.dumps(facts(feed, broadcast)))


if __name__ == "__main__":
    main(sys.argv[1:])
