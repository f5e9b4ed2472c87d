"""decide="entry" from capture to order: the ticks of decide="message", the same orders or more and none later, and what becomes of a
message that fails behind its first entries."""
import collections
import csv
import os
import shutil

import capture_slice
import fix_peer
import harness
import run_config
import tap

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FORTS = os.path.join(SHARED, "data/feeds/moex-forts-2013")
FORTS_FEED = f'preset="moex-spectra-2013" templates="{FORTS}/templates.xml"'
DEMO_FEED = f'description="{run_config.DEMO_DESCRIPTION}"'
DEMO_INCREMENTAL = ("239.192.10.1", "239.192.20.1")
NO_LIMITS = ('order_quantity_max="0" price_band_percent="0" orders_per_second="0" position_gross_max="0" position_net_max="0" '
             'notional_max="0"')
# Which message an order answers, and what it says.
Cause = collections.namedtuple("Cause", "packet message symbol side price quantity")


def flags(tick):
    return set(tick["flags"].split("|")) - {""}


def said(ticks):
    return [{**tick, "flags": flags(tick) - {"early"}} for tick in ticks]


def early(ticks):
    return [tick for tick in ticks if "early" in flags(tick)]


def messages_of(ticks):
    """Ticks of entries by their packet and message."""
    found = collections.defaultdict(list)
    for tick in ticks:
        if tick["entry"] != "65535" and tick["line"] in ("A", "B"):
            found[tick["packet_seq"], tick["msg"]].append(tick)
    return found


def causes(orders):
    """The entry at which each order was decided. A ClOrdID is line, packet, message, entry and a counter."""
    return {Cause(order[11][2:10], order[11][10:12], order[55], order[54], order[44], order[38]): int(order[11][12:14], 16)
            for order in orders}


class DecideEntry(harness.SystemTest):
    def run_with(self, decide, capture, feed, strategy, *arguments):
        """(report, ticks, orders as the exchange saw them) of a replay to its end."""
        shutil.rmtree(self.path("store"), ignore_errors=True)  # a day of its own
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        # Books may be crossed in the middle of an event; nobody waits for this machine.
        trade = run_config.trade(filling.peer.port, when="any", strategy=strategy, risk=NO_LIMITS)
        trade = trade.replace("<trade ", f'<trade decide="{decide}" max_tick_age_us="0" ')
        config = self.write(f"{decide}.xml", run_config.text("pcap:" + capture, feed=feed, trade=trade))
        ticks = self.path(f"{decide}.csv")
        report = self.run_to_end("run", config, "--json", "--ticks", ticks, *arguments, name=decide).expect_exit(0).json()
        filling.join(harness.PATIENCE_S)
        self.assertIsNone(filling.error)
        with open(ticks, encoding="utf-8", newline="") as file:
            return report, list(csv.DictReader(file)), filling.orders

    def expect_same_but_sooner(self, channel, *replay):
        by_message, ticks, orders = self.run_with("message", *replay)
        by_entry, ticks_by_entry, orders_by_entry = self.run_with("entry", *replay)
        self.assertEqual(early(ticks), [])
        self.assertEqual(said(ticks_by_entry), said(ticks))
        self.assertGreater(len(early(ticks_by_entry)), 100)

        self.assertGreater(len(orders), 10)
        self.assertGreaterEqual(len(orders_by_entry), len(orders))
        late, soon = causes(orders), causes(orders_by_entry)
        self.assertEqual(len(late), len(orders), "one of a kind for each message")
        for cause, entry in late.items():
            self.assertLessEqual(soon[cause], entry, cause)
        for report, count, placed in ((by_message, 0, orders), (by_entry, len(early(ticks_by_entry)), orders_by_entry)):
            self.assertEqual(report["counters"][f"r0.{channel}.early_ticks"], count)
            self.assertEqual(report["counters"][f"r0.{channel}.early_ticks_failed"], 0)
            self.assertEqual(report["totals"]["orders"], len(placed))
        self.assertGreaterEqual(by_entry["totals"]["events"], by_message["totals"]["events"])
        return sum(soon[cause] < entry for cause, entry in late.items())

    def test_the_made_up_feed_gives_the_same_ticks_and_no_order_later(self):
        self.write_feed(packets=3000)
        self.expect_same_but_sooner("DEMO", "feed.pcap", DEMO_FEED, 'name="hit-quote" sell_at="100.00" buy_at="99.99" quantity_max="20"')

    def test_forts_2013_gives_the_same_ticks_and_no_order_later(self):
        if not os.path.exists(FORTS):
            self.skipTest("no shared data")
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n49664582,SiU3,0,0\n")
        sooner = self.expect_same_but_sooner("FUT-BOOK-5", f"{FORTS}/forts-book5.pcap", FORTS_FEED,
                                             'name="hit-quote" sell_at="33200" buy_at="33400" quantity_max="1"')
        self.assertGreater(sooner, 0, "at an entry before the last one of their instrument")

    def test_early_ticks_go_over_to_a_trade_core_and_into_the_report(self):
        self.write_feed(packets=500)
        trade = run_config.trade(9, order_link="shadow", risk=NO_LIMITS).replace("<trade ", '<trade decide="entry" ')
        found = {}
        for layout in ("inline", "split"):
            config = self.write("run.xml", run_config.text("pcap:feed.pcap", layout=layout, trade=trade))
            ticks = self.path(layout + ".csv")
            text = self.run_to_end("run", config, "--ticks", ticks).expect_exit(0).out
            with open(ticks, encoding="utf-8", newline="") as file:
                found[layout] = list(csv.DictReader(file))
            self.assertRegex(text, rf"\b{len(early(found[layout]))} +r0\.DEMO\.early_ticks: ticks handed on before the rest of their")
        self.assertEqual([flags(tick) for tick in found["split"]], [flags(tick) for tick in found["inline"]])
        self.assertEqual(said(found["split"]), said(found["inline"]))
        self.assertGreater(len(early(found["split"])), 100)

    def test_early_ticks_of_messages_that_fail_are_counted(self):
        self.write_feed(packets=2000, loss=0)
        header, frames = capture_slice.read(self.path("feed.pcap"))
        damaged = set()
        for frame in frames:  # in both copies the last field of the last entry never stops
            number = int.from_bytes(frame.payload[:4], "little")
            if frame.group in DEMO_INCREMENTAL and number % 97 == 0:
                frame.data = frame.data[:-1] + bytes([frame.data[-1] & 0x7F])
                damaged.add(number)
        self.assertGreater(len(damaged), 10)
        capture_slice.write(self.path("damaged.pcap"), header, frames)
        strategy = 'name="hit-quote" sell_at="100.00" buy_at="99.99" quantity_max="20"'
        report, ticks, _ = self.run_with("entry", "damaged.pcap", DEMO_FEED, strategy)
        failed = [group for group in messages_of(ticks).values() if all("early" in flags(tick) for tick in group)]
        self.assertLessEqual({int(group[0]["packet_seq"]) for group in failed}, damaged)
        count = sum(map(len, failed))
        self.assertGreater(count, 10)
        self.assertEqual(report["counters"]["r0.DEMO.early_ticks_failed"], count)
        self.assertEqual(report["drops"]["failed_truncated"], len(damaged))
        self.assertEqual(report["counters"]["r0.DEMO.early_ticks"], len(early(ticks)))

        by_message, ticks, _ = self.run_with("message", "damaged.pcap", DEMO_FEED, strategy)
        self.assertEqual(by_message["counters"]["r0.DEMO.early_ticks_failed"], 0)
        self.assertEqual(by_message["drops"]["failed_truncated"], len(damaged))
        told = messages_of(ticks)
        self.assertFalse([group for group in failed if (group[0]["packet_seq"], group[0]["msg"]) in told])


tap.main()
