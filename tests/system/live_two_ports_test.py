"""Line A over one veth pair, line B over another, a port at each: what one line lacks comes from the other, whichever is missing."""
import csv
import os
import signal
import sys
import time
import unittest

import harness
import network_lab
import run_config
import tap
import udp_replay

IS_QUICK = os.environ.get("TICKPATH_TEST_LEVEL") not in ("all", "nightly")
SECOND_SENDER, SECOND_RECEIVER, SECOND_ADDRESS = "tpfeed2", "tpfeed3", "10.9.1.1"
GROUP_A, GROUP_B, GROUP_SNAPSHOT = "239.192.10.1", "239.192.20.1", "239.192.10.2"
PACKETS, RATE = 1500, 4000
# Which line is first by microseconds, and whether a snapshot of one port is before a change of the other (flags), is the wires' to say;
# the rest of a tick is the feed's.
OF_THE_WAY = {"frame", "rx_time", "rx_domain", "line", "flags"}


def ticks(path, of_snapshots):
    """Those of one stream, in their order; between the streams a wire keeps none."""
    with open(path, encoding="utf-8", newline="") as file:
        return [{column: cell for column, cell in row.items() if column not in OF_THE_WAY} for row in csv.DictReader(file)
                if (row["line"] == "SA") == of_snapshots]


class LiveTwoPorts(harness.SystemTest):
    def setUp(self):
        super().setUp()
        self.write_feed(packets=PACKETS, lure_every=10, loss=0)
        self.packets = list(udp_replay.datagrams(self.path("feed.pcap")))

    def frames_of(self, *groups):
        return [number for number, group, _, _ in self.packets if group in groups]

    def feed_text(self, device):
        # A busy machine may be late with everything: this is about what the run does, not about how soon.
        return run_config.text(device, feed=f'description="{run_config.DEMO_DESCRIPTION}" window_us="1000000"',
                               trade=run_config.trade(1, order_link="shadow").replace("<trade ", '<trade max_tick_age_us="10000000" '))

    def wire_second(self, lab):
        lab.do(lab.on_sender(["ip", "link", "add", SECOND_SENDER, "type", "veth", "peer", "name", SECOND_RECEIVER,
                              *([] if lab.rootless else ["netns", lab.receiver])]))
        lab.do(lab.on_sender(["ip", "address", "add", SECOND_ADDRESS + "/24", "dev", SECOND_SENDER]))
        lab.do(lab.on_sender(["ip", "link", "set", SECOND_SENDER, "up"]))
        lab.do(lab.on_receiver(["ip", "link", "set", SECOND_RECEIVER, "up"]))

    def start_run(self, lab):
        self.wire_second(lab)
        text = self.feed_text("af_packet:" + network_lab.RECEIVER)
        text = text.replace("<feed ", f'<port name="other" device="af_packet:{SECOND_RECEIVER}"/>\n  <feed ')
        text = text.replace('port="feed"/>', 'port="feed"><line channel="DEMO" role="incremental" copy="B" port="other"/></feed>')
        words = [harness.TICKPATH, "run", self.write("live.xml", text), "--json", "--ticks", self.path("live.csv")]
        program = self.start_program(lab.on_receiver(words), "live")
        program.wait_for("receiving")
        network_lab.wait_until_joined(lab, {GROUP_A, GROUP_SNAPSHOT}, program)
        return program

    def send(self, lab, left_out, name="sender"):
        words = [sys.executable, udp_replay.__file__, self.path("feed.pcap"), network_lab.SENDER_ADDRESS, RATE,
                 "--by", f"{GROUP_B}={SECOND_ADDRESS}", "--leave-out", ",".join(map(str, sorted(left_out)))]
        self.start_program(lab.on_sender(words), name).expect_exit(0)

    def end(self, program):
        time.sleep(0.3)  # what is still in the rings
        program.signal(signal.SIGINT)
        return program.expect_exit(130).json()

    def expect_all(self, report, program, left_out):
        """Ticks and orders of a run over the whole capture, and each port's frames under its name."""
        sent = {"feed": len(set(self.frames_of(GROUP_A, GROUP_SNAPSHOT)) - left_out), "other": len(set(self.frames_of(GROUP_B)) - left_out)}
        lines = {line["line"]: line for line in report["lines"]}
        self.assertEqual({"feed": lines["A"]["packets"] + lines["snapshot A"]["packets"], "other": lines["B"]["packets"]}, sent, program)
        self.assertEqual({name: line["port"] for name, line in lines.items()}, {"A": "feed", "B": "other", "snapshot A": "feed"})
        self.assertEqual({port["name"]: port["device"] for port in report["ports"]},
                         {"feed": "af_packet:" + network_lab.RECEIVER, "other": "af_packet:" + SECOND_RECEIVER})
        one_port = self.write("one.xml", self.feed_text("pcap:feed.pcap"))
        one = self.run_to_end("run", one_port, "--json", "--ticks", self.path("one.csv"), name="one").expect_exit(0).json()
        for of_snapshots in (False, True):
            seen, expected = (ticks(self.path(name + ".csv"), of_snapshots) for name in ("live", "one"))
            self.assertEqual(len(seen), len(expected), program)
            for index, (one_seen, one_expected) in enumerate(zip(seen, expected, strict=True)):
                self.assertEqual(one_seen, one_expected, f"tick {index}")
        self.assertGreater(report["totals"]["orders"], 0)
        for key in ("orders", "ticks"):
            self.assertEqual(report["totals"][key], one["totals"][key], key)
        self.assertEqual([report["holes_total"], report["books"]], [0, one["books"]], program)
        return lines

    def run_without(self, left_out):
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
            program = self.start_run(lab)
            self.send(lab, left_out)
            report = self.end(program)
        return self.expect_all(report, program, left_out)

    def test_holes_of_each_line_are_filled_from_the_other_port(self):
        a, b = self.frames_of(GROUP_A), self.frames_of(GROUP_B)
        lines = self.run_without({*a[700:720], a[900], *b[300:310]})
        self.assertEqual([lines["A"]["losses"], lines["B"]["losses"]], [21, 10])
        self.assertGreaterEqual(lines["B"]["wins"], 21)

    @unittest.skipIf(IS_QUICK, "two pcap ports show it, too")
    def test_both_lines(self):
        lines = self.run_without(set())
        self.assertEqual([lines[name]["losses"] for name in ("A", "B")], [0, 0])

    @unittest.skipIf(IS_QUICK, "two pcap ports show it, too")
    def test_each_line_alone(self):
        for silent, speaking in ((GROUP_A, "B"), (GROUP_B, "A")):
            with self.subTest(speaking):
                lines = self.run_without(set(self.frames_of(silent)))
                self.assertEqual(lines[speaking]["wins"], PACKETS)

    @unittest.skipIf(IS_QUICK, "test_holes_… sees the same of a line")
    def test_the_interface_of_one_port_goes_away(self):
        half = len(self.packets) // 2
        first, second = set(range(half)), set(range(half, len(self.packets)))
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
            program = self.start_run(lab)
            self.send(lab, second, "first")
            time.sleep(0.3)
            lab.do(lab.on_receiver(["ip", "link", "del", SECOND_RECEIVER]))
            program.wait_for(f"port other: interface {SECOND_RECEIVER} is gone")
            self.send_on_first_only(lab, first)
            report = self.end(program)
        gone = set(self.frames_of(GROUP_B)) & second
        self.expect_all(report, program, gone)
        self.assertEqual([report["counters"]["other.link_lost"], report["counters"]["feed.link_lost"]], [1, 0])

    def send_on_first_only(self, lab, left_out):
        words = [sys.executable, udp_replay.__file__, self.path("feed.pcap"), network_lab.SENDER_ADDRESS, RATE,
                 "--leave-out", ",".join(map(str, sorted(left_out | set(self.frames_of(GROUP_B)))))]
        self.start_program(lab.on_sender(words), "second").expect_exit(0)


tap.main()
