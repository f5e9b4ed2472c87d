#!/usr/bin/env python3
"""Sends the payloads of a capture as UDP multicast out of one interface, at the capture's own pace.

usage: send.py CAPTURE INTERFACE_ADDRESS
The interface needs a route for 224.0.0.0/4. Prints how many datagrams left.
"""
import socket
import sys
import time

import capture_file


def open_sender(address):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    return sender


def main(capture, address):
    packets = list(capture_file.read_payloads(capture))
    sender = open_sender(address)
    offset_ns = time.monotonic_ns() - packets[0][0]
    for time_ns, group, port, payload in packets:
        wait_ns = time_ns + offset_ns - time.monotonic_ns()
        if wait_ns > 200_000:  # shorter waits cost more than they are worth
            time.sleep(wait_ns / 1e9)
        sender.sendto(payload, (group, port))
    print(f"sent {len(packets)} datagrams in {(packets[-1][0] - packets[0][0]) / 1e9:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
