"""The orders of the demo as FIX over TCP, each a known time after the datagram that causes it."""
import capture_file

TRADER, EXCHANGE = ("10.20.0.1", 40001), ("10.20.0.9", 9876)
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
LATENCY_NS_MIN, LATENCY_NS_SPREAD = 1_500, 2_000


def latency_ns(counter):
    """The same for the same order; spread evenly, with one in a hundred ten times as long."""
    spread = LATENCY_NS_MIN + counter * 787 % LATENCY_NS_SPREAD
    return spread * 10 if counter % 100 == 99 else spread


def counter_text(counter):
    return "".join(DIGITS[counter >> shift & 31] for shift in range(25, -1, -5))


def message(number, fields):
    body = "".join(f"{tag}={value}\x01" for tag, value in (("35", "D"), ("34", number), ("49", "TICKPATH"), ("56", "EXCHANGE"), *fields))
    text = f"8=FIX.4.4\x019={len(body)}\x01{body}".encode("ascii")
    return text + f"10={sum(text) % 256:03d}\x01".encode("ascii")


def frames(orders):
    """`orders`: (time in ns of the trigger, start of the ClOrdID, symbol, side, price, quantity), in the order of time."""
    sequence = 1_000
    made = [(orders[0][0] - 1_000_000 if orders else 0, capture_file.tcp_frame(TRADER, EXCHANGE, sequence - 1, b"", flags=2))]
    for counter, (time_ns, start, symbol, side, price, quantity) in enumerate(orders):
        payload = message(counter + 1, (("11", start + counter_text(counter)), ("55", symbol), ("54", 1 if side == "buy" else 2),
                                        ("38", quantity), ("40", 2), ("44", price), ("59", 3)))
        made.append((time_ns + latency_ns(counter), capture_file.tcp_frame(TRADER, EXCHANGE, sequence, payload)))
        sequence += len(payload)
    return made
