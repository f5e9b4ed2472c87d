#!/usr/bin/env python3
"""Checks for bug-prone patterns with clang-tidy (.clang-tidy) in every source of decoders, dataplane and control."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import check_common
from check_common import Finding

PLACE = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): (.*)$", re.MULTILINE)
# clang 14 looks at commands made for g++ 12.
TOLERANT = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-unused-command-line-argument",
            "--extra-arg=-Wno-ignored-optimization-argument"]


# Arguments of g++ that clang refuses outright; the compiled code is none of the checks' business.
GCC_ONLY = re.compile(r" -fno-(?:crossjumping|gcse)\b")


def commands_for_clang(build, folder):
    """Writes the build's compile commands, cut to what clang knows, into `folder`."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for command in commands:
        command["command"] = GCC_ONLY.sub("", command["command"])
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


def sources(root, build):
    """Sources that the build compiles: clang-tidy needs their commands."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = {os.path.realpath(os.path.join(command["directory"], command["file"])) for command in commands}
    known = {os.path.join(os.path.realpath(root), path) for path in check_common.files(root)}
    houses = tuple(os.path.join(os.path.realpath(root), house) + os.sep for house in ("decoders", "dataplane", "control"))
    return sorted(path for path in paths & known if path.startswith(houses))


def lint(root, build, commands, source):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", commands, *TOLERANT, source], capture_output=True, text=True, check=False)
    for path, line, text in PLACE.findall(done.stdout):
        full = os.path.realpath(os.path.join(build, path))
        yield Finding(os.path.relpath(full, os.path.realpath(root)), int(line), "lint", text)
    if done.returncode != 0 and not PLACE.search(done.stdout):
        yield Finding(os.path.relpath(source, os.path.realpath(root)), 1, "lint", f"clang-tidy failed: {done.stderr.strip()[-200:]}")


def check(root, arguments):
    """Minutes of work: a quick run of the tests skips it (exit code 77 is meson's for skipped)."""
    if arguments.not_at_quick and os.environ.get("TICKPATH_TEST_LEVEL", "quick") == "quick":
        print("skipped: runs from scripts/test --all on")
        sys.exit(77)
    build = os.path.abspath(arguments.build)
    found = sources(root, build)
    if not found:
        yield Finding(arguments.build, 1, "lint", "its compile_commands.json names no source of this tree")
    with tempfile.TemporaryDirectory(prefix="tickpath-lint-") as commands, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        commands_for_clang(build, commands)
        for findings in pool.map(lambda source: list(lint(root, build, commands, source)), found):
            yield from findings


def options(parser):
    parser.add_argument("--build", required=True, help="meson build folder with compile_commands.json")
    parser.add_argument("--not-at-quick", action="store_true", help="skip when TICKPATH_TEST_LEVEL is quick or not set")


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__, options))
