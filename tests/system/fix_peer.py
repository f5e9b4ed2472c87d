"""A FIX 4.4 counterparty that does exactly what a test says: listens, reads messages, answers or misbehaves.

It shares no code with the program under test, and checks BodyLength and CheckSum of all it reads.
"""
import datetime
import socket
import threading

SOH = b"\x01"
PATIENCE_S = 30


class Closed(Exception):
    """The other side ended the connection."""


def encode(fields):
    """The message of (tag, text) pairs after BodyLength, with a right header and trailer."""
    body = b"".join(f"{tag}={text}".encode() + SOH for tag, text in fields)
    head = b"8=FIX.4.4" + SOH + b"9=" + str(len(body)).encode() + SOH
    return head + body + f"10={sum(head + body) % 256:03d}".encode() + SOH


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]


class Peer:
    """Listens on a port of the system's choice; one connection at a time."""

    def __init__(self, sender="EXCHANGE", target="TICKPATH"):
        self.sender, self.target = sender, target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE_S)
        self.port = self.listener.getsockname()[1]
        self.connection = None
        self.number = 1  # of the next message sent
        self._received = b""

    def accept(self):
        self.connection, _ = self.listener.accept()
        self.connection.settimeout(PATIENCE_S)
        self._received = b""

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def stop(self):
        self.close()
        self.listener.close()

    def read(self):
        """The next message as {tag: text}; a repeated tag keeps its first text."""
        while True:
            end = self._received.find(SOH + b"10=")
            if end >= 0 and len(self._received) >= end + 8:
                raw, self._received = self._received[:end + 8], self._received[end + 8:]
                return self._decode(raw)
            part = self.connection.recv(65536)
            if not part:
                raise Closed()
            self._received += part

    @staticmethod
    def _decode(raw):
        pairs = [pair.split(b"=", 1) for pair in raw[:-1].split(SOH)]
        message = {}
        for tag, text in pairs:
            message.setdefault(int(tag), text.decode())
        head, _, rest = raw.partition(SOH + b"9=")
        body = rest.partition(SOH)[2][:-7]
        assert head == b"8=FIX.4.4" and int(message[9]) == len(body), f"wrong BodyLength: {raw!r}"
        assert int(message[10]) == sum(raw[:-7]) % 256, f"wrong CheckSum: {raw!r}"
        return message

    def send(self, kind, *fields):
        header = [(35, kind), (34, self.number), (49, self.sender), (52, utc_now()), (56, self.target)]
        self.number += 1
        self.connection.sendall(encode(header + list(fields)))

    def send_raw(self, raw):
        self.connection.sendall(raw)

    def log_on(self):
        """Accepts a connection and answers its Logon; returns that Logon."""
        self.accept()
        logon = self.read()
        assert logon[35] == "A", logon
        self.number = 1
        self.send("A", (98, 0), (108, logon[108]))
        return logon

    def read_order(self):
        """The next NewOrderSingle; heartbeats and test requests on the way are answered."""
        while True:
            message = self.read()
            if message[35] == "D":
                return message
            if message[35] == "1":
                self.send("0", (112, message[112]))

    def report(self, order, status, filled=0):
        """An ExecutionReport: status 0 new, 2 filled, 4 cancelled, 8 rejected."""
        quantity = int(order[38])
        self.send("8", (37, "X" + order[11]), (11, order[11]), (17, f"E{self.number}"), (150, "F" if status == 2 else status),
                  (39, status), (55, order[55]), (54, order[54]), (38, quantity), (44, order[44]),
                  *([(32, filled), (31, order[44])] if filled else []),
                  (151, quantity - filled if status in (0, 1) else 0), (14, filled), (6, order[44] if filled else 0))


class FillingPeer(threading.Thread):
    """Logs one client on and fills every order until the connection ends; `orders` are what it saw."""

    def __init__(self, peer):
        super().__init__(daemon=True)
        self.peer = peer
        self.orders = []
        self.logout = None
        self.error = None

    def run(self):
        try:
            self.peer.log_on()
            while True:
                message = self.peer.read()
                if message[35] == "D":
                    self.orders.append(message)
                    self.peer.report(message, 0)
                    self.peer.report(message, 2, filled=int(message[38]))
                elif message[35] == "1":
                    self.peer.send("0", (112, message[112]))
                elif message[35] == "5":
                    self.logout = message
                    self.peer.send("5")
        except (Closed, OSError):
            pass
        except AssertionError as error:
            self.error = error
