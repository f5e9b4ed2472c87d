"""Line A on one port, line B on another: the ticks and orders of a run that has both on one port, whatever a port delivers."""
import csv
import os
import shutil
import unittest

import capture_slice
import harness
import run_config
import tap

GROUP_A, GROUP_B, GROUP_SNAPSHOT = "239.192.10.1", "239.192.20.1", "239.192.10.2"
# Frames are counted by their port, and a twin that wins by less than a poll is told by nothing else.
OF_THE_WAY = {"frame"}
SECOND_NS = 10**9
IS_QUICK = os.environ.get("TICKPATH_TEST_LEVEL") not in ("all", "nightly")


def time_of(frame):
    seconds, ns = int.from_bytes(frame.header[:4], "little"), int.from_bytes(frame.header[4:8], "little")
    return seconds * SECOND_NS + ns


class TwoPorts(harness.SystemTest):
    """The demo feed: each line misses packets that the other has, and some are in neither."""

    def setUp(self):
        super().setUp()
        self.write_feed(packets=2500, lure_every=10)
        self.header, self.frames = capture_slice.read(self.path("feed.pcap"))

    def capture(self, name, frames):
        capture_slice.write(self.path(name), self.header, frames)
        return "pcap:" + name

    def one_port(self, frames, **options):
        return self.replay("one", run_config.text(self.capture("one.pcap", frames), **self.feed(), **options))

    def two_ports(self, frames, *, pace="max", **options):
        """Line B on a port of its own."""
        first = self.capture("a.pcap", [frame for frame in frames if frame.group != GROUP_B])
        second = self.capture("b.pcap", [frame for frame in frames if frame.group == GROUP_B])
        text = run_config.text(first, pace=pace, **self.feed(), **options)
        text = text.replace("<feed ", f'<port name="other" device="{second}" pace="{pace}"/>\n  <feed ')
        return self.replay("two", text.replace('port="feed"/>', 'port="feed">'
                                               '<line channel="DEMO" role="incremental" copy="B" port="other"/></feed>'))

    @staticmethod
    def feed():
        trade = run_config.trade(1, order_link="shadow").replace("<trade ", '<trade max_tick_age_us="0" ')
        return {"feed": f'description="{run_config.DEMO_DESCRIPTION}"', "trade": trade}

    def replay(self, name, text):
        """(report, ticks)"""
        shutil.rmtree(self.path("store"), ignore_errors=True)
        ticks = self.path(name + ".csv")
        program = self.run_to_end("run", self.write(name + ".xml", text), "--json", "--ticks", ticks, name=name).expect_exit(0)
        with open(ticks, encoding="utf-8", newline="") as file:
            rows = [{column: cell for column, cell in row.items() if column not in OF_THE_WAY} for row in csv.DictReader(file)]
        return program.json(), rows

    def expect_same(self, one, two):
        """Reports and ticks of the two runs are equal, but for what is counted by port."""
        self.assertGreater(len(one[1]), 1000)
        self.assertEqual(len(two[1]), len(one[1]))
        for index, (seen, expected) in enumerate(zip(two[1], one[1], strict=True)):
            self.assertEqual(seen, expected, f"tick {index}")
        for key in ("totals", "holes", "holes_total", "books"):
            self.assertEqual(two[0][key], one[0][key], key)
        for seen, expected in zip(two[0]["lines"], one[0]["lines"], strict=True):
            self.assertEqual(seen, {**expected, "port": "other" if expected["line"] == "B" else "feed"})

    def test_holes_of_each_line_are_filled_from_the_other_port(self):
        one, two = self.one_port(self.frames), self.two_ports(self.frames)
        self.expect_same(one, two)
        lines = {line["line"]: line for line in two[0]["lines"]}
        self.assertGreater(lines["A"]["losses"], 0)
        self.assertGreater(lines["B"]["wins"], 0)
        self.assertGreater(two[0]["totals"]["orders"], 0)
        counts = {name: sum((frame.group == GROUP_B) == (name == "other") for frame in self.frames) for name in ("feed", "other")}
        self.assertEqual({port["name"]: port["device_frames"] for port in two[0]["ports"]}, counts)
        self.assertEqual({name: two[0]["counters"][f"{name}.q0.rx_frames"] for name in counts}, counts)

    def test_a_long_hole_of_one_port_is_filled_from_the_other(self):
        a = [frame for frame in self.frames if frame.group == GROUP_A]
        silent = {id(frame) for frame in a[1000:1400]}
        frames = [frame for frame in self.frames if id(frame) not in silent]
        self.expect_same(self.one_port(frames), self.two_ports(frames))

    @unittest.skipIf(IS_QUICK, "the two before show the order of two ports")
    def test_one_port_alone_is_a_line_alone(self):
        for other in (GROUP_A, GROUP_B):
            frames = [frame for frame in self.frames if frame.group != other]
            self.expect_same(self.one_port(frames), self.two_ports(frames))

    @unittest.skipIf(IS_QUICK, "the two before show the order of two ports")
    def test_a_port_that_begins_late_joins_in_at_its_own_time(self):
        started = time_of(self.frames[0]) + (time_of(self.frames[-1]) - time_of(self.frames[0])) // 2
        frames = [frame for frame in self.frames if frame.group != GROUP_B or time_of(frame) >= started]
        self.expect_same(self.one_port(frames), self.two_ports(frames))

    @unittest.skipIf(IS_QUICK, "the two before show the order of two ports")
    def test_paced_ports_keep_their_order(self):
        seconds = (time_of(self.frames[-1]) - time_of(self.frames[0])) / SECOND_NS
        pace = f"x{max(1, round(seconds / 0.5))}"
        self.expect_same(self.one_port(self.frames), self.two_ports(self.frames, pace=pace))

    @unittest.skipIf(IS_QUICK, "the two before show the order of two ports")
    def test_a_split_layout_changes_nothing(self):
        self.expect_same(self.one_port(self.frames, layout="split"), self.two_ports(self.frames, layout="split"))


tap.main()
