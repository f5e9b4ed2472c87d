#!/usr/bin/env python3
"""Checks who includes whom: the doors between rooms, and which file may use which outside package.

The rules are data: tests/tidy/doors.json. Includes of the tree are spelled from its root.
"""
import fnmatch
import json
import os
import re
import sys

import check_common
from check_common import Finding

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
HOUSES = ("decoders", "dataplane", "control")
CLOCK = re.compile(r"_clock::now\s*\(|\bclock_gettime\s*\(")
OPEN_TO_ALL = "decoders/base"
GENERATED = ".generated.h"  # written by the build, beside the objects of the target that includes it


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 and parts[0] in HOUSES else None


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def check_own(doors, root, path, included):
    """An include in quotes: it exists from the root, and its room's door is open to this file's room."""
    if included.endswith(GENERATED) and "/" not in included:
        return None
    if not os.path.isfile(os.path.join(root, included)):
        return f'"{included}" is not spelled from the root, or does not exist'
    room, target = room_of(path), room_of(included)
    if room is None:
        return None  # tests and benches may look into every room
    if target is None:
        return f'"{included}" is in no room; code of a room includes rooms only'
    if target == room or target == OPEN_TO_ALL or matches(target, doors["rooms"][room]):
        return None
    return f"{room} may not include {target} (open: {', '.join(doors['rooms'][room]) or 'nothing'})"


def check_outside(doors, path, included):
    """An include in angle brackets: standard, system, or a package whose users this file is one of."""
    if path.startswith("decoders/") and matches(included, doors["decoders_never"]):
        return f"<{included}>: a decoder has no I/O and no thread"
    for package, rule in doors["packages"].items():
        if matches(included, rule["headers"]):
            return None if matches(path, rule["users"]) else f"<{included}>: {package} is for {', '.join(rule['users'])}"
    if "." not in included or matches(included, doors["system"]["headers"]):
        return None
    return f"<{included}> is of no package that tests/tidy/doors.json knows"


def check(root, _arguments=None):
    with open(os.path.join(root, "tests/tidy/doors.json"), encoding="utf-8") as file:
        doors = json.load(file)
    for path in check_common.files(root):
        if not path.endswith((".h", ".cc")):
            continue
        room = room_of(path)
        if room is not None and room not in doors["rooms"]:
            yield Finding(path, 1, "doors", f"room {room} has no entry in tests/tidy/doors.json")
            continue
        text = check_common.read(root, path) or ""
        for include in INCLUDE.finditer(text):
            quote, included = include.groups()
            problem = check_own(doors, root, path, included) if quote == '"' else check_outside(doors, path, included)
            if problem:
                yield Finding(path, text.count("\n", 0, include.start(1)) + 1, "doors", problem)
        for clock in CLOCK.finditer(text) if path.startswith("decoders/") else ():
            yield Finding(path, text.count("\n", 0, clock.start()) + 1, "doors", "a decoder reads no clock; time comes as a value")


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__))
