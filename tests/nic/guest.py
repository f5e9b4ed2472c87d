"""A virtual machine with one network card, alone with its tap in a network namespace that ends with it.

Console: first serial line, kept in a file, and what is written to the machine's stdin goes there. Results: second serial line, a
tar.gz file. The kernel ends the machine when the test is killed, and the namespace with its last process.
"""
import functools
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import unittest

import network_lab

TAP = "tpnic0"
CARD_ADDRESS = "0000:00:02.0"
TIME_LIMIT_S = 60
SENT_BY_GUEST = 100  # frames that the port's probe sends when the run is over
MEMORY_MB = 640
# More than all frames of a test: a guest that is stalled loses none.
TAP_QUEUE_FRAMES = 100_000
HERE = os.path.dirname(os.path.abspath(__file__))
FRAME_SENDER, FRAME_RECEIVER = os.path.join(HERE, "send_frames.py"), os.path.join(HERE, "receive_frames.py")
NAMESPACE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
# Inside the namespace: the kernel forgets it where rights are gained.
ENDS_WITH_ITS_PARENT = ["setpriv", "--pdeathsig", "KILL"]
# No frames of the host's own on the wire.
QUIET = 'test ! -e "$0" || echo 1 >"$0"; exec "$@"'
QUIET_SWITCH = "/proc/sys/net/ipv6/conf/default/disable_ipv6"


@functools.cache
def require():
    """Skips the test where there is no emulator, or no namespace with a tap in it."""
    for program in ("qemu-system-x86_64", "busybox", "cpio", "unshare", "setpriv", "nsenter", "ip", "dpkg-deb", "tar"):
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"no {program} (scripts/setup --nic installs what this suite needs)")
    told = subprocess.run([*NAMESPACE, "ip", "tuntap", "add", TAP, "mode", "tap"], capture_output=True, text=True, check=False,
                          timeout=30)
    if told.returncode != 0:
        raise unittest.SkipTest(f"no tap in a network namespace of its own: {told.stderr.strip()}")


@functools.cache
def offers(device):
    """The installed emulator has this card."""
    require()
    listing = subprocess.run(["qemu-system-x86_64", "-device", "help"], capture_output=True, text=True, check=True, timeout=30)
    return f'name "{device}"' in listing.stdout


class Guest:
    def __init__(self, folder, kernel, image, *, card, driver):
        self.console_path = os.path.join(folder, "console.log")
        self._results_path = os.path.join(folder, "results.tar.gz")
        self._deadline = time.monotonic() + TIME_LIMIT_S
        with open(self.console_path, "wb") as console:
            self.process = subprocess.Popen(
                [*NAMESPACE, *ENDS_WITH_ITS_PARENT, "sh", "-c", QUIET, QUIET_SWITCH, *self._command(kernel, image, card, driver)],
                stdin=subprocess.PIPE, stdout=console, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()

    def __str__(self):
        return f"--- console\n{self.console[-6000:]}"

    def _command(self, kernel, image, card, driver):
        words = f"console=ttyS0 quiet panic=-1 NICDRIVER={driver} CARD={CARD_ADDRESS} SENDCOUNT={SENT_BY_GUEST}"
        machine = ["-M", "q35,kernel-irqchip=split"]
        if driver == "vfio-pci" and card.startswith("virtio"):
            card += ",disable-legacy=on,iommu_platform=on"
        if driver == "vfio-pci":
            words += " intel_iommu=on"
            machine += ["-device", "intel-iommu,intremap=on,caching-mode=on"]
        return ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", str(MEMORY_MB), "-smp", "1",
                "-display", "none", "-monitor", "none", "-nodefaults", "-no-reboot", *machine, "-kernel", kernel, "-initrd", image,
                "-append", words, "-serial", "stdio", "-serial", "file:" + self._results_path,
                "-netdev", f"tap,id=n0,ifname={TAP},script=no,downscript=no",
                "-device", f"{card},netdev=n0,mac=52:54:00:12:34:56,addr=2.0"]

    @property
    def console(self):
        with open(self.console_path, encoding="utf-8", errors="replace") as file:
            return file.read().replace("\r", "")

    def _inside(self, command):
        words = ["nsenter", f"--net=/proc/{self.process.pid}/ns/net"]
        if os.geteuid() != 0:
            words += [f"--user=/proc/{self.process.pid}/ns/user", "--preserve-credentials"]
        return [*words, *map(str, command)]

    def _left_s(self):
        return max(0.1, self._deadline - time.monotonic())

    def wait_for(self, pattern):
        """The first match of `pattern` on the console."""
        while time.monotonic() < self._deadline:
            has_ended = self.process.poll() is not None
            found = re.search(pattern, self.console)
            if found:
                return found
            if has_ended:
                raise AssertionError(f"the machine ended without {pattern!r}: {self}")
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} did not come within {TIME_LIMIT_S} s: {self}")

    def comes_to(self, pattern):
        """Whether `pattern` appears on the console in time."""
        try:
            return bool(self.wait_for(pattern))
        except AssertionError:
            return False

    def connect(self):
        """The host's end of the wire, up."""
        network_lab.NetworkLab.do(self._inside(["ip", "link", "set", TAP, "txqueuelen", TAP_QUEUE_FRAMES, "up"]))

    def listener(self):
        """The words of a program that prints every frame the machine sends from then on."""
        return self._inside([sys.executable, FRAME_RECEIVER, TAP])

    def send(self, capture, rate):
        """Every frame of a capture as it is, at this rate; returns how many."""
        sender = subprocess.run(self._inside([sys.executable, FRAME_SENDER, capture, TAP, rate]), capture_output=True, text=True,
                                timeout=self._left_s(), check=False)
        if sender.returncode != 0:
            raise AssertionError(f"the sender failed: {sender.stderr}")
        return int(sender.stdout)

    def stop(self):
        """Ends the run in the guest; the results as texts by file name."""
        self.process.stdin.write(b"stop\n")
        self.process.stdin.flush()
        try:
            self.process.wait(self._left_s())
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the machine did not end within {TIME_LIMIT_S} s: {self}") from None
        with open(self._results_path, "rb") as file:
            content = file.read()
        try:
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
                return {os.path.basename(member.name): archive.extractfile(member).read().decode()
                        for member in archive if member.isfile()}
        except (tarfile.TarError, EOFError, OSError) as broken:
            raise AssertionError(f"the results ({len(content)} bytes) cannot be read: {broken}: {self}") from None
