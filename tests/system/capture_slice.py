"""Reads and writes nanosecond pcap files of plain Ethernet, so that tests can leave frames of a capture out. Standard library only."""
import socket
import struct

MAGIC = b"\x4d\x3c\xb2\xa1"


class Frame:
    """One record: its header, its bytes, and where its datagram went."""

    def __init__(self, header, data):
        self.header = header
        self.data = data
        ip = data[14:]
        header_bytes = (ip[0] & 15) * 4
        self.group = socket.inet_ntoa(ip[16:20])
        self.port = struct.unpack_from(">H", ip, header_bytes + 2)[0]
        udp_bytes = struct.unpack_from(">H", ip, header_bytes + 4)[0]
        self.payload = ip[header_bytes + 8:header_bytes + udp_bytes]


def datagram(group, port, payload, time_ns=0):
    """A frame that carries these bytes; its checksums are zero."""
    udp = struct.pack(">HHHH", 1000, port, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 1, 17, 0, socket.inet_aton("10.0.0.1"), socket.inet_aton(group))
    data = b"\x01\x00\x5e\x00\x00\x01" b"\x02\x00\x00\x00\x00\x01" b"\x08\x00" + ip + udp
    return Frame(struct.pack("<IIII", *divmod(time_ns, 10**9), len(data), len(data)), data)


def read(path):
    """(file header, frames)"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != MAGIC:
        raise ValueError(f"{path}: not a little-endian nanosecond pcap")
    frames, at = [], 24
    while at + 16 <= len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        frames.append(Frame(data[at:at + 16], data[at + 16:at + 16 + size]))
        at += 16 + size
    return data[:24], frames


def write(path, file_header, frames):
    with open(path, "wb") as file:
        file.write(file_header)
        for frame in frames:
            file.write(frame.header + frame.data)


def stop_bit_number(data):
    """The unsigned FAST integer at the start of `data`."""
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte & 0x80:
            return value
    raise ValueError("no stop bit")
