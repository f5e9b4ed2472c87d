"""The examples of decoders/fast/READING.md: what it shows is what is compiled here, and it prints what it says.

Arguments: the tree's root, then the compiled examples.
"""
import os
import re
import subprocess
import sys
import unittest

import tap

ROOT, *PROGRAMS = sys.argv[1:]
DOCUMENT = os.path.join(ROOT, "decoders/fast/READING.md")
DEMO = os.path.join(ROOT, "templates/fast/demo/demo.xml")
# "`path`:" on a line of its own, then a code block.
SHOWN = re.compile(r"^`([\w./]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = {"read-prices": "107.15 10\n107.17 7\n", "bind-prices": "10715 10\n10717 7\n", "read-prices-in-c": "107.15 10\n107.17 7\n"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Examples(unittest.TestCase):
    def test_the_document_shows_them_as_they_are_compiled(self):
        shown = SHOWN.findall(read(DOCUMENT))
        self.assertEqual(len(shown), len(PROGRAMS))
        for path, code in shown:
            self.assertEqual(code, read(os.path.join(ROOT, path)), path)

    def test_they_print_what_the_document_says(self):
        for program in PROGRAMS:
            name = os.path.basename(program).removeprefix("example-")
            done = subprocess.run([program, DEMO], capture_output=True, text=True, check=True, timeout=20)
            self.assertEqual(done.stdout, PRINTED[name], name)
            self.assertIn(f"```\n{done.stdout}```", read(DOCUMENT), name)

    def test_templates_that_cannot_be_read_are_an_error(self):
        for program in PROGRAMS:
            done = subprocess.run([program, DEMO + ".not"], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(done.returncode, 1, program)


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    tap.main()
