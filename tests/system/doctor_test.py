"""tickpath doctor: this machine; the demo feed, what it prints and that its answer works; its exit codes."""
import json
import os
import random
import shlex
import subprocess

import capture_slice
import harness
import tap

TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
DESCRIPTION = os.path.join(harness.ROOT, "templates/feeds/demo.xml")


class Doctor(harness.SystemTest):
    def setUp(self):
        super().setUp()
        self.write_feed(packets=200)

    def doctor(self, *arguments, code=0):
        return self.run_to_end("doctor", *arguments, name="doctor").expect_exit(code)

    def test_the_answer_is_a_screen_and_its_command_decodes_the_capture(self):
        program = self.doctor(self.path("feed.pcap"), "--templates", TEMPLATES, "--feed", DESCRIPTION)
        lines = program.out.splitlines()
        self.assertLessEqual(len(lines), 24)
        command = shlex.split(lines[-1])
        self.assertEqual(command[:2], ["tickpath", "decode"])
        self.run_to_end(*command[1:], name="decode").expect_exit(0)

    def test_json_says_the_same(self):
        found = json.loads(self.doctor(self.path("feed.pcap"), "--templates", TEMPLATES, "--feed", DESCRIPTION, "--json").out)["fast"]
        self.assertEqual((found["verdict"], found["preset"]), ("found", DESCRIPTION))
        self.assertIn("--reset datagram", found["options"])

    def test_a_capture_that_the_templates_do_not_fit_is_bad_data(self):
        other = self.write("other.xml", "<template name='T' id='9'><uInt32 name='a'/></template>")
        self.assertIn("Bad data", self.doctor(self.path("feed.pcap"), "--templates", other, code=5).out)

    def test_memory_does_not_grow_with_the_number_of_groups(self):
        """A decoder takes 2 MiB, and garbage may come on any number of groups."""
        noise = random.Random(7)
        frames = [capture_slice.datagram(f"239.9.{i // 250}.{i % 250}", 9000, noise.randbytes(40)) for i in range(2_000)] * 2
        header, _ = capture_slice.read(self.path("feed.pcap"))
        capture_slice.write(self.path("many.pcap"), header, frames)
        command = f"'{harness.TICKPATH}' doctor '{self.path('many.pcap')}' --templates '{TEMPLATES}' --json"
        measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1], shell=True, stdout=subprocess.DEVNULL); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        used = subprocess.run(["python3", "-c", measure, command], stdout=subprocess.PIPE, text=True, check=True,
                              timeout=harness.PATIENCE_S).stdout
        self.assertLess(int(used), 600_000, "KiB")

    def test_a_single_message_does_not_tell(self):
        templates = self.write("own.xml", "<template name='T' id='1'><uInt32 name='a'><copy/></uInt32></template>")
        with open(self.path("one.dat"), "wb") as file:
            file.write(bytes.fromhex("e08185"))
        self.assertIn("Cannot tell", self.doctor(self.path("one.dat"), "--templates", templates, code=1).out)

    def test_a_cut_capture_is_looked_at_as_far_as_it_goes(self):
        with open(self.path("feed.pcap"), "rb") as file:
            content = file.read()
        with open(self.path("cut.pcap"), "wb") as file:
            file.write(content[:-7])
        program = self.doctor(self.path("cut.pcap"), "--templates", TEMPLATES, "--feed", DESCRIPTION)
        self.assertIn("truncated", program.out)

    def test_this_machine_is_judged_without_a_capture(self):
        program = self.run_to_end("doctor", "--json", name="doctor")
        found = json.loads(program.out)
        program.expect_exit(0 if found["ok"] else 1)
        self.assertEqual(found["ok"], all(check["state"] != "mend" for check in found["checks"]))
        for check in found["checks"]:
            self.assertEqual("command" in check, check["state"] == "mend", check)
        text = self.run_to_end("doctor", "--machine", name="text").out
        for check in found["checks"]:
            self.assertRegex(text, rf"(?m)^{check['state']} +{check['check']} ")

    def test_options_for_a_capture_want_one(self):
        for words in (["--templates", TEMPLATES], ["--feed", DESCRIPTION], ["--datagrams", "3"],
                      ["--machine", self.path("feed.pcap")]):
            self.doctor(*words, code=2)

    def test_what_is_missing_or_wrong_is_said(self):
        self.doctor(self.path("feed.pcap"), code=2)
        self.doctor(self.path("none.pcap"), "--templates", TEMPLATES, code=2)
        self.assertIn("--datagrams", self.doctor(self.path("feed.pcap"), "--datagrams", "0", code=2).talk)
        bad = self.write("bad.xml", "<templates>\n<template id='1'><uint32 name='a'/></template></templates>")
        self.assertIn("bad.xml:2: S1", self.doctor(self.path("feed.pcap"), "--templates", bad, code=3).talk)
        self.assertIn("nothing.xml", self.doctor(self.path("feed.pcap"), "--templates", TEMPLATES, "--feed", "nothing.xml", code=3).talk)



tap.main()
