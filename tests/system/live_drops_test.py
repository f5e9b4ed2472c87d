"""What a wire carries beside the feed, counted by cause (spec/dataplane.md §4): raw frames over a veth pair into af_packet."""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time

import harness
import network_lab
import run_config
import tap

GROUP, PORT = "239.192.10.1", 30001  # line A of the demo feed
STRANGE_GROUP = "239.192.99.99"
SENDER_MAC = bytes.fromhex("020000000001")

# python3 -c SEND_RAW INTERFACE FRAME_HEX…
SEND_RAW = """
import socket, sys
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind((sys.argv[1], 0))
for frame in sys.argv[2:]:
    wire.send(bytes.fromhex(frame))
"""
# A datagram larger than the MTU: the sender's kernel cuts it into fragments, the receiver's joins them before the port sees them, and
# the ring cuts the whole at its frame size.
SEND_LARGE = f"""
import socket
large = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
large.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("{network_lab.SENDER_ADDRESS}"))
large.sendto(bytes(3000), ("{GROUP}", {PORT}))
"""


def datagram(group=GROUP, *, source_mac=SENDER_MAC, tags=b"", protocol=17, udp_length=None):
    """An Ethernet frame with one byte of payload, well-formed but for what is asked."""
    payload = b"?"
    udp = struct.pack(">HHHH", 40000, PORT, udp_length or 8 + len(payload), 0) + payload
    address = socket.inet_aton(group)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 1, protocol, 0,
                     socket.inet_aton(network_lab.SENDER_ADDRESS), address)
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~total & 0xFFFF) + ip[12:]
    return bytes([1, 0, 0x5E, address[1] & 0x7F, *address[2:]]) + source_mac + tags + b"\x08\x00" + ip + udp


class LiveDrops(harness.SystemTest):
    def send(self, place, script, *words):
        subprocess.run(place([sys.executable, "-c", script, *words]), check=True, timeout=30)

    def send_everything(self, lab):
        shown = subprocess.run(lab.on_receiver(["ip", "-json", "link", "show", network_lab.RECEIVER]), check=True,
                               capture_output=True, text=True, timeout=30)
        own_mac = bytes.fromhex(json.loads(shown.stdout)[0]["address"].replace(":", ""))
        tag, outer_tag = b"\x81\x00\x00\x07", b"\x88\xa8\x00\x64"
        from_sender = [
            datagram(), datagram(tags=tag), datagram(tags=outer_tag + tag),  # routed: no tag, one, two
            datagram(STRANGE_GROUP), datagram(STRANGE_GROUP),
            datagram(protocol=6), datagram(udp_length=500),
            b"\xff" * 6 + SENDER_MAC + b"\x08\x06" + bytes(46),  # ARP
        ]
        self.send(lab.on_sender, SEND_RAW, network_lab.SENDER, *[frame.hex() for frame in from_sender])
        self.send(lab.on_sender, SEND_LARGE)
        self.send(lab.on_receiver, SEND_RAW, network_lab.RECEIVER, datagram(source_mac=own_mac).hex())

    def test_each_kind_of_frame_is_counted_by_its_cause(self):
        with network_lab.NetworkLab(rootless=os.geteuid() != 0) as lab:
            self.write_feed(packets=20)
            config = self.write("run.xml", run_config.text("af_packet:" + network_lab.RECEIVER))
            program = self.start_program(lab.on_receiver([harness.TICKPATH, "run", config, "--json"]), "live")
            network_lab.wait_until_joined(lab, {GROUP}, program)
            self.send_everything(lab)
            time.sleep(0.5)
            program.signal(signal.SIGINT)
            report = program.expect_exit(130).json()
        routed = sum(value for name, value in report["counters"].items() if name.endswith(".router.routed"))
        self.assertEqual(routed, 3, program)
        # The receiver's kernel also sends membership reports, which come back as our own.
        self.assertGreaterEqual(report["drops"]["own_frame"], 1, program)
        expected = {"rx_multi_segment": 0, "unknown_group": 2, "truncated": 1, "not_ipv4": 1, "bad_header": 1, "not_udp": 1,
                    "fragment": 0}
        self.assertEqual({cause: report["drops"][cause] for cause in expected}, expected, program)


tap.main()
