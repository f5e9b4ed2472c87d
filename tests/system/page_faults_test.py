"""No worker waits for a page once packets come: a real run's own count of page faults is 0, in both layouts, where memory may be
locked and where it may not."""
import os
import shutil

import fix_peer
import harness
import run_config
import tap

# Where root runs the test, the limit alone forbids nothing: CAP_IPC_LOCK goes as well.
UNLOCKED = ["prlimit", "--memlock=65536"]
UNPRIVILEGED = ["setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"]


class PageFaults(harness.SystemTest):
    def expect_none(self, layout, may_lock):
        words = [] if may_lock else UNLOCKED if os.geteuid() != 0 else UNPRIVILEGED + UNLOCKED
        if words and not shutil.which(words[0]):
            self.skipTest(f"no {words[0]}")
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        # Losses and snapshots: branches that run for the first time with packets coming in.
        facts = self.write_feed(packets=2000, rate=4000, lure_every=10, loss=0.03)
        text = run_config.text("pcap:feed.pcap", pace="capture", layout=layout, trade=run_config.trade(filling.peer.port))
        program = self.start_program([*words, harness.TICKPATH, "run", self.write("run.xml", text), "--json"], layout)
        report = program.expect_exit(0).json()
        filling.join(harness.PATIENCE_S)
        self.assertEqual(report["totals"]["fills"], facts["orders"], program)
        self.assertEqual(len(report["workers"]), 2 if layout == "split" else 1)
        self.assertEqual({worker["name"]: worker["minor_faults"] for worker in report["workers"]},
                         {worker["name"]: 0 for worker in report["workers"]}, program)
        if not may_lock:
            self.assertIn("not locked", program.talk)

    def test_inline(self):
        self.expect_none("inline", may_lock=True)

    def test_split(self):
        self.expect_none("split", may_lock=True)

    def test_inline_where_locking_is_forbidden(self):
        self.expect_none("inline", may_lock=False)

    def test_split_where_locking_is_forbidden(self):
        self.expect_none("split", may_lock=False)


tap.main()
