"""scripts/bench --tick-to-trade with tiny counts: its JSON, its own checks, and that it leaves nothing behind when it is killed."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import tap
import tick_to_trade

PROGRAM = tick_to_trade.__file__
COUNT = 5
TINY = ["--json", "--interval", "0.01", "--count", str(COUNT), "--warm-up", "500", "--load-seconds", "0.2"]


def report(routed, missing, loop_ns=1, orders=2):
    return {"counters": {"r0.router.routed": routed, "r0.BENCH.missing_packets": missing}, "totals": {"orders": orders},
            "workers": [{"longest_loop_ns": loop_ns}]}


class TickToTrade(unittest.TestCase):
    def test_measures_floor_cold_warm_and_load_and_accounts_for_every_frame(self):
        done = subprocess.run([sys.executable, PROGRAM, *TINY, "--rates", "5000"], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == tick_to_trade.SKIPPED:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(done.stdout)
        self.assertLess(0, results["floor_ns"]["p50"])
        for name in ("cold", "warm"):
            self.assertEqual(results[name]["count"], COUNT)
            self.assertLess(0, results[name]["p50_ns"])
            self.assertLessEqual(results[name]["p50_ns"], results[name]["p99_ns"])
        self.assertEqual(results["gate_met"], results["warm"]["p50_ns"] <= results["floor_ns"]["p50"] + 1000)
        loaded, = results["loaded"]
        self.assertEqual(loaded["rate"], 5000)
        self.assertEqual(loaded["sent"], loaded["received"] + loaded["holes"])
        self.assertLess(1000, loaded["sent"])
        self.assertLess(0, loaded["p99_ns"])

    def test_nothing_is_left_when_it_is_killed(self):
        if os.geteuid() != 0:
            self.skipTest("two network namespaces need root")
        program = subprocess.Popen([sys.executable, PROGRAM, *TINY, "--rates", "", "--interval", "60"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.stderr.close)
        while "floor" not in (line := program.stderr.readline()) or "worker" in line:
            self.assertTrue(line, "ended by itself")
        deadline = time.monotonic() + 20
        while not (children := children_of(program.pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(children)
        program.send_signal(signal.SIGKILL)
        program.wait(10)
        while any(os.path.exists(f"/proc/{pid}") for pid in children) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse([pid for pid in children if os.path.exists(f"/proc/{pid}")])

    def test_a_frame_that_nobody_accounts_for_fails(self):
        self.assertEqual(tick_to_trade.account("x", {"sent": 10}, report(7, 3)), (7, 3))
        with self.assertRaisesRegex(tick_to_trade.Failed, "10 sent, but 7 received and 2 counted in holes"):
            tick_to_trade.account("x", {"sent": 10}, report(7, 2))

    def test_an_order_that_is_missing_fails(self):
        tick_to_trade.expect_every_order("x", {"triggers": 2}, 2, {"orders": 2, "orders_matched": 2})
        for orders, study in ((1, (2, 2)), (2, (1, 1)), (2, (2, 1)), (3, (3, 3))):
            with self.assertRaisesRegex(tick_to_trade.Failed, "2 ticks that should lead to an order"):
                tick_to_trade.expect_every_order("x", {"triggers": 2}, orders, dict(zip(("orders", "orders_matched"), study)))

    def test_a_loss_without_a_stall_fails(self):
        ring_ns = tick_to_trade.ring_lasts_ns(1000)
        for holes, stall_ns, dropped in ((3, ring_ns, 0), (3, 1, 2)):
            with self.assertRaisesRegex(tick_to_trade.Failed, "3 frames lost, but the worker"):
                tick_to_trade.judge_load("x", 1000, holes, stall_ns, dropped)
        for holes, stall_ns, dropped in ((3, ring_ns + 1, 0), (3, 1, 3), (0, 1, 0)):
            tick_to_trade.judge_load("x", 1000, holes, stall_ns, dropped)

    def test_a_stall_is_the_longest_of_loops_and_gaps(self):
        self.assertEqual(tick_to_trade.longest_stall_ns(report(0, 0, loop_ns=7)), 7)
        with_gap = report(0, 0, loop_ns=7)
        with_gap["counters"]["r0.longest_gap_ns"] = 9
        self.assertEqual(tick_to_trade.longest_stall_ns(with_gap), 9)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


tap.main()
