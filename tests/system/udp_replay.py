"""Sends the UDP payloads of a capture to their groups through plain sockets, at a steady rate.

    udp_replay.py CAPTURE INTERFACE_ADDRESS RATE_PER_SECOND [--first COUNT] [--leave-out NUMBER,NUMBER…] [--by GROUP=ADDRESS]…

Numbers count the frames of the capture from 0. With `--by` a group leaves by the interface with that address. Prints how many
datagrams were sent. Standard library only; nanosecond pcap of Ethernet frames without tags, which is what the shared captures are.
"""
import argparse
import socket
import struct
import sys
import time


def datagrams(path):
    """(frame number, group, port, payload) of each frame."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x4d\x3c\xb2\xa1":
        sys.exit(f"{path}: not a little-endian nanosecond pcap")
    at, number = 24, 0
    while at + 16 <= len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        frame = data[at + 16:at + 16 + size]
        ip = frame[14:]
        header_bytes = (ip[0] & 15) * 4
        udp_bytes = struct.unpack_from(">H", ip, header_bytes + 4)[0]
        port = struct.unpack_from(">H", ip, header_bytes + 2)[0]
        yield number, socket.inet_ntoa(ip[16:20]), port, ip[header_bytes + 8:header_bytes + udp_bytes]
        at, number = at + 16 + size, number + 1


def socket_by(interface_address):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface_address))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    return sender


def send_all(packets, interface_address, rate, by_group):
    sender = socket_by(interface_address)
    others = {group: socket_by(address) for group, address in by_group.items()}
    start = time.perf_counter()
    for count, (_, group, port, payload) in enumerate(packets):
        due = start + count / rate
        while time.perf_counter() < due:
            pass
        others.get(group, sender).sendto(payload, (group, port))
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("address")
    parser.add_argument("rate", type=float)
    parser.add_argument("--first", type=int)
    parser.add_argument("--leave-out", default="")
    parser.add_argument("--by", action="append", default=[])
    wishes = parser.parse_args()
    left_out = {int(number) for number in wishes.leave_out.split(",") if number}
    packets = [packet for packet in list(datagrams(wishes.capture))[:wishes.first] if packet[0] not in left_out]
    seconds = send_all(packets, wishes.address, wishes.rate, dict(word.split("=") for word in wishes.by))
    print(f"sent {len(packets)} in {seconds:.3f} s, {len(packets) / seconds:.0f} per second")


if __name__ == "__main__":
    main()
