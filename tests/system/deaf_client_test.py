"""`tickpath exchange` with a client that logs on, sends orders without end and reads nothing: the others do not feel it, memory stays
bounded, and the deaf session ends with a line that says why."""
import re
import signal
import socket
import time

import fix_peer
import harness
import tap

ORDERS_BYTES = 64 << 20  # what the deaf client would send if anybody let it
GROWTH_MAX_KIB = 8 << 10  # of the exchange; the reports to all of that would be three times as much
ANSWER_MAX_S = 2.0  # a busy machine's, not the exchange's


class Client(fix_peer.Peer):
    """The side that connects."""

    def __init__(self, name, port, receive_bytes=None):  # pylint: disable=super-init-not-called
        self.sender, self.target = name, "EXCHANGE"
        self.connection = socket.socket()
        if receive_bytes:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.connection.settimeout(fix_peer.PATIENCE_S)
        self.connection.connect(("127.0.0.1", port))
        self.number = 1
        self._received = b""

    def log_on(self, heartbeat_s=30):
        self.send("A", (98, 0), (108, heartbeat_s), (141, "Y"))

    def order(self, number):
        """The bytes of an order that is filled at once."""
        header = [(35, "D"), (34, self.number), (49, self.sender), (52, fix_peer.utc_now()), (56, self.target)]
        self.number += 1
        return fix_peer.encode(header + [(11, f"{self.sender}-{number}"), (55, "EURUSD"), (54, 1), (60, fix_peer.utc_now()), (38, 10),
                                         (40, 2), (44, "1.25"), (59, 3)])

    def trade(self, number):
        """Sends an order, waits for its two reports, and returns how long that took."""
        began = time.monotonic()
        self.send_raw(self.order(number))
        statuses = []
        while len(statuses) < 2:
            message = self.read()
            if message[35] == "8":
                assert message[11] == f"{self.sender}-{number}", message
                statuses.append(message[39])
        assert statuses == ["0", "2"], statuses
        return time.monotonic() - began

    def stop(self):
        self.close()


class DeafClient(harness.SystemTest):
    def start_exchange(self):
        config = self.write("exchange.xml", '<exchange port="0" fill="always" store="store"><session sender="EXCHANGE" target="DEAF"/>'
                                            '<session sender="EXCHANGE" target="QUICK"/></exchange>')
        program = self.start("exchange", config, "--json")
        return program, int(program.wait_for(r"127\.0\.0\.1:(\d+)").group(1))

    def connect(self, name, port, **options):
        client = Client(name, port, **options)
        self.addCleanup(client.stop)
        return client

    @staticmethod
    def resident_kib(program):
        return int(re.search(r"VmRSS:\s*(\d+) kB", harness.read(f"/proc/{program.process.pid}/status"))[1])

    def send_until_nothing_moves(self, deaf):
        """Orders for as long as the other side takes them; returns how many bytes it took."""
        deaf.connection.settimeout(0.5)
        sent, number = 0, 0
        try:
            while sent < ORDERS_BYTES:
                block = b"".join(deaf.order(number + i) for i in range(500))
                number += 500
                deaf.connection.sendall(block)
                sent += len(block)
        except OSError:  # it takes no more, or has ended the session
            pass
        return sent

    def test_it_disturbs_nobody_and_is_ended(self):
        program, port = self.start_exchange()
        quick = self.connect("QUICK", port)
        quick.log_on()
        quick.trade(0)
        before_kib = self.resident_kib(program)

        deaf = self.connect("DEAF", port, receive_bytes=4096)
        deaf.log_on(heartbeat_s=1)
        program.wait_for("DEAF logged on")
        sent = self.send_until_nothing_moves(deaf)
        self.assertLess(sent, ORDERS_BYTES, f"all of it was read although no report was: {program}")
        trades, deadline = 0, time.monotonic() + harness.PATIENCE_S
        while "DEAF is down" not in program.talk and time.monotonic() < deadline:
            trades += 1
            self.assertLess(quick.trade(trades), ANSWER_MAX_S, program)
            self.assertLess(self.resident_kib(program) - before_kib, GROWTH_MAX_KIB, program)
            time.sleep(0.005)
        program.wait_for("DEAF is down: the peer does not read what we send")
        self.assertGreater(trades, 10, "it was over before anybody could be disturbed")

        again = self.connect("DEAF", port)
        again.log_on()
        self.assertEqual(again.read()[35], "A", "its place is free again")
        again.trade("again")
        program.signal(signal.SIGTERM)
        for client in (quick, again):
            self.assertEqual(client.read()[35], "5")
            client.send("5")
        report = program.expect_exit(130).json()
        counts = {client["client"]: client for client in report["clients"]}
        self.assertEqual([counts["QUICK"]["orders"], counts["QUICK"]["fills"]], [trades + 1] * 2, program)
        self.assertGreater(counts["DEAF"]["orders"], 1, program)


tap.main()
