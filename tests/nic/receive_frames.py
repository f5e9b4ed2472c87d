"""Prints each frame that comes in on an interface, as hex digits on a line, until the interface goes away.

    receive_frames.py INTERFACE

Says "listening" first, on stderr.
"""
import socket
import sys

ETH_P_ALL = 3
FRAME_BYTES_MAX = 2048


def main(interface):
    receiver = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    receiver.bind((interface, ETH_P_ALL))
    print("listening", file=sys.stderr, flush=True)
    while True:
        try:
            frame, (_, _, direction, *_) = receiver.recvfrom(FRAME_BYTES_MAX)
        except OSError:  # the network is down: the machine has ended
            return
        if direction != socket.PACKET_OUTGOING:
            print(frame.hex(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
