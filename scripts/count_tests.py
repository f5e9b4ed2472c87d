"""Counts what a `meson test` run really tested: the cases of a gtest or TAP program each, any other program once.

Meson's own summary counts programs, so a program whose cases were all skipped would look like a passed test.
"""
import dataclasses
import json
import re
import xml.etree.ElementTree as xml


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


# A program's own verdicts; a time-out or crash can leave its cases looking fine.
GOOD = ("OK", "EXPECTEDFAIL")
SKIPPED = "SKIP"


def program_of(name):
    """meson 1.0.1 calls a program `tickpath:unit / decoders-fast`, in each of its files."""
    return name.rpartition(" / ")[2]


def cases_by_program(junit_path):
    """The junit cases of each program that reported any: suites are `tickpath.NAME`, and of gtest `tickpath.NAME.Suite`."""
    cases = {}
    for suite in xml.parse(junit_path).getroot().iter("testsuite"):
        _, is_program, name = suite.get("name", "").partition(".")
        if is_program:
            cases.setdefault(program_of(name).partition(".")[0], []).extend(suite.findall("testcase"))
    return cases


def tally_cases(program, result, cases):
    tally = Tally()
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            tally.fail(f"{program}: {case.get('classname', '')}.{case.get('name', '')}")
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            tally.skipped += 1
        else:
            tally.passed += 1
    if result not in GOOD + (SKIPPED,) and tally.failed == 0:
        tally.fail(f"{program}: {result} although no case failed")
    return tally


def tally_program(program, result):
    if result in GOOD:
        return Tally(passed=1)
    if result == SKIPPED:
        return Tally(skipped=1)
    return Tally(failed=1, failures=[f"{program}: {result}, no case reported"])


def count(json_path, junit_path):
    """The tally of one `meson test` run, from its --logbase .json and .junit.xml files."""
    cases = cases_by_program(junit_path)
    tally = Tally()
    with open(json_path, encoding="utf-8") as file:
        for line in file:
            run = json.loads(line)
            program = program_of(run["name"])
            reported = cases.get(program)
            tally.add(tally_cases(program, run["result"], reported) if reported else
                      tally_program(program, run["result"]))
    return tally


def lines_said(json_path):
    with open(json_path, encoding="utf-8") as file:
        for run in file:
            yield from json.loads(run).get("stdout", "").splitlines()


def scores(json_path):
    """What programs say of themselves in lines such as `vectors.json: 174 of 174`, in the order of the log."""
    return [line for line in lines_said(json_path) if re.fullmatch(r"[\w.-]+: \d+ of \d+", line)]


def skip_reasons(json_path):
    """Why TAP cases were skipped, each reason once."""
    found = (re.match(r"ok \d+ .* # SKIP (.+)", line) for line in lines_said(json_path))
    return list(dict.fromkeys(match[1] for match in found if match))
