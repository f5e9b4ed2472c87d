"""count_tests.py on results as meson 1.0.1 writes them: cases, not programs, and nothing passes that did not run."""
import json
import os
import sys
import tempfile
import unittest

import planted
import tap

sys.path.insert(0, os.path.join(planted.ROOT, "scripts"))
import count_tests


def count(programs, suites):
    with tempfile.TemporaryDirectory() as folder:
        log, junit = os.path.join(folder, "log.json"), os.path.join(folder, "log.junit.xml")
        with open(log, "w", encoding="utf-8") as file:
            for name, result in programs:
                file.write(json.dumps({"name": f"tickpath:unit / {name}", "result": result}) + "\n")
        with open(junit, "w", encoding="utf-8") as file:
            file.write(f"<testsuites>{suites}</testsuites>")
        return count_tests.count(log, junit)


def of_outputs(look, *outputs):
    """What `look` finds in a log of programs that said this."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.json")
        with open(log, "w", encoding="utf-8") as file:
            for output in outputs:
                file.write(json.dumps({"name": "a"} | output) + "\n")
        return look(log)


class Said(unittest.TestCase):
    def test_lines_that_say_how_many_of_how_many_are_found_among_others(self):
        found = of_outputs(count_tests.scores, {"stdout": "[ RUN ] x\nvectors.json: 174 of 174\nrow 1: 3 of 4 cells\n"}, {},
                           {"stdout": "extra_vectors.json: 28 of 29"})
        self.assertEqual(found, ["vectors.json: 174 of 174", "extra_vectors.json: 28 of 29"])

    def test_each_reason_to_skip_is_found_once(self):
        found = of_outputs(count_tests.skip_reasons, {"stdout": "ok 1 a # SKIP no qemu\nok 2 b\nok 3 c # SKIP no qemu\n"}, {},
                           {"stdout": "# SKIP of a comment\nnot ok 1 d\nok 2 e # SKIP no veth\n1..2"})
        self.assertEqual(found, ["no qemu", "no veth"])


class Count(unittest.TestCase):
    def test_each_case_of_a_gtest_program_counts(self):
        tally = count([("fast", "OK")], '<testsuite name="tickpath.tickpath:unit / fast.Cursor"><testcase name="A"/><testcase name="B"/></testsuite>'
                                        '<testsuite name="tickpath.tickpath:unit / fast.Pmap"><testcase name="C"/></testsuite>')
        self.assertEqual(str(tally), "3 passed, 0 failed, 0 skipped")

    def test_each_case_of_a_tap_program_counts(self):
        tally = count([("scripts-x", "OK")], '<testsuite name="tickpath.tickpath:unit / scripts-x"><testcase name="1 a"/>'
                                             '<testcase name="2 b"/></testsuite>')
        self.assertEqual(str(tally), "2 passed, 0 failed, 0 skipped")

    def test_a_program_whose_name_begins_with_another_keeps_its_own_cases(self):
        tally = count([("fast", "FAIL"), ("fast-x", "OK")],
                      '<testsuite name="tickpath.tickpath:unit / fast-x.S"><testcase name="A"/><testcase name="B"/></testsuite>')
        self.assertEqual((str(tally), tally.failures), ("2 passed, 1 failed, 0 skipped", ["fast: FAIL, no case reported"]))

    def test_a_skipped_case_is_not_a_passed_one(self):
        tally = count([("fast", "OK")], '<testsuite name="tickpath.tickpath:unit / fast.S"><testcase name="A"><skipped message="m"/></testcase>'
                                        '<testcase name="B" status="notrun"/></testsuite>')
        self.assertEqual(str(tally), "0 passed, 0 failed, 2 skipped")

    def test_a_failed_case_is_named(self):
        tally = count([("fast", "FAIL")], '<testsuite name="tickpath.tickpath:unit / fast.S"><testcase classname="S" name="A"><failure/></testcase>'
                                          '<testcase name="B"/></testsuite>')
        self.assertEqual(str(tally), "1 passed, 1 failed, 0 skipped")
        self.assertEqual(tally.failures, ["fast: S.A"])

    def test_a_program_that_fails_after_its_cases_passed(self):
        tally = count([("fast", "FAIL")], '<testsuite name="tickpath.tickpath:unit / fast.S"><testcase name="A"/></testsuite>')
        self.assertEqual(str(tally), "1 passed, 1 failed, 0 skipped")

    def test_programs_without_cases_count_once_each(self):
        programs = [("a", "OK"), ("b", "FAIL"), ("c", "TIMEOUT"), ("d", "SKIP"), ("e", "ERROR"), ("f", "INTERRUPT")]
        self.assertEqual(str(count(programs, "")), "1 passed, 4 failed, 1 skipped")


if __name__ == "__main__":
    tap.main()
