"""The venues' captures through `tickpath run` and the DPDK pcap device: every tick has the expected values, each quote gives one
order from two lines, and holes invalidate exactly what they must."""
import collections
import csv
import decimal
import os
import shutil

import capture_slice
import fix_peer
import harness
import run_config
import tap

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FEEDS = os.path.join(SHARED, "data/feeds")
FORTS_CAPTURE = f"{FEEDS}/moex-forts-2013/forts-book5.pcap"
FORTS = f'preset="moex-spectra-2013" templates="{FEEDS}/moex-forts-2013/templates.xml"'
PORT_A, PORT_B, PORT_SNAPSHOT = 40003, 41003, 40004
NO_ENTRY = "65535"
FUTURES_SI = "49664582"
# How expected.csv names what a tick says in words.
KIND_OF_TYPE = {"0": ("quote", "bid"), "1": ("quote", "ask"), "J": ("clear", "")}
ACTION_OF_CODE = {"0": "add", "1": "change", "2": "remove"}


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def value(row, column):
    """The decimal of two cells; None for an empty mantissa."""
    mantissa = row[column + "_mantissa"]
    return decimal.Decimal(mantissa).scaleb(int(row[column + "_exponent"])) if mantissa else None


def value_of(text):
    return decimal.Decimal(text) if text else None


def flags(tick):
    return set(tick["flags"].split("|"))


def is_entry(tick):
    return tick["entry"] != NO_ENTRY


def is_status(tick, action):
    return tick["kind"] == "status" and tick["action"] == action


def forts_number(frame):
    """The packet number behind reset, map and template identifier."""
    return capture_slice.stop_bit_number(frame.payload[4:])


class Captures(harness.SystemTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(FORTS_CAPTURE):
            self.skipTest("no shared data")
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n" + FUTURES_SI + ",SiU3,0,0\n")

    def run_capture(self, capture, feed, trade="", name="run"):
        """(report, ticks) of a replay to its end."""
        config = self.write(name + ".xml", run_config.text("pcap:" + capture, feed=feed, trade=trade))
        program = self.run_to_end("run", config, "--json", "--ticks", self.path(name + ".csv"), name=name)
        return program.expect_exit(0).json(), rows(self.path(name + ".csv"))

    def run_forts(self, leaves_out=lambda frame: False, trade="", name="run"):
        header, frames = capture_slice.read(FORTS_CAPTURE)
        capture_slice.write(self.path(name + ".pcap"), header, [frame for frame in frames if not leaves_out(frame)])
        return self.run_capture(self.path(name + ".pcap"), FORTS, trade, name)

    def line(self, report, name, channel="FUT-BOOK-5"):
        return next(line for line in report["lines"] if (line["channel"], line["line"]) == (channel, name))

    def expect_common(self, tick, row):
        self.assertEqual(tick["packet_seq"], row["msg_seq"])
        self.assertEqual(tick["sending_time"], row["sending_time"])
        self.assertEqual(tick["rpt_seq"], row["rpt_seq"])
        self.assertEqual(tick["exchange_time"], row["entry_time"])
        kind, side = KIND_OF_TYPE.get(row["type"], ("trade", None))
        self.assertEqual(tick["kind"], kind)
        if side is not None:
            self.assertEqual(tick["side"], side)
        self.assertEqual(value_of(tick["price"]), value(row, "price"))

    def expect_forts_values(self, ticks):
        expected = collections.defaultdict(list)
        for row in rows(f"{FEEDS}/moex-forts-2013/expected.csv"):
            if row["security_id"]:  # not session status and sequence reset
                expected[row["line"]].append(row)
        found = collections.defaultdict(list)
        for tick in filter(is_entry, ticks):
            found["SA" if tick["line"] == "SA" else "A"].append(tick)
        self.assertEqual({line: len(lines) for line, lines in found.items()},
                         {line: len(lines) for line, lines in expected.items()})
        for line, lines in expected.items():
            for tick, row in zip(found[line], lines):
                self.expect_common(tick, row)
                self.assertEqual([tick["instrument"], tick["level"], value_of(tick["quantity"])],
                                 [row["security_id"], row["level"], value_of(row["size"])])
                self.assertEqual(tick["action"], ACTION_OF_CODE[row["action"]] if row["action"] else "add")

    def test_forts_2013_both_lines_and_snapshots_have_the_expected_values(self):
        report, ticks = self.run_forts()
        self.expect_forts_values(ticks)
        self.assertEqual(report["totals"]["frames"], 17_697)
        self.assertEqual(report["holes_total"], 0)
        a, b = self.line(report, "A"), self.line(report, "B")
        self.assertEqual([a["packets"], a["wins"], a["losses"]], [5_759, 5_759, 0])
        self.assertEqual([b["packets"], b["twins"], b["losses"]], [5_735, 5_735, 0])
        self.assertEqual(a["lead_ns"]["count"], 5_735)

    def test_forts_2013_split_over_two_cores_has_the_expected_values(self):
        config = self.write("split.xml", run_config.text("pcap:" + FORTS_CAPTURE, feed=FORTS, layout="split"))
        self.run_to_end("run", config, "--json", "--ticks", self.path("split.csv")).expect_exit(0)
        self.expect_forts_values(rows(self.path("split.csv")))

    def test_asts_2017_order_log_has_the_expected_values(self):
        feed = f'preset="moex-asts" templates="{FEEDS}/moex-asts-2017/asts-FIX50SP2-2017-Mar.xml"'
        report, ticks = self.run_capture(f"{FEEDS}/moex-asts-2017/asts-curr-olr-a.pcap", feed)
        expected = rows(f"{FEEDS}/moex-asts-2017/expected.csv")
        found = list(filter(is_entry, ticks))
        self.assertEqual(len(found), len(expected))
        for tick, row in zip(found, expected):
            self.expect_common(tick, row)
            self.assertEqual([tick["entry_id"], tick["instrument"], tick["action"]],
                             [row["entry_id"], row["symbol"] + "|" + row["session"], ACTION_OF_CODE[row["action"]]])
            self.assertEqual(value_of(tick["quantity"]), value(row, "size"))
        self.assertEqual(report["holes_total"], 0)

    def test_asts_2019_trades_have_the_expected_values(self):
        feed = f'preset="moex-asts" templates="{FEEDS}/moex-asts-2019-trades/templates.xml"'
        report, ticks = self.run_capture(f"{FEEDS}/moex-asts-2019-trades/asts-fond-tlr-a.pcap", feed)
        expected = rows(f"{FEEDS}/moex-asts-2019-trades/expected.csv")
        self.assertEqual(len(ticks), len(expected), "trades have no books to say anything about")
        for tick, row in zip(ticks, expected):
            self.expect_common(tick, row)
            self.assertEqual([tick["entry_id"], tick["instrument"].split("|")[0], tick["side"]],
                             [row["entry_id"], row["symbol"], {"B": "bid", "S": "ask"}[row["side"]]])
            self.assertEqual(value_of(tick["quantity"]), value(row, "size"))
        # The extract holds one template of a number range that others share: 91650 to 99896 in 3,346 packets.
        self.assertEqual([report["holes"][0][key] for key in ("channel", "first_missing", "count")],
                         ["TLR-FOND", 91_651, 2])
        self.assertEqual(self.line(report, "A", "TLR-FOND")["losses"], 99_896 - 91_650 + 1 - 3_346)

    def orders_of(self, leaves_out, name):
        shutil.rmtree(self.path("store"), ignore_errors=True)  # a day of its own
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        strategy = 'name="hit-quote" sell_at="33315" quantity_max="1"'
        _, ticks = self.run_forts(leaves_out, run_config.trade(filling.peer.port, strategy=strategy), name)
        filling.join(harness.PATIENCE_S)
        self.assertIsNone(filling.error)
        return [order[11] for order in filling.orders], ticks

    def test_two_lines_give_one_order_per_quote(self):
        both, ticks = self.orders_of(lambda frame: False, "both")
        single, _ = self.orders_of(lambda frame: frame.port == PORT_B, "single")
        self.assertGreater(len(both), 10)
        # A ClOrdID is line, packet, message, entry and a counter; the lines differ in nothing but the first.
        self.assertEqual([order[2:14] for order in both], [order[2:14] for order in single])
        quotes = {(int(tick["packet_seq"]), int(tick["msg"]), int(tick["entry"])): tick for tick in ticks
                  if tick["kind"] == "quote" and tick["line"] != "SA"}
        for order in both:
            quote = quotes[int(order[2:10], 16), int(order[10:12], 16), int(order[12:14], 16)]
            self.assertEqual(quote["instrument"], FUTURES_SI)
        self.assertEqual(len({order[2:14] for order in both}), len(both))

    def test_a_hole_in_a_that_b_fills_leaves_nothing_invalid(self):
        whole, ticks = self.run_forts(name="whole")
        report, filled = self.run_forts(lambda frame: frame.port == PORT_A and 484_000 <= forts_number(frame) <= 484_009,
                                        name="filled")
        self.assertEqual(report["holes_total"], 0)
        self.assertFalse([tick for tick in filled if is_status(tick, "set_invalid")])
        self.assertEqual([self.line(report, name)["losses"] for name in "AB"], [10, 0])
        self.assertEqual(self.line(report, "B")["wins"], 10)

        def said(all_ticks):
            return [{k: v for k, v in tick.items() if k not in ("line", "rx_time", "frame")} for tick in all_ticks]
        self.assertEqual(said(filled), said(ticks))
        self.assertEqual(whole["holes_total"], 0)

    def test_a_hole_in_both_invalidates_all_books_of_the_channel_until_their_snapshots(self):
        first, last = 485_000, 485_019
        report, ticks = self.run_forts(lambda frame: frame.port != PORT_SNAPSHOT and first <= forts_number(frame) <= last)
        self.assertEqual(report["holes_total"], 1)
        self.assertEqual([report["holes"][0][key] for key in ("first_missing", "count")], [first, last - first + 1])
        self.assertEqual([self.line(report, name)["losses"] for name in "AB"], [20, 20])

        invalidations, valid, back = 0, {}, collections.Counter()
        for tick in ticks:
            if is_status(tick, "set_invalid"):
                self.assertEqual([tick["instrument"], int(tick["packet_seq"])], ["", last + 1])
                invalidations += 1
                valid = dict.fromkeys(valid, False)
            elif is_status(tick, "set_valid"):
                if invalidations:
                    back["snapshot" if "snapshot" in flags(tick) else "number"] += 1
                valid[tick["instrument"]] = True
            elif is_entry(tick) and tick["line"] != "SA":
                self.assertEqual("stale" in flags(tick), not valid.get(tick["instrument"], False), tick)
        self.assertEqual(invalidations, 1)
        self.assertEqual(len(valid), 11)
        self.assertTrue(all(valid.values()))
        self.assertEqual(sum(back.values()), 11)
        self.assertGreater(back["snapshot"], 0)

    def test_a_hole_in_one_channel_leaves_the_others_alone(self):
        """The same capture once more on groups of a second channel, without the hole."""
        with open(os.path.join(harness.ROOT, "templates/feeds/moex-spectra-2013.xml"), encoding="utf-8") as file:
            description = file.read()
        start = description.index("<channel")
        channel = description[start:description.index("</channel>") + len("</channel>")]
        other = channel.replace("FUT-BOOK-5", "OTHER").replace("239.192.", "238.192.")
        self.write("two.xml", description.replace(channel, channel + "\n" + other))
        header, frames = capture_slice.read(FORTS_CAPTURE)
        both = []
        for frame in frames:
            if frame.port == PORT_SNAPSHOT or not 485_000 <= forts_number(frame) <= 485_019:
                both.append(frame)
            # Only the first byte of the destination differs; nothing here looks at the checksum.
            both.append(capture_slice.Frame(frame.header, frame.data[:30] + b"\xee" + frame.data[31:]))
        capture_slice.write(self.path("two.pcap"), header, both)
        feed = f'description="two.xml" templates="{FEEDS}/moex-forts-2013/templates.xml"'
        report, ticks = self.run_capture("two.pcap", feed)
        self.assertEqual([(hole["channel"], hole["count"]) for hole in report["holes"]], [("FUT-BOOK-5", 20)])
        invalid = [tick for tick in ticks if is_status(tick, "set_invalid")]
        self.assertEqual([tick["channel"] for tick in invalid], ["FUT-BOOK-5"])
        late = [tick for tick in ticks if tick["channel"] == "OTHER" and int(tick["packet_seq"]) > 484_000]
        self.assertGreater(len(late), 1_000)
        self.assertFalse([tick for tick in late if "stale" in flags(tick)])


tap.main()
