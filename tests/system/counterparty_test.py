"""Counterparties that are not there, leave, or answer garbage. The peer is scripted in Python."""
import os
import signal
import socket
import time

import fix_peer
import harness
import run_config
import tap


class Counterparty(harness.SystemTest):
    def replay(self, peer_port, packets=2000, **trade):
        """A replay by the capture's own times, so that there is time for a counterparty to misbehave."""
        facts = self.write_feed(packets=packets, lure_every=10, loss=0)
        text = run_config.text("pcap:feed.pcap", pace="capture", trade=run_config.trade(peer_port, **trade))
        return facts, self.start("run", self.write("run.xml", text), "--json")

    def listen(self):
        peer = fix_peer.Peer()
        self.addCleanup(peer.stop)
        return peer

    def test_one_that_does_not_listen(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        _, program = self.replay(port, packets=50)
        program.expect_exit(4)
        for words in (f"127.0.0.1:{port}", "refused", "tickpath exchange"):
            self.assertIn(words, program.talk)

    def test_one_that_fills_every_order(self):
        filling = fix_peer.FillingPeer(self.listen())
        filling.start()
        facts, program = self.replay(filling.peer.port)
        totals = program.expect_exit(0).json()["totals"]
        filling.join(harness.PATIENCE_S)
        self.assertIsNone(filling.error)
        self.assertGreater(facts["orders"], 0)
        self.assertEqual([len(filling.orders), totals["orders"], totals["fills"]], [facts["orders"]] * 3, program)
        self.assertEqual(len({order[11] for order in filling.orders}), facts["orders"], "a ClOrdID stands twice")
        self.assertIsNotNone(filling.logout, "no clean Logout")

    def test_one_that_wants_more_fields_than_the_standard_order_has(self):
        fields = "".join(f'<field tag="{tag}" slot="{slot}"/>\n' for tag, slot in (
            (11, "cl_ord_id"), (55, "symbol"), (54, "side"), (60, "transact_time"), (38, "order_qty"), (44, "price"),
            (59, "time_in_force")))
        self.write("order.xml", '<order-template msgtype="D">\n<field tag="1" value="L01-7"/>\n<field tag="21" value="1"/>\n'
                   + fields + '<field tag="40" value="2"/>\n</order-template>')
        filling = fix_peer.FillingPeer(self.listen())
        filling.start()
        facts, program = self.replay(filling.peer.port, packets=200, order_template="order.xml")
        program.expect_exit(0)
        filling.join(harness.PATIENCE_S)
        self.assertEqual(len(filling.orders), facts["orders"], program)
        for order in filling.orders:
            self.assertEqual([order[1], order[21], order[40]], ["L01-7", "1", "2"])

    def test_one_that_closes_mid_order_and_stays_away(self):
        peer = self.listen()
        facts, program = self.replay(peer.port)
        peer.log_on()
        peer.read_order()
        peer.stop()
        report = program.expect_exit(0).json()
        totals, refusals = report["totals"], report["refusals"]
        self.assertEqual(totals["fills"], 0)
        self.assertGreaterEqual(totals["orders"], 1)
        self.assertGreater(refusals["refused_session_not_ready"], 0)
        self.assertEqual(totals["orders"] + sum(refusals.values()), facts["orders"],
                         f"an order is neither sent nor refused: {program}")
        self.assertEqual(report["counters"]["trade.orders_unknown"], totals["orders"])

    def test_one_that_closes_mid_order_and_comes_back(self):
        peer = self.listen()
        _, program = self.replay(peer.port, packets=6000)
        first_logon = peer.log_on()
        order = peer.read_order()
        number = peer.number
        peer.close()
        peer.accept()
        logon = peer.read()
        self.assertEqual(logon[35], "A")
        self.assertGreater(int(logon[34]), int(first_logon[34]) + 1, "numbers go on")
        self.assertEqual(logon.get(141, "N"), "N")
        peer.number = number
        peer.send("A", (98, 0), (108, logon[108]))
        peer.report(order, 2, filled=int(order[38]))
        again = peer.read_order()
        self.assertNotEqual(again[11], order[11], "an order was sent twice")
        peer.stop()
        self.assertEqual(program.expect_exit(0).json()["totals"]["fills"], 1, "the late report settles the order")

    @staticmethod
    def talk_without_reading(peer, program):
        """TestRequests, whose answers nobody reads, until the program has enough of it."""
        peer.connection.settimeout(1)
        count = program.talk.count("does not read")
        deadline = time.monotonic() + harness.PATIENCE_S
        while program.talk.count("does not read") == count:
            assert time.monotonic() < deadline, f"it still waits for its peer: {program}"
            try:
                for _ in range(8):
                    peer.send("1", (112, "x" * 900))
            except OSError:  # it reads no more, or has closed
                time.sleep(0.05)

    def test_one_that_stops_reading(self):
        peer = self.listen()
        peer.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.write_feed(packets=2000, loss=0)
        trade = run_config.trade(peer.port, session='logout_timeout_ms="300"')
        program = self.start("run", self.write("run.xml", run_config.text("pcap:feed.pcap", pace="x0.01", trade=trade)))
        peer.log_on()
        self.talk_without_reading(peer, program)
        deaf = peer.connection
        self.addCleanup(deaf.close)
        peer.accept()  # it has dropped the deaf connection, though not all was sent
        self.assertEqual(peer.read()[35], "A")
        peer.number = 1
        peer.send("A", (98, 0), (108, 30), (141, "Y"))
        self.talk_without_reading(peer, program)
        program.signal(signal.SIGINT)
        program.expect_exit(130, seconds=8)

    def test_one_that_ends_the_session_before_anybody_looks(self):
        peer = self.listen()
        _, program = self.replay(peer.port, packets=50, session='reconnect_ms_max="50"')
        for text in ("closed on Sundays", "closed on Mondays"):
            peer.accept()
            logon = peer.read()
            peer.number = 1
            peer.send("A", (98, 0), (108, logon[108]), (141, "Y"))
            peer.send("5", (58, text))
        peer.accept()
        program.signal(signal.SIGINT)
        program.expect_exit(130)
        self.assertIn("closed on Mondays", program.talk)

    def test_one_that_answers_garbage_between_messages(self):
        peer = self.listen()
        _, program = self.replay(peer.port)
        peer.log_on()
        order = peer.read_order()
        peer.send_raw(os.urandom(300).replace(b"8=FIX", b"xxxxx"))
        peer.send_raw(b"\x01" + fix_peer.encode([(35, "8"), (34, peer.number)]).replace(b"\x0110=", b"\x0110=9"))
        peer.report(order, 2, filled=int(order[38]))
        self.assertNotEqual(peer.read_order()[11], order[11])
        peer.stop()
        report = program.expect_exit(0).json()
        self.assertEqual(report["totals"]["fills"], 1, f"the report behind the garbage counts: {program}")
        self.assertGreater(report["counters"]["session.garbled"], 0)

    def test_one_that_answers_the_logon_with_garbage(self):
        peer = self.listen()
        _, program = self.replay(peer.port, packets=50)
        peer.accept()
        self.assertEqual(peer.read()[35], "A")
        peer.send_raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        with self.assertRaises(fix_peer.Closed):
            peer.read()
        peer.stop()
        program.expect_exit(4)

    def test_one_that_rejects_every_order(self):
        peer = self.listen()
        _, program = self.replay(peer.port, packets=6000, risk='orders_per_second="0" rejects_max="3"')
        peer.log_on()
        for _ in range(3):
            peer.report(peer.read_order(), 8)
        program.wait_for("kill switch thrown")
        peer.stop()
        report = program.expect_exit(0).json()
        self.assertEqual(report["kill_reason"], "rejects")
        self.assertGreater(report["refusals"]["refused_killed"], 0)


tap.main()
