"""The table of tests/conformance/fast/README.md: every trap's test is in it, and every test it names exists."""
import glob
import os
import re
import unittest

import planted
import tap

FOLDER = os.path.join(planted.ROOT, "tests/conformance/fast")
# A cell may name the suite once and then bare tests; both are words with a capital in their middle.
NAME = re.compile(r"\b(?:Fast\w+\.)?[A-Z][a-z]+\w*[A-Z]\w+\b")
DECODERS = {"OpenFAST", "QuickFAST", "IronFix"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def tests_in(pattern):
    files = glob.glob(os.path.join(planted.ROOT, pattern), recursive=True)
    return {match for file in files for match in re.findall(r"TEST(?:_F)?\((\w+),\s*(\w+)\)", read(file))}


class Table(unittest.TestCase):
    def test_every_test_it_names_exists(self):
        known = tests_in("tests/**/*_test.cc")
        names = {name for pair in known for name in pair}  # a suite may stand for all of its tests
        for word in set(NAME.findall(read(os.path.join(FOLDER, "README.md")))) - DECODERS:
            suite, _, test = word.rpartition(".")
            self.assertTrue(test in names, f"there is no {word}")
            self.assertTrue(not suite or (suite, test) in known, f"there is no {word}")

    def test_every_trap_is_in_it(self):
        table = read(os.path.join(FOLDER, "README.md"))
        traps = tests_in("tests/conformance/fast/trap_*_test.cc")
        self.assertGreater(len(traps), 60)
        missing = [f"{suite}.{test}" for suite, test in sorted(traps) if not re.search(rf"\b{test}\b", table)]
        self.assertEqual(missing, [])


tap.main()
