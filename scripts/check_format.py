#!/usr/bin/env python3
"""Checks that clang-format would change nothing: clang-format -i FILE mends a finding."""
import os
import re
import subprocess
import sys

import check_common
from check_common import Finding

PLACE = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): .*\[-Wclang-format-violations\]$", re.MULTILINE)


def check(root, _arguments=None):
    root = os.path.abspath(root)
    sources = [path for path in check_common.files(root) if path.endswith((".h", ".cc"))]
    for start in range(0, len(sources), 64):
        done = subprocess.run(["clang-format", "--dry-run", "--Werror", *sources[start:start + 64]], cwd=root,
                              capture_output=True, text=True, check=False)
        places = PLACE.findall(done.stderr)
        if done.returncode != 0 and not places:
            yield Finding(sources[start], 1, "format", f"clang-format failed: {done.stderr.strip()[:200]}")
        first = {}
        for path, line in places:
            first.setdefault(path, int(line))
        for path, line in first.items():
            yield Finding(path, line, "format", "is not formatted; mend with clang-format -i")


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__))
