"""Files that are not what a command expects: a directory, a device without end, an empty file. One line that names the file, soon,
and an exit code that is not 0."""
import os
import resource
import subprocess

import harness
import run_config
import tap

TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
MESSAGES = os.path.join(harness.ROOT, "templates/fast/demo/messages.jsonl")
FEED = run_config.DEMO_DESCRIPTION
INSTRUMENTS = "key,symbol,price_places,quantity_places\n1001,A,2,0\n"
# Above what the bounds of decoders/base/whole_file.h need, far below what is there.
MEMORY_BYTES_MAX = 6 << 30
HAS_RUN = b"run the path" in subprocess.run([harness.TICKPATH, "--help"], stdout=subprocess.PIPE, check=True).stdout


class StrangeFiles(harness.SystemTest):
    def expect(self, code, words, *arguments):
        """The command ends with this exit code and says `words` in one of at most three lines."""
        ended = subprocess.run([harness.TICKPATH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=harness.PATIENCE_S, check=False)
        with self.subTest(arguments=arguments):
            self.assertEqual(ended.returncode, code, ended)
            self.assertIn(words, ended.stderr)
            self.assertLessEqual(ended.stderr.count("\n"), 3, ended)

    def expect_run(self, words, **options):
        """`tickpath run` refuses a configuration with these files."""
        if not HAS_RUN:
            self.skipTest("built without DPDK")
        self.write("instruments.csv", INSTRUMENTS)
        self.expect(3, words, "run", self.write("run.xml", run_config.text("null", **options)))

    def small(self):
        return self.write("small.dat", "\u00e1" * 10)

    def test_a_directory_for_settings(self):
        words = f"{self.folder}: is a directory"
        self.expect(3, words, "decode", "--templates", self.folder, "--reset", "datagram", self.small())
        self.expect(3, words, "decode", "--feed", self.folder, self.small())
        self.expect(3, words, "doctor", self.small(), "--templates", TEMPLATES, "--feed", self.folder)

    def test_a_directory_in_a_configuration(self):
        self.expect_run(f"{self.folder}: is a directory", feed=f'description="{self.folder}"')
        self.expect_run(f"{self.folder}: is a directory", instruments=self.folder)
        self.expect_run(f"{self.folder}: is a directory", feed=f'description="{FEED}" templates="{self.folder}"')

    def test_a_directory_for_a_block(self):
        self.expect(1, f"{self.folder}: is a directory", "lzo1z", "compress", self.folder, "-o", self.path("out"))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_settings_without_end(self):
        words = "/dev/zero: has more than the 16777216 bytes that are read"
        self.expect(3, words, "decode", "--templates", "/dev/zero", "--reset", "datagram", self.small())
        self.expect(3, words, "decode", "--feed", "/dev/zero", self.small())
        self.expect(3, words, "templates", "list", "/dev/zero")
        self.expect_run(words, feed='description="/dev/zero"')
        self.expect_run("/dev/zero: has more than the 268435456 bytes that are read", instruments="/dev/zero")

    def test_data_without_end(self):
        words = "/dev/zero: has more than the 1073741824 bytes that are read"
        self.expect(5, words, "decode", "--feed", FEED, "/dev/zero")
        self.expect(1, words, "lzo1z", "compress", "/dev/zero", "-o", self.path("out"))
        self.expect(1, words, "encode", "--templates", TEMPLATES, "--reset", "datagram", "--hex", "/dev/zero")

    def test_names_that_are_no_text(self):
        """What a terminal would obey or could not show is escaped on stderr."""
        for arguments in ([b"\xff\x1b[2J"], [b"decode", b"--feed", b"\xff\x1b[2J", self.small().encode()], [b"decode", b"\xff\x1b[2J"],
                          [b"lzo1z", b"compress", b"\xff\x1b[2J", b"-o", b"out"]):
            ended = subprocess.run([harness.TICKPATH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, timeout=harness.PATIENCE_S, check=False)
            self.assertNotEqual(ended.returncode, 0, ended)
            self.assertIn(rb"\xff\x1b[2J", ended.stderr)

    def test_an_empty_file(self):
        empty = self.write("empty.dat", "")
        self.expect(5, "empty.dat: is empty", "decode", "--feed", FEED, empty)
        self.expect(5, "empty.dat: is empty", "decode", "--feed", "nse-fo", empty)
        if HAS_RUN:
            self.write("instruments.csv", INSTRUMENTS)
            self.expect(3, "empty.dat is empty", "run", self.write("run.xml", run_config.text("pcap:empty.dat")))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    tap.main()
