"""What the check_*.py scripts share: which files the tree has, and how a finding is printed."""
import argparse
import dataclasses
import os
import re
import subprocess
import sys

SKIPPED_FOLDERS = re.compile(r"^(build.*|b-.*|\.git|__pycache__)$")


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not SKIPPED_FOLDERS.match(name)]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def files(root):
    """Paths of the tree's own files relative to `root`: those git knows or would add; without git, all."""
    if os.path.exists(os.path.join(root, ".git")):
        # safe.directory: the checks only read, and CI may run as another user than the clone's owner.
        command = ["git", "-c", f"safe.directory={os.path.abspath(root)}", "-C", root, "ls-files", "-co",
                   "--exclude-standard", "-z"]
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        return sorted(path for path in set(listed) if path and os.path.isfile(os.path.join(root, path)))
    return sorted(walk(root))


def read(root, path):
    """The file's text, or None when it is not text."""
    with open(os.path.join(root, path), "rb") as file:
        content = file.read()
    if b"\0" in content:
        return None
    return content.decode("utf-8", errors="replace")


def source_root():
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(check, description, extra=None):
    """Command line of one check: exit 1 and one line per finding when `check(root, arguments)` finds anything."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=source_root(), help="tree to look at (default: this one)")
    if extra:
        extra(parser)
    arguments = parser.parse_args()
    findings = sorted(set(check(arguments.root, arguments)))
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0
