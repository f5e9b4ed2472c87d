"""A recorded feed sent by plain UDP sockets over a veth pair into af_packet: every frame arrives, and what is left out is reported."""
import collections
import csv
import os
import signal
import sys
import time

import harness
import network_lab
import run_config
import tap
import udp_replay

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FORTS = os.path.join(SHARED, "data/feeds/moex-forts-2013")
CAPTURE = os.path.join(FORTS, "forts-book5.pcap")
FEED = f'preset="moex-spectra-2013" templates="{FORTS}/templates.xml"'
RATE = 20_000
LINE_OF_GROUP = {"239.192.70.3": "A", "239.192.175.3": "B", "239.192.70.4": "snapshot A"}
# A shared machine can stall the receiver for longer than the kernel's ring lasts; such a run proves nothing and is repeated.
ATTEMPTS = 3
LEAST_RING_FRAMES = 2048  # what RLIMIT_MEMLOCK of 8 MiB leaves
# Times and frame numbers differ between a wire and a file; everything else of a tick must not.
WIRE_COLUMNS = {"rx_time", "rx_domain", "frame"}


def ticks(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items() if k not in WIRE_COLUMNS} for row in csv.DictReader(file)]


class LiveRun:
    """What a run over the wire ended with."""

    def __init__(self, program, sender, ticks_path):
        self.program = program
        self.sender = sender
        self.report = program.json()
        self.ticks = ticks(ticks_path)

    def __str__(self):
        return f"{self.sender.out}{self.program}"

    def counter(self, suffix):
        return sum(value for name, value in self.report["counters"].items() if name.endswith("." + suffix))

    def line(self, name):
        return next(line for line in self.report["lines"] if line["line"] == name)

    def was_stalled(self, seconds):
        """The worker was away for longer than this at least once."""
        return any(worker["longest_loop_ns"] > seconds * 1e9 for worker in self.report["workers"])


class LiveFeed(harness.SystemTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(CAPTURE):
            self.skipTest("no shared data")
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n")
        self.packets = list(udp_replay.datagrams(CAPTURE))

    def run_once(self, lab, left_out):
        config = self.write("live.xml", run_config.text("af_packet:" + network_lab.RECEIVER, pace="capture", feed=FEED,
                                                        port_attributes='ring_frames="16384"'))
        words = [harness.TICKPATH, "run", config, "--json", "--ticks", self.path("live.csv")]
        program = self.start_program(lab.on_receiver(words), "live")
        network_lab.wait_until_joined(lab, set(LINE_OF_GROUP), program)
        words = [sys.executable, udp_replay.__file__, CAPTURE, network_lab.SENDER_ADDRESS, RATE,
                 "--leave-out", ",".join(map(str, sorted(left_out)))]
        sender = self.start_program(lab.on_sender(words), "sender").expect_exit(0)
        time.sleep(0.5)  # the rest of the ring, and the window of a last hole
        program.signal(signal.SIGINT)
        program.expect_exit(130)
        return LiveRun(program, sender, self.path("live.csv"))

    def run_live(self, rootless, *, left_out=frozenset()):
        """A run that received all that was sent; repeated when the machine stalled for longer than its ring holds."""
        sent_count = sum(number not in left_out for number, _, _, _ in self.packets)
        for _ in range(ATTEMPTS):
            with network_lab.NetworkLab(rootless) as lab:
                live = self.run_once(lab, left_out)
            if live.counter("routed") == sent_count:
                print(f"# {self.id().rpartition('.')[2]}: {live.sender.out.strip()}", flush=True)  # the rate that was reached
                return live
            self.assertTrue(live.was_stalled(LEAST_RING_FRAMES / RATE),
                            f"{sent_count - live.counter('routed')} frames lost: {live}")
        self.skipTest(f"this machine stalled the receiver {ATTEMPTS} times")

    def expect_every_frame(self, rootless):
        live = self.run_live(rootless)
        counts = collections.Counter(LINE_OF_GROUP[group] for _, group, _, _ in self.packets)
        self.assertEqual({name: live.line(name)["packets"] for name in counts}, dict(counts), live)
        self.assertEqual({name: live.line(name)["losses"] for name in counts}, dict.fromkeys(counts, 0), live)
        for cause in ("truncated", "bad_header", "fragment", "unknown_group", "rx_multi_segment"):
            self.assertEqual(live.report["drops"][cause], 0, f"{cause}: {live}")
        self.assertEqual(live.report["holes_total"], 0, live)

        replay = self.write("replay.xml", run_config.text("pcap:" + CAPTURE, feed=FEED))
        self.run_to_end("run", replay, "--ticks", self.path("replay.csv"), name="replay").expect_exit(0)
        replayed = ticks(self.path("replay.csv"))
        self.assertEqual(len(live.ticks), len(replayed))
        for index, (seen, expected) in enumerate(zip(live.ticks, replayed, strict=True)):
            self.assertEqual(seen, expected, f"tick {index}")

    def test_a_wrong_command_of_the_lab_is_no_reason_to_skip(self):
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab, self.assertRaises(AssertionError):
            lab.do(lab.on_sender(["ip", "link", "sett", network_lab.SENDER, "up"]))

    def test_every_frame_arrives_between_two_namespaces(self):
        self.expect_every_frame(rootless=False)

    def test_every_frame_arrives_in_a_user_namespace(self):
        self.expect_every_frame(rootless=True)

    def twin_of(self, frame):
        """The frame of line B that carries the same packet."""
        payload = self.packets[frame][3]
        return next(number for number, group, _, other in self.packets
                    if LINE_OF_GROUP[group] == "B" and other == payload)

    def frames_of(self, line):
        return [number for number, group, _, _ in self.packets if LINE_OF_GROUP[group] == line]

    def test_what_is_left_out_of_each_line_is_reported(self):
        a, b = self.frames_of("A"), self.frames_of("B")
        in_both = [a[1000], a[3000], a[3001], a[3002], a[5000]]  # three holes: one packet, three in a row, one packet
        only_a = [*a[500:507], a[2000]]
        lost = {"A": {*only_a, *in_both}, "B": {*b[1500:1503], *map(self.twin_of, in_both)}, "snapshot A": set()}

        live = self.run_live(rootless=os.geteuid() != 0, left_out=set().union(*lost.values()))
        self.assertEqual({name: live.line(name)["losses"] for name in lost},
                         {name: len(frames) for name, frames in lost.items()}, live)
        self.assertEqual(live.report["counters"]["r0.FUT-BOOK-5.holes"], 3, live)
        self.assertEqual(live.report["counters"]["r0.FUT-BOOK-5.missing_packets"], len(in_both), live)
        self.assertEqual(live.line("B")["wins"], len(only_a), live)

    def test_what_is_left_out_of_snapshots_is_reported(self):
        snapshots = self.frames_of("snapshot A")
        live = self.run_live(rootless=os.geteuid() != 0, left_out={snapshots[100], snapshots[333]})
        self.assertEqual(live.line("snapshot A")["losses"], 2, live)
        self.assertEqual(live.line("A")["losses"], 0, live)


tap.main()
