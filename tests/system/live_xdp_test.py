"""The made-up feed over a veth pair into af_xdp: every tick that the writer wrote. Where the kernel or the rights do not suffice it is
skipped, and says why."""
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

GROUPS = {"239.192.10.1", "239.192.20.1", "239.192.10.2"}
RATE = 4000


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class LiveXdp(harness.SystemTest):
    def start_run(self, lab):
        # A window that a busy machine does not outlast: this is about the port, not about how soon a hole is declared.
        feed = f'description="{run_config.DEMO_DESCRIPTION}" window_us="1000000"'
        config = self.write("xdp.xml", run_config.text("af_xdp:" + network_lab.RECEIVER, feed=feed))
        words = [harness.TICKPATH, "run", config, "--json", "--ticks", self.path("found.csv")]
        program = self.start_program(lab.on_receiver(words), "xdp")
        try:
            program.wait_for("receiving", 20)
        except AssertionError:
            if program.process.poll() == 4:
                raise unittest.SkipTest(f"af_xdp does not come up here: {program.talk.strip()[-400:]}") from None
            raise
        return program

    def test_every_tick_arrives(self):
        if os.geteuid() != 0:
            self.skipTest("af_xdp needs root")
        facts = self.write_feed(packets=2000, loss=0.01)
        with network_lab.NetworkLab(rootless=False) as lab:
            program = self.start_run(lab)
            network_lab.wait_until_joined(lab, GROUPS, program)
            words = [sys.executable, udp_replay.__file__, self.path("feed.pcap"), network_lab.SENDER_ADDRESS, RATE]
            sender = self.start_program(lab.on_sender(words), "sender").expect_exit(0)
            time.sleep(0.5)
            program.signal(signal.SIGINT)
            report = program.expect_exit(130).json()
        self.assertEqual(report["holes_total"], 0, program)
        routed = sum(value for name, value in report["counters"].items() if name.endswith(".router.routed"))
        self.assertEqual(routed, int(sender.out.split()[1]), program)
        found = [row for row in rows(self.path("found.csv")) if row["line"] in ("A", "B") and row["entry"] != "65535"]
        expected = rows(self.path("ticks.csv"))
        self.assertEqual(len(found), len(expected))
        for tick, row in zip(found, expected, strict=True):
            self.assertEqual([tick[key] for key in ("packet_seq", "instrument", "kind", "rpt_seq")],
                             [row[key] for key in ("packet_seq", "instrument", "kind", "rpt_seq")])
        self.assertGreater(facts["orders"], 0)


tap.main()
