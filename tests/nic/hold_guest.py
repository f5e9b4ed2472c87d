"""Starts a machine that has a kernel and no file system, prints its process id, and waits for the end: to be killed by a test.

    hold_guest.py FOLDER KERNEL_IMAGE
"""
import os
import sys
import time

import guest


def main(folder, kernel):
    with open(os.path.join(folder, "empty"), "wb"), guest.Guest(folder, kernel, os.path.join(folder, "empty"), card="e1000e",
                                                                driver="uio_pci_generic") as machine:
        print(machine.process.pid, flush=True)
        time.sleep(guest.TIME_LIMIT_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
