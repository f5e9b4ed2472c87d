#!/usr/bin/env python3
"""Checks that what the documents tell people to type exists: scripts, sub-commands, benches, tests, files.

Looks at every *.md of the tree: at its code blocks and at its `inline code`. With --build also asks
build/tickpath for its sub-commands and meson for its tests.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys

import check_common
from check_common import Finding

INLINE = re.compile(r"`([^`\n]+)`")
SCRIPT = re.compile(r"(?<![\w/.-])(scripts/[\w./-]*[\w]|\.ci/run)(?![\w/*])")
COMMAND = re.compile(r"(?:^|[\s(])(?:build/)?tickpath ([a-z][a-z0-9-]*)")
BENCH = re.compile(r"build/bench/([a-z][\w-]*)")
TEST = re.compile(r"meson test -C build((?: (?!--)[\w*-]+)+)")
FILE = re.compile(r"(?<![\w/.-])((?:templates|tests|decoders|dataplane|control|bench)/[\w./-]+\.\w+)")
REQUIRED = ("README.md", "CONTRIBUTING.md", "DECISIONS.md", "CHANGELOG.md")


def code_of(text):
    """(line number, code) of each line in a code block and each inline code span."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif inside or line.startswith("Try:"):
            yield number, line
        else:
            for span in INLINE.finditer(line):
                yield number, span[1]


def sub_commands(build):
    answer = subprocess.run([os.path.join(build, "tickpath"), "--help"], capture_output=True, text=True, check=True).stdout
    _, _, listed = answer.partition("Subcommands:")
    return set(re.findall(r"^  ([a-z][\w-]*)", listed, re.MULTILINE))


def tests_of(build):
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        return {test["name"] for test in json.load(file)}


def benches_of(build):
    with open(os.path.join(build, "meson-info", "intro-targets.json"), encoding="utf-8") as file:
        names = [name for target in json.load(file) for name in target["filename"]]
    return {os.path.basename(name) for name in names if os.path.dirname(name).endswith("bench")}


class Known:
    """What exists: `None` where no build was named, so that nothing can be said about it."""

    def __init__(self, root, build):
        self.paths = set(check_common.files(root))
        self.commands = sub_commands(build) if build else None
        self.tests = tests_of(build) if build else None
        self.benches = benches_of(build) if build else None

    def problems(self, code):
        for path in SCRIPT.findall(code) + FILE.findall(code):
            if path not in self.paths and not any(known.startswith(path + "/") for known in self.paths):
                yield f"{path} does not exist"
        for name in COMMAND.findall(code):
            if self.commands is not None and name not in self.commands:
                yield f"tickpath has no sub-command {name}"
        for name in BENCH.findall(code):
            if self.benches is not None and name not in self.benches:
                yield f"there is no build/bench/{name}"
        for names in TEST.findall(code):
            for name in names.split():
                if self.tests is not None and not fnmatch.filter(self.tests, name):
                    yield f"meson has no test {name}"


def check_packages(root):
    """Each package that setup installs is explained once: use, licence, cost."""
    decisions = check_common.read(root, "DECISIONS.md")
    for number, line in enumerate(check_common.read(root, "scripts/packages.txt").splitlines(), 1):
        words = line.split()
        if words and words[0] in ("build", "tests") and words[1] not in decisions:
            yield Finding("scripts/packages.txt", number, "docs", f"{words[1]} is not explained in DECISIONS.md")


def check(root, arguments):
    for path in REQUIRED:
        if not os.path.isfile(os.path.join(root, path)):
            yield Finding(path, 1, "docs", "is missing")
            return
    known = Known(root, arguments.build)
    for path in sorted(known.paths):
        if path.endswith(".md"):
            for number, code in code_of(check_common.read(root, path)):
                for problem in known.problems(code):
                    yield Finding(path, number, "docs", problem)
    yield from check_packages(root)


def options(parser):
    parser.add_argument("--build", help="meson build folder to ask for sub-commands, benches and tests")


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__, options))
