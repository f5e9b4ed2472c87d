"""Standard output that takes no data, or is closed: said in one line, and never exit code 0."""
import os
import subprocess

import harness
import run_config
import tap

TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
MESSAGES = os.path.join(harness.ROOT, "templates/fast/demo/messages.jsonl")
FEED = run_config.DEMO_DESCRIPTION
HAS_RUN = b"run the path" in subprocess.run([harness.TICKPATH, "--help"], stdout=subprocess.PIPE, check=True).stdout


class StandardOutput(harness.SystemTest):
    def commands(self):
        """Each prints more than nothing and would end with exit code 0."""
        self.write_feed(packets=600)
        capture = self.path("feed.pcap")
        yield from (["--help"], ["version"], ["templates", "list", TEMPLATES], ["templates", "show", TEMPLATES])
        yield ["decode", "--feed", FEED, capture]
        yield ["decode", "--feed", FEED, "--format", "csv", "--jobs", "4", capture]
        yield ["doctor", capture, "--templates", TEMPLATES, "--feed", FEED, "--json"]
        yield ["encode", "--templates", TEMPLATES, "--reset", "datagram", "--hex", MESSAGES]
        if HAS_RUN:
            yield ["run", self.write("run.xml", run_config.text(f"pcap:{capture}")), "--json"]

    def run_with(self, shell_redirection, words):
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {shell_redirection}', harness.TICKPATH, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=harness.PATIENCE_S, check=False)

    def test_a_full_device(self):
        for command in self.commands():
            with self.subTest(command=command):
                ended = self.run_with("> /dev/full", command)
                self.assertEqual(ended.returncode, 1, ended)
                self.assertEqual(ended.stderr.count("standard output: No space left on device"), 1, ended)

    def test_a_closed_stream(self):
        for command in self.commands():
            with self.subTest(command=command):
                ended = self.run_with(">&-", command)
                self.assertEqual(ended.returncode, 1, ended)
                self.assertEqual(ended.stderr.count("standard output: Bad file descriptor"), 1, ended)

    def test_a_command_without_data_needs_no_standard_output(self):
        for redirection in ("> /dev/full", ">&-", "<&- >&-"):
            out = self.path("readme.lz")
            ended = self.run_with(redirection, ["lzo1z", "compress", os.path.join(harness.ROOT, "README.md"), "-o", out])
            self.assertEqual(ended.returncode, 0, ended)

    def test_a_file_takes_not_the_place_of_a_closed_stream(self):
        out = self.path("messages.fast")
        words = ["encode", "--templates", TEMPLATES, "--reset", "datagram", MESSAGES, "-o", out]
        self.run_to_end(*words).expect_exit(0)
        with open(out, "rb") as file:
            expected = file.read()
        self.run_with("<&- >&- 2>&-", [*words, "--hex"])
        with open(out, "rb") as file:
            self.assertEqual(file.read(), expected)

    def test_bad_data_keeps_its_exit_code(self):
        garbage = self.write("garbage.dat", "no message at all")
        ended = self.run_with("> /dev/full", ["decode", "--templates", TEMPLATES, "--reset", "datagram", garbage])
        self.assertEqual(ended.returncode, 5, ended)
        self.assertIn("standard output: No space left on device", ended.stderr)


if __name__ == "__main__":
    tap.main()
