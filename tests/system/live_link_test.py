"""An interface that goes away under a run: said, counted, books invalid and no order until the feed's own snapshots have mended them."""
import csv
import json
import os
import signal
import struct
import sys
import time
import unittest

import harness
import network_lab
import run_config
import tap
import udp_replay

GROUPS = {"239.192.10.1", "239.192.20.1", "239.192.10.2"}
SNAPSHOT_GROUP = "239.192.10.2"
RATE = 4000
IS_QUICK = os.environ.get("TICKPATH_TEST_LEVEL") not in ("all", "nightly")
# The demo feed: books are valid after 500 packets, then quotes worth hitting begin.
CUT, HEAL_FROM, PACKETS = 1000, 1400, 2000


def reports(program):
    """Every report that the program has printed so far."""
    text, found = program.out.strip(), []
    while text:
        try:
            report, end = json.JSONDecoder().raw_decode(text)
        except json.JSONDecodeError:
            break  # the one that is being printed
        found.append(report)
        text = text[end:].strip()
    return found


def books(report, key):
    return sum(channel[key] for channel in report["books"])


class LiveLink(harness.SystemTest):
    def start_run(self, lab, layout, other=""):
        """`other` is a second port, called "other", at which line B would come in."""
        self.write_feed(packets=PACKETS, lure_every=10, loss=0)
        # A busy machine may be late with everything: this is about what the run does, not about how soon.
        text = run_config.text("af_packet:" + network_lab.RECEIVER, layout=layout,
                               feed=f'description="{run_config.DEMO_DESCRIPTION}" window_us="1000000"',
                               trade=run_config.trade(1, order_link="shadow").replace("<trade ", '<trade max_tick_age_us="10000000" '))
        if other:
            text = text.replace("<feed ", other + "<feed ").replace('port="feed"/>', 'port="feed">'
                                '<line channel="DEMO" role="incremental" copy="B" port="other"/></feed>')
        program = self.start_program(lab.on_receiver([harness.TICKPATH, "run", self.write("run.xml", text), "--json"]), "live")
        program.wait_for("receiving")
        network_lab.wait_until_joined(lab, {SNAPSHOT_GROUP} if other else GROUPS, program)
        return program

    def send(self, lab, first, last, with_snapshots=True):
        """The frames from packet `first` to `last`, and the snapshots between them."""
        left_out, packet = [], 0
        for number, group, _, payload in udp_replay.datagrams(self.path("feed.pcap")):
            if group != SNAPSHOT_GROUP:
                packet = struct.unpack_from("<I", payload)[0]
            if not first <= packet <= last or (group == SNAPSHOT_GROUP and not with_snapshots):
                left_out.append(number)
        words = [sys.executable, udp_replay.__file__, self.path("feed.pcap"), network_lab.SENDER_ADDRESS, RATE,
                 "--leave-out", ",".join(map(str, left_out))]
        sent = self.start_program(lab.on_sender(words), f"sender-{first}").expect_exit(0).out
        return int(sent.split()[1])

    def report_when(self, program, is_so, what):
        """The first report, asked for again and again, of which `is_so` is true."""
        deadline = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < deadline and program.process.poll() is None:
            program.signal(signal.SIGUSR2)
            time.sleep(0.1)
            found = reports(program)
            if found and is_so(found[-1]):
                return found[-1]
        self.fail(f"{what}: {program}")

    @staticmethod
    def routed(report):
        return sum(value for name, value in report["counters"].items() if name.endswith(".router.routed"))

    def lures(self, first, last):
        with open(self.path("orders.csv"), encoding="utf-8", newline="") as file:
            return sum(first <= int(row["cl_ord_id_start"][2:10], 16) <= last for row in csv.DictReader(file))

    def expect_trading(self, lab, program):
        """Sends the first part; every quote worth hitting is hit."""
        sent = self.send(lab, 1, CUT)
        report = self.report_when(program, lambda now: self.routed(now) == sent, f"never received {sent}")
        self.assertGreater(self.lures(1, CUT), 0)
        self.assertEqual(report["totals"]["orders"], self.lures(1, CUT), program)
        self.assertEqual(books(report, "invalid"), 0, program)
        self.assertEqual(report["counters"]["feed.link_lost"], 0)
        return sent

    def test_an_interface_that_is_set_down_and_up(self):
        for layout in ("inline",) if IS_QUICK else ("inline", "split"):
            with self.subTest(layout), network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
                program = self.start_run(lab, layout)
                sent = self.expect_trading(lab, program)
                lab.do(lab.on_receiver(["ip", "link", "set", network_lab.RECEIVER, "down"]))
                program.wait_for(f"port feed: interface {network_lab.RECEIVER} is down; books that only this port feeds are invalid")
                report = self.report_when(program, lambda now: books(now, "valid") == 0, "books are still valid")
                self.assertEqual(report["counters"]["feed.link_lost"], 1, program)

                lab.do(lab.on_receiver(["ip", "link", "set", network_lab.RECEIVER, "up"]))
                program.wait_for(f"interface {network_lab.RECEIVER} is back")
                network_lab.wait_until_joined(lab, GROUPS, program)
                sent += self.send(lab, CUT + 1, HEAL_FROM, with_snapshots=False)
                report = self.report_when(program, lambda now: self.routed(now) == sent, f"never received {sent}")
                self.assertGreater(self.lures(CUT + 1, HEAL_FROM), 0)
                self.assertEqual(report["totals"]["orders"], self.lures(1, CUT), f"an order without a book: {program}")
                self.assertEqual(books(report, "valid"), 0, f"a book became valid by itself: {program}")

                sent += self.send(lab, HEAL_FROM + 1, PACKETS)
                report = self.report_when(program, lambda now: self.routed(now) == sent, f"never received {sent}")
                self.assertEqual(books(report, "invalid"), 0, f"snapshots did not mend the books: {program}")
                self.assertGreater(report["totals"]["orders"], self.lures(1, CUT), program)
                program.signal(signal.SIGINT)
                program.expect_exit(130)
                self.assertEqual(reports(program)[-1]["counters"]["feed.link_lost"], 1, program)
                self.assertEqual(program.talk.count("port feed: interface "), 2, f"each change is said once: {program}")

    def test_an_interface_that_is_deleted_and_made_again(self):
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
            program = self.start_run(lab, "split")
            self.expect_trading(lab, program)
            lab.do(lab.on_receiver(["ip", "link", "del", network_lab.RECEIVER]))
            program.wait_for(f"port feed: interface {network_lab.RECEIVER} is gone")
            self.report_when(program, lambda now: books(now, "valid") == 0, "books are still valid")
            lab.rewire()
            program.wait_for(f"port feed: interface {network_lab.RECEIVER} is there again.*: restart the run")
            self.send(lab, CUT + 1, PACKETS)
            program.signal(signal.SIGINT)
            program.expect_exit(130)
            report = reports(program)[-1]
        self.assertEqual(report["totals"]["orders"], self.lures(1, CUT), program)
        self.assertEqual([books(report, "valid"), report["counters"]["feed.link_lost"]], [0, 1], program)

    @unittest.skipIf(IS_QUICK, "the unit tests have it; this level is for what they cannot see")
    def test_the_other_line_keeps_books_valid(self):
        second = "tpfeed3"
        with network_lab.NetworkLab(rootless=True) as lab:
            lab.do(lab.on_receiver(["ip", "link", "add", "tpfeed2", "type", "veth", "peer", "name", second]))
            for end in ("tpfeed2", second):
                lab.do(lab.on_receiver(["ip", "link", "set", end, "up"]))
            program = self.start_run(lab, "inline", other=f'<port name="other" device="af_packet:{second}"/>')
            self.send(lab, 1, CUT)
            self.report_when(program, lambda now: now["totals"]["orders"] == self.lures(1, CUT), "not every quote was hit")
            lab.do(lab.on_receiver(["ip", "link", "del", second]))
            program.wait_for(f"port other: interface {second} is gone")
            self.send(lab, CUT + 1, PACKETS)
            report = self.report_when(program, lambda now: now["totals"]["orders"] == self.lures(1, PACKETS), "not every quote was hit")
            self.assertEqual([books(report, "invalid"), report["counters"]["other.link_lost"], report["counters"]["feed.link_lost"]],
                             [0, 1, 0], program)
            lab.do(lab.on_receiver(["ip", "link", "set", network_lab.RECEIVER, "down"]))
            self.report_when(program, lambda now: books(now, "valid") == 0, "no line is left, and books are still valid")
            program.signal(signal.SIGINT)
            program.expect_exit(130)

    @unittest.skipIf(IS_QUICK, "the unit tests have it; this level is for what they cannot see")
    def test_the_other_end_goes_away(self):
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
            program = self.start_run(lab, "inline")
            self.expect_trading(lab, program)
            lab.do(lab.on_sender(["ip", "link", "set", network_lab.SENDER, "down"]))
            program.wait_for(f"port feed: interface {network_lab.RECEIVER} has no carrier")
            report = self.report_when(program, lambda now: books(now, "valid") == 0, "books are still valid")
            self.assertEqual(report["counters"]["feed.link_lost"], 1, program)
            program.signal(signal.SIGINT)
            program.expect_exit(130)


tap.main()
