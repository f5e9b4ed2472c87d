"""Captures of a feed and of orders whose latencies are known, in every form that times come in. Standard library only."""
import os
import struct
import sys

import harness

sys.path.insert(0, os.path.join(harness.ROOT, "scripts/demo_feed"))
import capture_file  # noqa: E402
import order_stream  # noqa: E402

START_NS = 1_796_049_000 * 10**9
LINES = {"A": ("239.192.10.1", 30001), "B": ("239.192.20.1", 30001)}  # of templates/feeds/demo.xml
ERF, ETHERNET = 197, 1
FCS = b"\xde\xad\xbe\xef"


def datagram(number, line="A", content=b"\xc0\x81"):
    return capture_file.frame(*LINES[line], struct.pack("<I", number) + content)


def token(number, counter=0, line=0):
    return f"{line:02X}{number:08X}0000{order_stream.counter_text(counter)}"


def order_bytes(number, cl_ord_id, *fields):
    return order_stream.message(number, (("11", cl_ord_id), *(fields or (("55", "DEMOA"), ("44", "100.00")))))


class OrderLink:
    """Segments of one TCP connection, in the order in which they are sent."""

    def __init__(self, port=40001):
        self.source = (order_stream.TRADER[0], port)
        self.sequence = 0xFFFFFF00  # wraps soon

    def segment(self, payload):
        frame = capture_file.tcp_frame(self.source, order_stream.EXCHANGE, self.sequence, payload)
        self.sequence += len(payload)
        return frame

    def again(self, payload):
        """What was sent last."""
        return capture_file.tcp_frame(self.source, order_stream.EXCHANGE, self.sequence - len(payload), payload)


def pairs(latencies_ns, gap_ns=1_000_000):
    """(time, frame) of a datagram and of its order for each latency; feed and orders apart."""
    feed, orders, link = [], [], OrderLink()
    for i, latency in enumerate(latencies_ns):
        at = START_NS + i * gap_ns
        feed.append((at, datagram(i + 1)))
        orders.append((at + latency, link.segment(order_bytes(i + 1, token(i + 1, i)))))
    return feed, orders


def by_time(frames):
    return sorted(frames, key=lambda pair: pair[0])


def write_pcap(path, frames, divisor=1, link_type=ETHERNET):
    """divisor 1: nanoseconds, 1000: microseconds."""
    magic = {1: 0xA1B23C4D, 1000: 0xA1B2C3D4}[divisor]
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, link_type))
        for time_ns, frame in frames:
            file.write(struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9 // divisor, len(frame), len(frame)) + frame)


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def write_pcapng(path, frames, digits=9):
    """digits after the point of a second: 9 or 6."""
    resolution = struct.pack("<HHB3xHH", 9, 1, digits, 0, 0)
    with open(path, "wb") as file:
        file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        file.write(block(1, struct.pack("<HHI", ETHERNET, 0, 65535) + resolution))
        for time_ns, frame in frames:
            units = time_ns // 10**(9 - digits)
            file.write(block(6, struct.pack("<IIIII", 0, units >> 32, units & 0xFFFFFFFF, len(frame), len(frame)) + frame))


def with_metamako(time_ns, frame, fcs=b""):
    seconds, nanoseconds = divmod(time_ns, 10**9)
    return frame + struct.pack(">IIIBHB", 0xC0FFEE00, seconds, nanoseconds, 1, 40, 17) + fcs


def with_exablaze(time_ns, frame, fcs=b""):
    seconds, nanoseconds = divmod(time_ns, 10**9)
    fraction = (nanoseconds * 2**40 + 5 * 10**8) // 10**9
    return frame + struct.pack(">IBBI", 0xC0FFEE00, 9, 3, seconds) + fraction.to_bytes(5, "big") + b"\0" + fcs


def with_erf(time_ns, frame):
    seconds, nanoseconds = divmod(time_ns, 10**9)
    fixed_point = seconds << 32 | (nanoseconds * 2**32 + 5 * 10**8) // 10**9
    return struct.pack("<Q", fixed_point) + struct.pack(">BBHHHH", 2, 4, 18 + len(frame), 0, len(frame), 0) + frame


def stamped(frames, stamp, off_by_ns):
    """The frames with a stamp of their true time, captured at times that are off."""
    return [(time_ns + off_by_ns(i), stamp(time_ns, frame)) for i, (time_ns, frame) in enumerate(frames)]
