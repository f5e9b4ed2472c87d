"""A veth pair in namespaces of the test's own: a sender's end with an address, a receiver's end for the port.

With root two network namespaces, as two machines would be; without (or when asked to) one namespace inside a user namespace, which
needs no privilege at all. Everything is gone when the lab is closed.
"""
import os
import shutil
import subprocess
import time
import unittest

import harness

SENDER, RECEIVER = "tpfeed0", "tpfeed1"  # three letters and more: `ip link add a` would read a word
SENDER_ADDRESS = "10.9.0.1"
# What iproute2 says where the kernel does not let us, or has no veth.
REFUSALS = ("Operation not permitted", "Operation not supported", "Unknown device type", "Protocol not supported")
HOLD_S = "600"  # a namespace lives as long as its holder, and no longer than this


class NetworkLab:
    def __init__(self, rootless):
        self.holders = []
        self.rootless = rootless
        try:
            self.sender = self._hold()
            self.receiver = self.sender if rootless else self._hold()
            self._wire()
        except Exception:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        for holder in self.holders:
            holder.kill()
            holder.wait()

    def on_sender(self, command):
        """The words that run `command` where the sender's end is."""
        return self._inside(self.sender, command)

    def on_receiver(self, command):
        return self._inside(self.receiver, command)

    def _hold(self):
        for program in ("ip", "nsenter", "unshare"):
            if shutil.which(program) is None:
                raise unittest.SkipTest(f"no {program}")
        flags = ["--user", "--map-root-user", "--net"] if self.rootless else ["--net"]
        if not self.rootless and os.geteuid() != 0:
            raise unittest.SkipTest("two network namespaces need root")
        holder = subprocess.Popen(["unshare", *flags, "sleep", HOLD_S], stderr=subprocess.PIPE, text=True,
                                  preexec_fn=harness.die_with_parent)
        self.holders.append(holder)
        own = os.stat("/proc/self/ns/net").st_ino
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if holder.poll() is not None:
                raise unittest.SkipTest(f"namespaces are not permitted here: {holder.stderr.read().strip()}")
            # The user namespace is mapped when sleep runs: unshare writes the map before it.
            if os.stat(f"/proc/{holder.pid}/ns/net").st_ino != own and _name_of(holder.pid) == "sleep":
                return holder.pid
            time.sleep(0.01)
        raise AssertionError("unshare did not enter its namespace within 10 s")

    def _inside(self, pid, command):
        words = ["nsenter", f"--net=/proc/{pid}/ns/net"]
        if self.rootless:
            words += [f"--user=/proc/{pid}/ns/user", "--preserve-credentials"]
        return [*words, *[str(word) for word in command]]

    @staticmethod
    def do(words):
        """Skips the test where the kernel refuses for good; anything else that fails is a mistake in the test."""
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
        if done.returncode == 0:
            return
        told = f"{' '.join(words)}: {done.stderr.strip()}"
        if any(refusal in done.stderr for refusal in REFUSALS):
            raise unittest.SkipTest(told)
        raise AssertionError(told)

    def _wire(self):
        add = ["ip", "link", "add", SENDER, "type", "veth", "peer", "name", RECEIVER]
        if not self.rootless:
            add += ["netns", str(self.receiver)]
        self.do(self.on_sender(add))
        for inside in {self.sender: self.on_sender, self.receiver: self.on_receiver}.values():
            # Only to keep the wire quiet; some kernels have no IPv6.
            subprocess.run(inside(["sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1"]), check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)
        self.do(self.on_sender(["ip", "address", "add", SENDER_ADDRESS + "/24", "dev", SENDER]))
        self.do(self.on_sender(["ip", "link", "set", SENDER, "up"]))
        self.do(self.on_receiver(["ip", "link", "set", RECEIVER, "up"]))
        self.do(self.on_sender(["ip", "route", "add", "224.0.0.0/4", "dev", SENDER]))

    def rewire(self):
        """A veth pair of the same names in the place of one that is gone."""
        self._wire()

    def groups_joined(self):
        """Multicast groups the receiver's end is a member of, as the kernel lists them."""
        listing = subprocess.run(self.on_receiver(["cat", "/proc/net/igmp"]), capture_output=True, text=True,
                                 timeout=30, check=True).stdout
        groups, device = set(), None
        for line in listing.splitlines()[1:]:
            words = line.split()
            if not line.startswith("\t"):
                device = words[1]
            elif device == RECEIVER:
                groups.add(".".join(str(byte) for byte in bytes.fromhex(words[0])[::-1]))
        return groups


def wait_until_joined(lab, groups, program):
    """Until the program, started on the receiver's end, is a member of the groups: then its port is open, and its ring fills."""
    deadline = time.monotonic() + harness.PATIENCE_S
    while time.monotonic() < deadline and program.process.poll() is None:
        if groups <= lab.groups_joined():
            return
        time.sleep(0.02)
    raise AssertionError(f"the groups were not joined: {program}")


def _name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""
