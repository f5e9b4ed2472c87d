"""A FAST feed and an NSE broadcast on one port, from captures of both: each gives the ticks and the orders that it gives alone."""
import csv
import os
import struct

import capture_slice
import fix_peer
import harness
import run_config
import tap

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FORTS = os.path.join(SHARED, "data/feeds/moex-forts-2013")
NSE = os.path.join(SHARED, "data/feeds/nse")
FEEDS = {"forts": f'preset="moex-spectra-2013" templates="{FORTS}/templates.xml"', "nse": 'preset="nse-fo"'}
NSE_TOKENS = (36903, 46049, 48391, 53991, 61330, 64481, 66780, 67861)
FRAMES = {"forts": 4000, "nse": 6000}
NO_LIMITS = ('order_quantity_max="0" price_band_percent="0" orders_per_second="0" position_gross_max="0" position_net_max="0" '
             'notional_max="0"')
# Sells to bids of the future, whose prices are near 33,300; NSE's are a few hundred and all worth buying.
STRATEGY = 'name="hit-quote" sell_at="33200" buy_at="33400" quantity_max="1"'


def time_of(frame):
    return struct.unpack_from("<II", frame.header)


def moved(frames, to):
    """The same frames, the first of them at the second `to`."""
    by = to - time_of(frames[0])[0]
    for frame in frames:
        frame.header = struct.pack("<I", time_of(frame)[0] + by) + frame.header[4:]
    return frames


class TwoFeeds(harness.SystemTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(FORTS) or not os.path.exists(NSE):
            self.skipTest("no shared data")
        rows = ["key,symbol,price_places,quantity_places", "49664582,SiU3,0,0"] + [f"fo|{token},NSE{token},2,0" for token in NSE_TOKENS]
        self.write("instruments.csv", "\n".join(rows) + "\n")
        header, forts = capture_slice.read(f"{FORTS}/forts-book5.pcap")
        _, nse = capture_slice.read(f"{NSE}/synthetic-fo.pcap")
        forts, nse = forts[:FRAMES["forts"]], moved(nse[:FRAMES["nse"]], time_of(forts[0])[0])
        for name, frames in (("forts", forts), ("nse", nse), ("both", sorted(forts + nse, key=time_of))):
            capture_slice.write(self.path(name + ".pcap"), header, frames)

    def replay(self, name, feeds, layout="inline"):
        """(ticks, orders, report) of one capture to its end, ticks without the number of their frame."""
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        trade = run_config.trade(filling.peer.port, when="any", strategy=STRATEGY, risk=NO_LIMITS)
        trade = trade.replace("<trade ", '<trade max_tick_age_us="0" ').replace('store="store"', f'store="{name}-{layout}"')
        text = run_config.text(f"pcap:{name}.pcap", feed=FEEDS[feeds[0]], layout=layout, trade=trade)
        for feed in feeds[1:]:
            text = text.replace("<instruments", f'<feed {FEEDS[feed]} port="feed"/>\n  <instruments')
        ticks = self.path(f"{name}-{layout}.csv")
        report = self.run_to_end("run", self.write(f"{name}.xml", text), "--json", "--ticks", ticks, name=name).expect_exit(0).json()
        filling.join(harness.PATIENCE_S)
        self.assertIsNone(filling.error)
        with open(ticks, encoding="utf-8", newline="") as file:
            rows = [{name: cell for name, cell in tick.items() if name != "frame"} for tick in csv.DictReader(file)]
        # A ClOrdID is line, packet, message, entry and a counter; the counter is of all feeds.
        orders = [(order[11][:14], order[55], order[54], order[44], order[38]) for order in filling.orders]
        return rows, orders, report

    def test_each_feed_gives_what_it_gives_alone(self):
        alone = {feed: self.replay(feed, [feed]) for feed in FEEDS}
        for layout in ("inline", "split"):
            ticks, orders, report = self.replay("both", list(FEEDS), layout)
            self.assertEqual(report["totals"]["fills"], len(orders))
            for feed, (own_ticks, own_orders, _) in alone.items():
                self.assertGreater(len(own_orders), 20, feed)
                channels = {tick["channel"] for tick in own_ticks}
                self.assertEqual([tick for tick in ticks if tick["channel"] in channels], own_ticks, feed)
                symbols = {order[1] for order in own_orders}
                self.assertEqual([order for order in orders if order[1] in symbols], own_orders, feed)
            self.assertEqual(len(ticks), sum(len(own) for own, _, _ in alone.values()))
            is_nse = [order[1].startswith("NSE") for order in orders]
            self.assertGreater(sum(one != next_one for one, next_one in zip(is_nse, is_nse[1:])), 10, "orders of both, in turn")


tap.main()
