"""The instruction gates of the FAST decoder, as `scripts/bench --instructions fast` counts them."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import unittest

import planted
import tap

sys.path.insert(0, os.path.join(planted.ROOT, "scripts"))
import run_benches

run_benches.BENCH = os.path.join(os.environ["TICKPATH_BUILD"], "bench")


def counted():
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        within = run_benches.fast_instructions()
    return within, dict(line.split() for line in out.getvalue().splitlines())


class FastInstructions(unittest.TestCase):
    def setUp(self):
        if shutil.which("valgrind") is None:
            self.skipTest("no valgrind")
        build = subprocess.run([os.environ["TICKPATH"], "version"], capture_output=True, text=True, check=True).stdout
        if "sanitizers none" not in build or "x86-64-v2" not in build:
            self.skipTest("the gates are for x86-64-v2 without sanitizers")

    def test_both_tiers_are_within_their_gates(self):
        within, counts = counted()
        self.assertTrue(within, counts)
        self.assertEqual(set(counts), {"floor", "runtime", "generated"})
        self.assertLess(int(counts["generated"]), int(counts["runtime"]))

    def test_a_count_over_its_gate_fails(self):
        gates, run_benches.FAST_GATES = run_benches.FAST_GATES, {"generated": 100}
        try:
            within, _ = counted()
        finally:
            run_benches.FAST_GATES = gates
        self.assertFalse(within)


if __name__ == "__main__":
    tap.main()
