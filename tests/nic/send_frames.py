"""Sends the frames of a capture through a packet socket, byte for byte, at a steady rate.

    send_frames.py CAPTURE INTERFACE RATE_PER_SECOND

Prints how many were sent. Nanosecond pcap as scripts/demo_feed writes it.
"""
import socket
import struct
import sys
import time


def frames(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 24
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        yield data[at + 16:at + 16 + size]
        at += 16 + size


def main(capture, interface, rate):
    sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sender.bind((interface, 0))
    start = time.perf_counter()
    count = 0
    for frame in frames(capture):
        ahead_s = start + count / rate - time.perf_counter()
        if ahead_s > 0.001:
            time.sleep(ahead_s)
        sender.send(frame)
        count += 1
    print(count)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
