"""What system tests share: tickpath as a process, bounded in time, and the made-up feed. Standard library only.

The tests run the executable that $TICKPATH names. Every test has an empty folder of its own (self.folder); programs that it
leaves behind are ended after it.
"""
import contextlib
import ctypes
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TICKPATH = os.path.abspath(os.environ.get("TICKPATH", os.path.join(ROOT, "build/tickpath")))
FEED_WRITER = os.path.join(ROOT, "scripts/demo_feed/write.py")
# Sanitizers and busy machines are slow; a limit that is reached is a failure, never a pass.
PATIENCE_S = 60
PR_SET_PDEATHSIG = 1  # prctl(2)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def die_with_parent():
    """For preexec_fn: what was started ends with the test even when that is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A started program with its output in files."""

    def __init__(self, command, folder, name):
        self.command = [str(word) for word in command]
        self.out_path = os.path.join(folder, name + ".out")
        self.talk_path = os.path.join(folder, name + ".err")
        with open(self.out_path, "wb") as out, open(self.talk_path, "wb") as talk:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=talk,
                                            start_new_session=True, preexec_fn=die_with_parent)

    @property
    def out(self):
        return read(self.out_path)

    @property
    def talk(self):
        return read(self.talk_path)

    def __str__(self):
        return f"{' '.join(self.command)}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.talk[-3000:]}"

    def wait(self, seconds=PATIENCE_S):
        """The exit code; negative for a signal."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"did not end within {seconds} s: {self}") from None

    def expect_exit(self, code, seconds=PATIENCE_S):
        found = self.wait(seconds)
        if found != code:
            raise AssertionError(f"exit code {found}, should be {code}: {self}")
        return self

    def wait_for(self, pattern, seconds=PATIENCE_S):
        """The first match of `pattern` in what the program says on stderr or stdout."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            has_ended = self.process.poll() is not None
            found = re.search(pattern, self.talk) or re.search(pattern, self.out)
            if found:
                return found
            if has_ended:
                break
            time.sleep(0.01)
        raise AssertionError(f"never said {pattern!r}: {self}")

    def signal(self, number):
        self.process.send_signal(number)

    def json(self):
        return json.loads(self.out)

    def end(self):
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class SystemTest(unittest.TestCase):
    """A test with a folder, in which relative paths of configurations written there begin."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tickpath-system-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start_program(self, command, name="program"):
        program = Program(command, self.folder, name)
        self.addCleanup(program.end)
        return program

    def start(self, *arguments, name="tickpath"):
        """tickpath with these arguments."""
        return self.start_program([TICKPATH, *arguments], name)

    def said_to_a_terminal(self, *arguments):
        """What tickpath with these arguments says on stderr when that is a terminal."""
        terminal, other = pty.openpty()
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([TICKPATH, *arguments], stdin=subprocess.DEVNULL, stdout=nowhere, stderr=other)
            os.close(other)
            said = b""
            with contextlib.suppress(OSError):  # the terminal's other end closes
                while chunk := os.read(terminal, 4096):
                    said += chunk
            self.assertEqual(process.wait(PATIENCE_S), 0)
        os.close(terminal)
        return said.decode()

    def run_to_end(self, *arguments, name="tickpath"):
        program = self.start(*arguments, name=name)
        program.wait()
        return program

    def write_feed(self, **options):
        """The made-up feed of scripts/demo; options are those of its writer. Returns its facts."""
        words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
        subprocess.run([sys.executable, FEED_WRITER, self.folder, *words], check=True, timeout=PATIENCE_S,
                       stdout=subprocess.DEVNULL)
        return json.loads(read(self.path("facts.json")))
