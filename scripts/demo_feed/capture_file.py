"""Nanosecond pcap files of UDP multicast and TCP over Ethernet: frames with true checksums, and back to payloads."""
import ipaddress
import struct

MAGIC_NS = 0xA1B23C4D
ETHERNET = 1
FRAME_BYTES_MIN = 60


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(group, port, payload, source="10.20.0.1", identification=0):
    """An Ethernet frame to the group's own MAC address (RFC 1112), padded to the shortest Ethernet allows."""
    destination = ipaddress.IPv4Address(group).packed
    origin = ipaddress.IPv4Address(source).packed
    udp_bytes = 8 + len(payload)
    udp = struct.pack(">HHHH", 40000, port, udp_bytes, 0)
    udp_sum = checksum(origin + destination + struct.pack(">HH", 17, udp_bytes) + udp + payload) or 0xFFFF
    udp = udp[:6] + struct.pack(">H", udp_sum)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + udp_bytes, identification & 0xFFFF, 0x4000, 1, 17, 0) + origin + destination
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    mac = bytes((0x01, 0x00, 0x5E, destination[1] & 0x7F, destination[2], destination[3]))
    ethernet = mac + bytes.fromhex("0200000000aa") + b"\x08\x00"
    return (ethernet + ip + udp + payload).ljust(FRAME_BYTES_MIN, b"\0")


def tcp_frame(source, destination, sequence, payload, flags=0x18):
    """One segment of a connection, from one (address, port) to another."""
    origin, target = ipaddress.IPv4Address(source[0]).packed, ipaddress.IPv4Address(destination[0]).packed
    tcp = struct.pack(">HHIIBBHHH", source[1], destination[1], sequence & 0xFFFFFFFF, 1, 5 << 4, flags, 65535, 0, 0)
    pseudo = origin + target + struct.pack(">HH", 6, len(tcp) + len(payload))
    tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp + payload)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(payload), 0, 0x4000, 64, 6, 0) + origin + target
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    ethernet = bytes.fromhex("0200000000bb") + bytes.fromhex("0200000000aa") + b"\x08\x00"
    return (ethernet + ip + tcp + payload).ljust(FRAME_BYTES_MIN, b"\0")


def write(path, frames):
    """`frames`: pairs (time in ns since 1970, frame bytes)."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", MAGIC_NS, 2, 4, 0, 0, 65535, ETHERNET))
        for time_ns, content in frames:
            file.write(struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9, len(content), len(content)) + content)


def read_payloads(path):
    """(time in ns, group, port, payload) of each frame of a file that `write` wrote."""
    with open(path, "rb") as file:
        content = file.read()
    if struct.unpack_from("<I", content)[0] != MAGIC_NS:
        raise ValueError(f"{path} is no little-endian nanosecond pcap")
    at = 24
    while at < len(content):
        seconds, nanoseconds, size, _ = struct.unpack_from("<IIII", content, at)
        packet = content[at + 16:at + 16 + size]
        port, udp_bytes = struct.unpack_from(">HH", packet, 36)
        yield seconds * 10**9 + nanoseconds, str(ipaddress.IPv4Address(packet[30:34])), port, packet[42:34 + udp_bytes]
        at += 16 + size
