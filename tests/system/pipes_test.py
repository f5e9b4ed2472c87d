"""Input from pipes: the same as from a file where a shell gives us the pipe, one line at once where it has a name of its own."""
import os
import socket
import subprocess

import harness
import run_config
import tap

TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
FEED = run_config.DEMO_DESCRIPTION
# Lint has something to say, show has the one template.
DOUBTFUL = '<templates><template name="T" id="1"><uInt32 name="n"><copy/></uInt32><uInt32 name="n"/></template></templates>'


class Pipes(harness.SystemTest):
    def setUp(self):
        super().setUp()
        self.write_feed(packets=50)
        self.capture = self.path("feed.pcap")

    def piped(self, file, *arguments):
        """(exit code, stdout, stderr) of tickpath with this file on a pipe as its stdin, the file's name put for /dev/stdin."""
        cat = subprocess.Popen(["cat", file], stdout=subprocess.PIPE)
        ended = subprocess.run([harness.TICKPATH, *arguments], stdin=cat.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, timeout=harness.PATIENCE_S, check=False)
        cat.stdout.close()
        cat.wait()
        return ended.returncode, ended.stdout.replace("/dev/stdin", file), ended.stderr.replace("/dev/stdin", file)

    def expect_same(self, file, *arguments):
        """FILE among the arguments stands for the file, once as it is and once as a pipe. Returns what was printed."""
        program = self.run_to_end(*[file if word == "FILE" else word for word in arguments])
        found = self.piped(file, *["/dev/stdin" if word == "FILE" else word for word in arguments])
        self.assertEqual(found, (program.process.returncode, program.out, program.talk), arguments)
        return program.out + program.talk

    def test_decode_reads_a_capture_from_a_pipe(self):
        for form in ("jsonl", "csv", "text"):
            self.assertIn("MDEntryPx", self.expect_same(self.capture, "decode", "--feed", FEED, "--templates", TEMPLATES,
                                                        "--format", form, "FILE"))
        self.expect_same(self.capture, "decode", "--feed", FEED, "--templates", TEMPLATES, "--jobs", "2", "FILE")
        self.expect_same(self.capture, "decode", "--feed", FEED, "--templates", TEMPLATES, "--explain", "FILE")

    def test_decode_reads_messages_from_a_pipe(self):
        messages = os.path.join(harness.ROOT, "templates/fast/demo/messages.jsonl")
        self.run_to_end("encode", "--templates", TEMPLATES, "--reset", "datagram", "-o", self.path("m.bin"), messages).expect_exit(0)
        printed = self.expect_same(self.path("m.bin"), "decode", "--reset", "datagram", "--templates", TEMPLATES, "FILE")
        self.assertIn("2 messages, 0 errors", printed)

    def test_doctor_reads_a_capture_from_a_pipe(self):
        self.expect_same(self.capture, "doctor", "FILE", "--templates", TEMPLATES, "--feed", FEED)
        self.expect_same(TEMPLATES, "doctor", self.capture, "--templates", "FILE", "--feed", FEED)

    def test_templates_are_read_from_a_pipe(self):
        doubtful = self.write("doubtful.xml", DOUBTFUL)
        self.assertIn("is already used", self.expect_same(doubtful, "templates", "lint", "FILE"))
        self.assertIn("copy", self.expect_same(doubtful, "templates", "show", "FILE", "T"))
        self.expect_same(TEMPLATES, "decode", "--feed", FEED, "--templates", "FILE", "--explain", self.capture)

    def test_a_descriptor_of_a_shell(self):
        command = f"'{harness.TICKPATH}' templates lint <(printf '%s' '{DOUBTFUL}')"
        ended = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               timeout=harness.PATIENCE_S, check=False)
        self.assertIn("is already used", ended.stdout)

    def test_an_empty_pipe_is_an_empty_file(self):
        self.assertIn("is empty", self.expect_same(self.write("empty", ""), "decode", "--feed", FEED, "FILE"))

    def test_a_named_pipe_is_refused_at_once(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path("socket"))
        for file in (pipe, self.path("socket")):
            words = f"{file}: is a pipe or socket, and would be read more than once; give it as /dev/stdin, with < {file}\n"
            for code, arguments in ((5, ("decode", "--feed", FEED, file)), (3, ("decode", "--feed", file, self.capture)),
                                    (3, ("decode", "--templates", file, "--reset", "never", self.capture)),
                                    (5, ("doctor", file, "--templates", TEMPLATES)),
                                    (3, ("doctor", self.capture, "--templates", file)),
                                    (3, ("templates", "show", file)), (5, ("templates", "lint", file))):
                program = self.run_to_end(*arguments).expect_exit(code)
                self.assertEqual(program.talk, "tickpath: " + words, arguments)


tap.main()
