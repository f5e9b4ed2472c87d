"""tickpath latency on captures with known latencies: every form of time, TCP as captures show it, and what can be wrong."""
import json
import os
import random
import re
import struct
import subprocess
import xml.etree.ElementTree as ET

import harness
import run_config
import stamped_capture as made
import tap

FEED = os.path.join(harness.ROOT, "templates/feeds/demo.xml")
# Whole microseconds, for captures that have no better time; long enough for every percentile to differ.
LATENCIES_NS = [(i * 7919 % 1000 + 1) * 1000 for i in range(1000)]
FEW_NS = [1_000, 2_000, 3_000, 7_000, 50_000]


def rank(values, percent):
    values = sorted(values)
    return values[max(1, -(-len(values) * percent // 1000)) - 1]


def expected(values):
    return {"count": len(values), "min": min(values), "p50": rank(values, 500), "p90": rank(values, 900),
            "p99": rank(values, 990), "p99.9": rank(values, 999), "max": max(values)}


class Latency(harness.SystemTest):
    def study(self, *arguments, code=0, feed=("--feed", FEED)):
        program = self.run_to_end("latency", *arguments, *feed, "--json", name="latency").expect_exit(code)
        self.talk = program.talk
        return json.loads(program.out) if program.out else {}

    def expect(self, study, latencies_ns):
        found = dict(study["som_sof_ns"])
        found.pop("mean")
        self.assertEqual(found, expected(latencies_ns))
        self.assertEqual(study["orders_matched"], len(latencies_ns))

    def one_file(self, latencies_ns, name="both.pcap"):
        feed, orders = made.pairs(latencies_ns)
        made.write_pcap(self.path(name), made.by_time(feed + orders))
        return self.path(name)


class Times(Latency):
    def test_every_capture_format_gives_the_same_exact_percentiles(self):
        feed, orders = made.pairs(LATENCIES_NS, gap_ns=2_000_000)
        frames = made.by_time(feed + orders)
        made.write_pcap(self.path("ns.pcap"), frames)
        made.write_pcap(self.path("us.pcap"), frames, divisor=1000)
        made.write_pcapng(self.path("ns.pcapng"), frames)
        made.write_pcapng(self.path("us.pcapng"), frames, digits=6)
        for name in ("ns.pcap", "us.pcap", "ns.pcapng", "us.pcapng"):
            with self.subTest(name):
                study = self.study(self.path(name))
                self.expect(study, LATENCIES_NS)
                self.assertEqual(study["captures"][0]["clock"], {"domain": "capture_ns", "device": "capture"})
                self.assertEqual((study["feed_datagrams"], study["feed_datagrams_with_order"]), (1000, 1000))

    def test_stamps_of_switches_are_the_times_whatever_the_capture_says(self):
        latencies = [1_001, 2_002, 3_003, 4_567, 89_123]  # to the nanosecond
        feed, orders = made.pairs(latencies)
        frames = made.by_time(feed + orders)
        for device, stamp in (("metamako", made.with_metamako), ("exablaze", made.with_exablaze)):
            for fcs in (b"", made.FCS):
                with self.subTest(device=device, fcs=fcs):
                    noise = random.Random(1)
                    late = made.stamped(frames, lambda at, frame: stamp(at, frame, fcs), lambda i: noise.randrange(500_000))
                    made.write_pcap(self.path("stamped.pcap"), late)
                    study = self.study(self.path("stamped.pcap"))
                    self.expect(study, latencies)
                    self.assertEqual(study["captures"][0]["clock"], {"domain": "trailer_ns", "device": device})
                    self.expect(self.study(self.path("stamped.pcap"), "--trailer", device), latencies)
                    other = self.study(self.path("stamped.pcap"), "--trailer", "none")
                    self.assertNotEqual(other["som_sof_ns"]["max"], max(latencies))
                    self.assertEqual(other["captures"][0]["clock"]["domain"], "capture_ns")

    def test_records_of_capture_cards(self):
        latencies = [1_001, 2_002, 4_567]
        feed, orders = made.pairs(latencies)
        made.write_pcap(self.path("card.pcap"), made.stamped(made.by_time(feed + orders), made.with_erf, lambda i: i * 777),
                        link_type=made.ERF)
        study = self.study(self.path("card.pcap"))
        self.expect(study, latencies)
        self.assertEqual(study["captures"][0]["clock"], {"domain": "nic_realtime_ns", "device": "erf"})

    def test_frames_without_the_trailer_that_the_others_have_are_counted_and_not_used(self):
        feed, orders = made.pairs(FEW_NS)
        frames = made.by_time(feed + orders)
        stamped = made.stamped(frames, made.with_metamako, lambda i: 0)
        stamped[0] = frames[0]
        made.write_pcap(self.path("some.pcap"), stamped)
        study = self.study(self.path("some.pcap"))
        self.assertEqual(study["captures"][0]["frames_without_stamp"], 1)
        self.assertEqual((study["orders_matched"], study["orders_without_trigger"]), (4, 1))

    def test_a_trailer_that_was_asked_for_and_is_not_there(self):
        study = self.study(self.one_file(FEW_NS), "--trailer", "exablaze", code=5)
        self.assertIn("none of the first frames has such a trailer", self.talk)
        self.assertEqual(study["som_sof_ns"]["count"], 0)

    def test_the_end_of_the_trigger_by_the_speed_of_the_link(self):
        feed, orders = made.pairs([1_000, 2_000])
        made.write_pcap(self.path("a.pcap"), made.by_time(feed + orders))
        study = self.study(self.path("a.pcap"), "--link-gbps", "1")
        # The shortest frame: 64 bytes with its check sequence take 512 ns.
        self.assertEqual((study["eot_sof_ns"]["min"], study["eot_sof_ns"]["max"]), (488, 1_488))
        self.expect(study, [1_000, 2_000])
        slow = self.study(self.path("a.pcap"), "--link-gbps", "0.1")
        self.assertEqual(slow["eot_sof_ns"]["min"], -4_120, "the order left before the trigger had ended")


class Streams(Latency):
    def test_the_sequence_of_frames_in_the_file_does_not_matter(self):
        feed, orders = made.pairs(FEW_NS)
        frames = feed + orders
        for seed in range(5):
            random.Random(seed).shuffle(frames)
            made.write_pcap(self.path("shuffled.pcap"), [(made.START_NS - 10**6, made.capture_file.tcp_frame(
                ("10.20.0.1", 40001), made.order_stream.EXCHANGE, 0xFFFFFF00 - 1, b"", flags=2))] + frames)
            self.expect(self.study(self.path("shuffled.pcap")), FEW_NS)

    def test_orders_sent_again_count_once_and_at_their_first_time(self):
        feed, link, orders = [], made.OrderLink(), []
        for i, latency in enumerate(FEW_NS):
            at = made.START_NS + i * 1_000_000
            payload = made.order_bytes(i + 1, made.token(i + 1, i))
            feed.append((at, made.datagram(i + 1)))
            orders.append((at + latency, link.segment(payload)))
            orders.append((at + latency + 200_000, link.again(payload)))
        made.write_pcap(self.path("again.pcap"), made.by_time(feed + orders))
        study = self.study(self.path("again.pcap"))
        self.expect(study, FEW_NS)
        self.assertEqual(study["captures"][0]["segments_retransmitted"], 5)
        self.assertEqual(study["orders"], 5)

    def test_several_orders_in_a_segment_and_one_in_several(self):
        link, at = made.OrderLink(), made.START_NS
        one, two, three = (made.order_bytes(i, made.token(7, i)) for i in (1, 2, 3))
        frames = [(at, made.datagram(7)), (at + 1_000, link.segment(one + two + three[:10])), (at + 5_000, link.segment(three[10:]))]
        made.write_pcap(self.path("a.pcap"), frames)
        self.expect(self.study(self.path("a.pcap")), [1_000, 1_000, 1_000])

    def test_a_segment_that_the_capture_missed(self):
        link, at = made.OrderLink(), made.START_NS
        frames = [(at, made.datagram(n)) for n in (1, 2, 3)]
        orders = [(at + n * 1_000, link.segment(made.order_bytes(n, made.token(n, n)))) for n in (1, 2, 3)]
        made.write_pcap(self.path("a.pcap"), frames + [orders[0], orders[2]])
        study = self.study(self.path("a.pcap"))
        self.expect(study, [1_000, 3_000])
        self.assertEqual(study["captures"][0]["stream_holes"], 1)

    def test_two_captures_in_either_sequence(self):
        feed, orders = made.pairs(FEW_NS)
        made.write_pcap(self.path("feed.pcap"), feed)
        made.write_pcapng(self.path("orders.pcapng"), orders)
        first = self.study(self.path("feed.pcap"), self.path("orders.pcapng"))
        second = self.study(self.path("orders.pcapng"), self.path("feed.pcap"))
        self.expect(first, FEW_NS)
        self.expect(second, FEW_NS)
        self.assertEqual([capture["orders"] for capture in first["captures"]], [0, 5])
        self.assertEqual(first["remarks"], [])

    def test_clocks_that_disagree_are_told(self):
        feed, orders = made.pairs(FEW_NS)
        made.write_pcap(self.path("feed.pcap"), feed)
        made.write_pcap(self.path("orders.pcap"), [(at - 10_000, frame) for at, frame in orders])
        study = self.study(self.path("feed.pcap"), self.path("orders.pcap"))
        self.assertEqual((study["orders_before_trigger"], study["orders_before_trigger_ns_max"]), (4, 9_000))
        self.expect(study, [40_000])
        made.write_pcap(self.path("stamped.pcap"), made.stamped(feed, made.with_metamako, lambda i: 0))
        mixed = self.study(self.path("stamped.pcap"), self.path("orders.pcap"))
        self.assertIn("different clocks", " ".join(mixed["remarks"]))

    def test_of_copies_of_a_datagram_the_first_counts_and_of_orders_too(self):
        feed, orders = made.pairs(FEW_NS)
        tap_of_feed = [(at + 300, frame) for at, frame in feed]
        made.write_pcap(self.path("a.pcap"), made.by_time(feed + orders + tap_of_feed))
        made.write_pcap(self.path("b.pcap"), [(at + 400, frame) for at, frame in made.by_time(feed + orders)])
        study = self.study(self.path("b.pcap"), self.path("a.pcap"))
        self.expect(study, FEW_NS)
        self.assertEqual(study["orders_repeated"], 5)

    def test_different_datagrams_with_one_number_are_ambiguous(self):
        feed, orders = made.pairs(FEW_NS)
        restarted = [(feed[2][0] - 50_000, made.datagram(3, content=b"\xc0\x82"))]
        made.write_pcap(self.path("a.pcap"), made.by_time(feed + orders + restarted))
        study = self.study(self.path("a.pcap"))
        self.assertEqual((study["orders_ambiguous"], study["orders_matched"]), (1, 4))
        self.expect(self.study(self.path("a.pcap"), "--window", "0.0519"), FEW_NS)

    def test_the_line_in_the_order_decides(self):
        at, link = made.START_NS, made.OrderLink()
        frames = [(at, made.datagram(1, "A")), (at + 500, made.datagram(1, "B")),
                  (at + 2_000, link.segment(made.order_bytes(1, made.token(1, 1, line=1))))]
        made.write_pcap(self.path("a.pcap"), frames)
        self.expect(self.study(self.path("a.pcap")), [1_500])

    def test_a_feed_whose_number_is_a_field(self):
        self.write("templates.xml", "<template name='M' id='1'><uInt32 name='SeqNum'/><sequence name='E'>"
                                    "<uInt32 name='Id'/><uInt32 name='Action'/><uInt32 name='Type'/><decimal name='Px'/></sequence></template>")
        feed = self.write("feed.xml", """<feed name="field">
          <framing messages="one"/><fast templates="templates.xml" reset="message"/>
          <numbering source="field" field="SeqNum"/><instrument_numbering contiguous="no"/>
          <learned price_places="2" quantity_places="0"/>
          <message kind="incremental" templates="M" entries="E" key="Id" price="Px">
            <action field="Action" add="0"/><type field="Type" bid="0" ask="1"/></message>
          <channel name="C" book="none"><line role="incremental" copy="A" group="239.192.10.1:30001"/></channel></feed>""")
        frames, link = [], made.OrderLink()
        for number, latency in enumerate(FEW_NS, 1):
            at = made.START_NS + number * 1_000_000
            payload = bytes((0xC0, 0x81, 0x80 | number, 0x80))
            frames.append((at, made.capture_file.frame(*made.LINES["A"], payload)))
            frames.append((at + latency, link.segment(made.order_bytes(number, made.token(number, number)))))
        frames.append((made.START_NS, made.capture_file.frame(*made.LINES["A"], b"\xc0\x82")))  # no such template
        made.write_pcap(self.path("a.pcap"), frames)
        study = self.study(self.path("a.pcap"), feed=("--feed", feed))
        self.expect(study, FEW_NS)
        self.assertEqual(study["captures"][0]["feed_datagrams_without_number"], 1)


class DemoFeed(Latency):
    """By instrument and price the feed is decoded, so it must be a real one."""

    def setUp(self):
        super().setUp()
        self.orders = self.write_feed(packets=1500)["orders"]
        self.latencies = [made.order_stream.latency_ns(counter) for counter in range(self.orders)]
        self.capture = self.path("orders.pcap")

    def test_by_token_by_value_and_from_a_configuration(self):
        self.assertGreater(self.orders, 10)
        self.expect(self.study(self.capture), self.latencies)
        by_value = self.study(self.capture, "--match", "value", "--instruments", self.path("instruments.csv"))
        self.expect(by_value, self.latencies)
        config = self.write("run.xml", run_config.text("pcap:not-there.pcap"))
        for match in ("token", "value"):
            self.expect(self.study(self.capture, "--match", match, feed=("--config", config)), self.latencies)
        self.assertEqual(self.study(self.capture, "--match", "value", code=1)["orders_without_trigger"], self.orders,
                         "without the instrument file nobody knows the symbols")

    def test_an_order_of_another_system_by_the_number_of_its_instrument(self):
        with open(self.path("ticks.csv"), encoding="utf-8") as file:
            columns, *rows = (line.rstrip("\n").split(",") for line in file)
        ticks = [dict(zip(columns, row)) for row in rows]
        tick = next(t for t in reversed(ticks) if t["kind"] == "quote" and t["action"] == "add" and t["line"] == "A")
        times = {}
        for time_ns, group, _, payload in made.capture_file.read_payloads(self.path("feed.pcap")):
            if group == made.LINES["A"][0]:
                times[struct.unpack_from("<I", payload)[0]] = time_ns
        sent_ns = times[int(tick["packet_seq"])]
        link = made.OrderLink()
        order = link.segment(made.order_bytes(1, "FOREIGN-1", ("48", tick["instrument"]), ("44", tick["price"] + "0")))
        silent = link.segment(made.order_bytes(2, "FOREIGN-2", ("48", tick["instrument"])))
        made.write_pcap(self.path("foreign.pcap"), [(sent_ns + 1_234, order), (sent_ns + 2_000, silent)])
        # So near to it that the price cannot have been seen in another datagram.
        study = self.study(self.path("feed.pcap"), self.path("foreign.pcap"), "--match", "value", "--window", "0.00124")
        self.expect(study, [1_234])
        self.assertEqual(study["orders_unreadable"], 1, "without a price")
        by_token = self.study(self.path("feed.pcap"), self.path("foreign.pcap"), code=1)
        self.assertEqual(by_token["orders_unreadable"], 2)
        self.assertIn("--match value", " ".join(by_token["remarks"]))

    def test_a_count_of_nse_datagrams_is_not_taken_for_a_packet_number(self):
        """The demo's two feeds on one port: an order's number fits a packet of the other feed."""
        self.write_feed(packets=1500, nse=10)
        config = self.write("run.xml", run_config.text("pcap:none.pcap").replace("<instruments", '<feed preset="nse-fo" port="feed"/><instruments'))
        with open(self.path("instruments.csv"), encoding="utf-8") as file:
            symbol = next(line.split(",")[1] for line in file if line.startswith("fo|"))
        at = next(time_ns for time_ns, group, _, payload in made.capture_file.read_payloads(self.path("feed.pcap"))
                  if group == made.LINES["A"][0] and struct.unpack_from("<I", payload)[0] == 700)
        order = made.order_bytes(1, made.token(700, 1), ("55", symbol), ("44", "1.00"))
        warm_up = made.order_bytes(2, made.token(0, 2), ("55", symbol), ("44", "1.00"))
        made.write_pcap(self.path("nse-orders.pcap"), [(at + 5_000, made.OrderLink().segment(order + warm_up))])
        study = self.study(self.capture, self.path("nse-orders.pcap"), feed=("--config", config))
        self.expect(study, self.latencies)
        self.assertEqual((study["orders_unreadable"], study["orders_warm_up"]), (1, 1))

    def test_a_price_in_several_datagrams_is_ambiguous(self):
        wide = self.study(self.capture, "--match", "value", "--instruments", self.path("instruments.csv"), "--window", "60000")
        self.assertGreater(wide["orders_ambiguous"], 0)
        self.assertEqual(wide["orders_ambiguous"] + wide["orders_matched"], self.orders)

    def test_the_files_that_it_writes(self):
        program = self.run_to_end("latency", self.capture, "--feed", FEED, "--percentiles", self.path("p.hgrm"), "--html",
                                  self.path("p.html"), "--baseline", "20", name="latency").expect_exit(0)
        self.assertRegex(program.out, r"this machine's own stalls, \d+ ms of doing nothing")
        lines = harness.read(self.path("p.hgrm")).splitlines()
        values = [line.split() for line in lines[2:] if line[0] != "#"]
        self.assertEqual([float(values[0][0]), float(values[-1][0])], [min(self.latencies), max(self.latencies)])
        self.assertEqual(int(values[-1][2]), self.orders)
        for value, percentile, count, *_ in values:
            self.assertEqual(int(count), sum(latency <= float(value) for latency in self.latencies), percentile)
        page = harness.read(self.path("p.html"))
        self.assertEqual((page.count("<polyline"), page.count('class="bar"')), (1, 6))
        self.assertNotRegex(page, "https?:|src=|href")
        for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
            width, height = (float(size) for size in ET.fromstring(drawing).get("viewBox").split()[2:])
            for points in re.findall(r'points="([^"]*)"', drawing):
                for x, y in (point.split(",") for point in points.split()):
                    self.assertTrue(0 <= float(x) <= width and 0 <= float(y) <= height, (x, y))


class WrongInput(Latency):
    def test_no_datagram_of_the_feed_or_no_order(self):
        feed, orders = made.pairs(FEW_NS)
        for name, frames, words in (("feed.pcap", feed, "no order"), ("orders.pcap", orders, "no datagram of the feed"),
                                    ("none.pcap", [], "no order")):
            made.write_pcap(self.path(name), frames)
            self.assertEqual(self.study(self.path(name), code=1)["som_sof_ns"]["count"], 0)
            self.assertIn(words, self.talk)

    def test_a_capture_that_ends_in_the_middle_is_used_as_far_as_it_goes(self):
        path = self.one_file(FEW_NS)
        with open(path, "rb") as file:
            content = file.read()
        for cut in (7, 200, len(content) // 2):
            with open(self.path("cut.pcap"), "wb") as file:
                file.write(content[:-cut])
            study = self.study(self.path("cut.pcap"), code=5)
            self.assertIn("cut.pcap: packet", self.talk)
            self.assertLess(study["orders_matched"], 5)
        self.assertGreater(study["orders_matched"], 0)

    def test_frames_of_which_only_the_beginning_was_kept(self):
        feed, orders = made.pairs(FEW_NS)
        with open(self.path("cut.pcap"), "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 1))
            for at, frame in made.by_time(feed + orders):
                kept = frame[:96]
                file.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(kept), len(frame)) + kept)
        study = self.study(self.path("cut.pcap"), code=1)
        self.assertEqual(study["captures"][0]["frames_cut"], 5)
        self.assertIn("kept only their beginning", " ".join(study["remarks"]))

    def test_what_is_no_capture(self):
        self.study(self.write("text.pcap", "no capture"), code=5)
        self.assertIn("not a pcap or pcapng capture", self.talk)
        os.mkfifo(self.path("pipe"))
        self.study(self.path("pipe"), code=5)

    def test_a_capture_from_a_pipe_of_our_own(self):
        with open(self.one_file(FEW_NS), "rb") as file:
            program = subprocess.run([harness.TICKPATH, "latency", "/dev/stdin", "--feed", FEED, "--json"],
                                     input=file.read(), capture_output=True, timeout=harness.PATIENCE_S)
        self.assertEqual(program.returncode, 0, program.stderr)
        self.expect(json.loads(program.stdout), FEW_NS)

    def test_options_that_make_no_sense(self):
        path = self.one_file(FEW_NS)
        self.study(path, feed=(), code=2)
        self.study(path, "--config", "run.xml", code=2)
        self.study(path, "--window", "nan", code=2)
        self.study(path, "--link-gbps", "0", code=2)
        self.study(path, "--match", "guess", code=2)
        self.study(path, "--html", path, code=2)
        self.assertIn("is the input", self.talk)
        self.study(path, "--percentiles", FEED, code=2)
        self.expect(self.study(path), FEW_NS)
        self.study(self.path("none.pcap"), code=2)
        self.study(path, feed=("--feed", "none.xml"), code=3)
        self.study(path, feed=("--config", self.path("none.xml")), code=3)
        self.study(path, feed=("--feed", "nse-fo"), code=2)
        self.assertIn("--match value", self.talk)
        self.study(path, "--percentiles", self.path("no/folder"), code=1)

    def test_noise_in_every_place(self):
        """Whatever stands in a capture, it is counted or passed over."""
        feed, orders = made.pairs(FEW_NS)
        frames = made.by_time(feed + orders)
        noise = random.Random(5)
        for _ in range(300):
            at, frame = noise.choice(frames[:10])
            frame = bytearray(frame[:noise.randrange(1, len(frame) + 1)])
            for _ in range(noise.randrange(1, 8)):
                frame[noise.randrange(len(frame))] = noise.randrange(256)
            frames.append((at + noise.randrange(10**9), bytes(frame)))
        for link_type in (made.ETHERNET, made.ERF):
            made.write_pcap(self.path("noise.pcap"), frames, link_type=link_type)
            for match in ("token", "value"):
                program = self.run_to_end("latency", self.path("noise.pcap"), "--feed", FEED, "--match", match)
                self.assertIn(program.process.returncode, (0, 1), program)


tap.main()
