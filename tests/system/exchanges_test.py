"""`tickpath run` against exchanges in processes of their own, one made of Debian's libquickfix with its validator on, and ours: as
many orders and fills as triggers, nothing rejected, a clean logout. And killed: the next run goes on where the numbers were."""
import json
import os
import signal
import socket
import time

import harness
import run_config
import tap

QUICKFIX = os.environ.get("TICKPATH_QUICKFIX_EXCHANGE", "")
DICTIONARY = os.path.join(harness.ROOT, "templates/fix/FIX44.xml")
KILLS = {"all": 50, "nightly": 50}.get(os.environ.get("TICKPATH_TEST_LEVEL"), 3)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Exchanges(harness.SystemTest):
    def start_quickfix(self):
        """(program, port) of an exchange that fills every order; at its end it prints a line of JSON."""
        if not QUICKFIX:
            self.skipTest("libquickfix is not installed")
        port = free_port()
        program = self.start_program([QUICKFIX, port, DICTIONARY, "EXCHANGE", "TICKPATH"], "exchange")
        program.wait_for("listening")
        return program, port

    def start_own(self):
        config = self.write("exchange.xml", '<exchange port="0" fill="always" store="exchange-store">'
                                            '<session sender="EXCHANGE" target="TICKPATH"/></exchange>')
        program = self.start("exchange", config, "--json", name="exchange")
        return program, int(program.wait_for(r"127\.0\.0\.1:(\d+)").group(1))

    def start_run(self, port, layout="inline", name="run"):
        text = run_config.text("pcap:feed.pcap", pace="capture", layout=layout, trade=run_config.trade(port))
        return self.start("run", self.write("run.xml", text), "--json", name=name)

    def expect_clean(self, program, facts):
        """The run's own account: every trigger an order, every order a fill, the session well to its end."""
        report = program.expect_exit(0).json()
        counters = report["counters"]
        self.assertGreater(facts["orders"], 0)
        self.assertEqual([report["totals"]["orders"], report["totals"]["fills"]], [facts["orders"]] * 2, program)
        self.assertEqual(sum(report["refusals"].values()), 0, program)
        for name in ("rejects_in", "rejects_out", "garbled", "gaps"):
            self.assertEqual(counters["session." + name], 0, f"{name}: {program}")
        self.assertEqual(counters["session.logouts_in"], 1, f"the peer answers our Logout: {program}")
        self.assertIn("we logged out", program.talk)

    def quickfix_account(self, exchange):
        exchange.signal(signal.SIGINT)
        return json.loads(exchange.expect_exit(0).out.splitlines()[-1])

    def run_against_quickfix(self, layout):
        exchange, port = self.start_quickfix()
        facts = self.write_feed(packets=2000, rate=4000, lure_every=10, loss=0.01)
        self.expect_clean(self.start_run(port, layout), facts)
        self.assertEqual(self.quickfix_account(exchange),
                         {"logons": 1, "logouts": 1, "orders": facts["orders"], "fills": facts["orders"], "rejects_sent": 0,
                          "rejects_received": 0, "repeated_ids": 0, "resend_requests_received": 0}, exchange)

    def test_quickfix_accepts_every_order_inline(self):
        self.run_against_quickfix("inline")

    def test_quickfix_accepts_every_order_split(self):
        self.run_against_quickfix("split")

    def test_our_exchange_accepts_every_order(self):
        exchange, port = self.start_own()
        facts = self.write_feed(packets=2000, rate=4000, lure_every=10, loss=0.01)
        self.expect_clean(self.start_run(port), facts)
        exchange.signal(signal.SIGINT)
        total = exchange.expect_exit(130).json()["total"]
        self.assertEqual([total[key] for key in ("logons", "orders", "fills", "cancels", "refused", "rejects")],
                         [1, facts["orders"], facts["orders"], 0, 0, 0], exchange)

    def kill_mid_run(self, port, kill):
        """Starts a run, waits until it has sent some orders, and kills it."""
        program = self.start_run(port, name=f"killed-{kill}")
        program.wait_for("receiving")
        time.sleep(0.15 + 0.01 * (kill % 7))  # the lures have begun; not always at the same place
        program.signal(signal.SIGKILL)
        self.assertEqual(program.wait(), -signal.SIGKILL, f"it was over before it was killed: {program}")

    def test_numbers_go_on_after_kill_9(self):
        exchange, port = self.start_quickfix()
        facts = self.write_feed(packets=4000, lure_every=5, lure_from=200, loss=0)
        for kill in range(KILLS):
            self.kill_mid_run(port, kill)
        last = self.start_run(port, name="last")
        report = last.expect_exit(0).json()
        self.assertEqual(report["totals"]["orders"], facts["orders"], last)
        self.assertGreaterEqual(report["totals"]["fills"], facts["orders"], last)
        self.assertEqual(report["counters"]["session.rejects_in"], 0, last)
        self.assertEqual(report["counters"]["session.logons"], 1, "the first Logon's number is the one that is due")
        account = self.quickfix_account(exchange)
        self.assertEqual(account["logons"], KILLS + 1, exchange)
        self.assertGreater(account["orders"], facts["orders"], "the killed runs sent nothing")
        self.assertEqual([account["rejects_sent"], account["rejects_received"], account["repeated_ids"]], [0, 0, 0], exchange)
        # A number taken for an order that never left is a gap, asked for at most once a Logon and then filled.
        self.assertLessEqual(account["resend_requests_received"], KILLS, exchange)


tap.main()
