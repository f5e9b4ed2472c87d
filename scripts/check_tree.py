#!/usr/bin/env python3
"""Checks the tree as a whole: nothing in it that is not ours or only true on one machine, every room with its card,
its tests in the mirrored place, and no source that nothing builds.
"""
import ast
import os
import re
import sys
import xml.etree.ElementTree as xml

import check_common
from check_common import Finding

CARD_LINES_MAX = 60
COPY_BYTES_MIN = 200  # without blanks
COPY_LINES_MIN = 15   # of a text
COPY_TEXT_BYTES_MAX = 4 << 20
HOUSES = ("decoders", "dataplane", "control")
# Split, so that this file does not find itself.
PRIVATE = re.compile("|".join(("/" + "work/", "/" + "farm/", "/" + "root/", "/" + "home/[a-z]", r"deb\.debian" + r"\.org",
                               r"registry\.[a-z]+" + r"\.(?:org|com)", r"archive\.ubuntu" + r"\.com")))
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def rooms(root):
    for house in HOUSES:
        folder = os.path.join(root, house)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if os.path.isfile(os.path.join(folder, name, "meson.build")):
                yield f"{house}/{name}"


# --- nothing that is not ours ---------------------------------------------------------------------------

def shared_data(root):
    named = os.environ.get("TICKPATH_SHARED") or os.path.join(root, "..", "shared")
    return os.path.join(named, "data")


def digests(content):
    """What is equal when files are: the whole without its blanks, and of a text every run of lines, with its first line."""
    squeezed = re.sub(rb"\s+", b"", content)
    if len(squeezed) > COPY_BYTES_MIN:
        yield hash(squeezed), 1
    if len(content) > COPY_TEXT_BYTES_MAX or b"\0" in content:
        return
    lines = [(number, re.sub(rb"\s+", b"", line)) for number, line in enumerate(content.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line]
    for at in range(len(lines) - COPY_LINES_MIN + 1):
        run = b"\n".join(line for _, line in lines[at:at + COPY_LINES_MIN])
        if len(run) > COPY_BYTES_MIN:
            yield hash(run), lines[at][0]


def check_copies(root, paths):
    """Little is alike by chance; more is a copy, whole or in part."""
    folder = shared_data(root)
    if not os.path.isdir(folder):
        print(f"check_tree: no copies looked for: {folder} is not there", file=sys.stderr)
        return
    originals = {}
    for inside, _, names in os.walk(folder):
        for name in names:
            if "LICENSE" not in name:
                path = os.path.join(inside, name)
                with open(path, "rb") as file:
                    for digest, _ in digests(file.read()):
                        originals.setdefault(digest, os.path.relpath(path, folder))
    for path in paths:
        with open(os.path.join(root, path), "rb") as file:
            found = next(((originals[digest], line) for digest, line in digests(file.read()) if digest in originals), None)
        if found:
            yield Finding(path, found[1], "copy", f"is, or from here on has, a copy of {found[0]} of the shared data")


def check_text(root, paths):
    for path in paths:
        text = check_common.read(root, path)
        for found in PRIVATE.finditer(text or ""):
            yield Finding(path, line_of(text, found.start()), "private", f"names a place of one machine or a registry: {found[0]}")
        if path.endswith((".h", ".cc", ".py", ".sh", ".build", ".md", ".ini")) or "/" in path and "." not in path:
            for found in UNFINISHED.finditer(text or ""):
                yield Finding(path, line_of(text, found.start()), "unfinished", f"says {found[0]}")


# --- rooms and their tests ------------------------------------------------------------------------------

def check_cards(root):
    for room in rooms(root):
        card = f"{room}/README.md"
        if not os.path.isfile(os.path.join(root, card)):
            yield Finding(card, 1, "card", "the room has no card (README.md)")
            continue
        lines = check_common.read(root, card).splitlines()
        name = room.split("/")[1]
        if not lines or not lines[0].startswith(f"# {name}"):
            yield Finding(card, 1, "card", f"the first line is not `# {name}: what it is for`")
        if len(lines) > CARD_LINES_MAX:
            yield Finding(card, len(lines), "card", f"is longer than a screen ({len(lines)} lines, at most {CARD_LINES_MAX})")
        for word in ("May include", "Start reading", "Try"):
            if not any(word in line for line in lines):
                yield Finding(card, 1, "card", f"does not say `{word}`")


def check_mirror(root, paths):
    """tests/decoders/fast/cursor_test.cc tests decoders/fast/cursor.h, or .cc; every room has tests.

    A test of more than one source opens with a comment that says of what.
    """
    known = set(paths)
    for path in paths:
        parts = path.split("/")
        if parts[0] != "tests" or len(parts) != 4 or parts[1] not in HOUSES or not path.endswith("_test.cc"):
            continue
        source = "/".join(parts[1:]).removesuffix("_test.cc")
        mirrors = f"{source}.h" in known or f"{source}.cc" in known
        if not mirrors and not check_common.read(root, path).startswith("// "):
            yield Finding(path, 1, "mirror", f"there is no {source}.h or .cc for it to test, and it does not open with what it tests")
    for room in rooms(root):
        if not any(path.startswith(f"tests/{room}/") and path.endswith("_test.cc") for path in paths):
            yield Finding(f"tests/{room}", 1, "mirror", f"{room} has no test")


def check_built(root, paths):
    """A source that no meson.build names is not built, so a test in it cannot fail."""
    builds = {}
    for path in paths:
        if path.endswith("meson.build"):
            builds[os.path.dirname(path)] = check_common.read(root, path)
    everywhere = "\n".join(builds.values())
    for path in paths:
        if path.endswith((".cc", "_test.py")) and path.startswith(HOUSES + ("tests", "bench")):
            folder, name = os.path.split(path)
            near = builds.get(folder, "") + builds.get(os.path.dirname(folder), "")
            stem = re.escape(re.sub(r"(_test|_fuzz)?\.(cc|py)$", "", name))
            from_afar = rf"{re.escape(os.path.basename(folder))}/{re.escape(name)}'"  # '../../support/peer.cc'
            if not re.search(rf"['/]{stem}(_test|_fuzz)?(\.cc|\.py)?'", near) and not re.search(from_afar, everywhere):
                yield Finding(path, 1, "built", "no meson.build names it")


# --- languages ------------------------------------------------------------------------------------------

def check_python(root, paths):
    """Scripts and checks run on a bare machine: nothing but Python's own library."""
    own = {os.path.basename(path).removesuffix(".py") for path in paths if path.endswith(".py")}
    for path in paths:
        text = check_common.read(root, path) or ""
        if not path.endswith(".py") and not text.startswith("#!/usr/bin/env python3"):
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            yield Finding(path, error.lineno or 1, "python", f"does not parse: {error.msg}")
            continue
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                if name.split(".")[0] not in sys.stdlib_module_names | own:
                    yield Finding(path, node.lineno, "python", f"imports {name}, which is not Python's own library")


def check_xml(root, paths):
    for path in paths:
        if path.startswith("templates/") and path.endswith(".xml"):
            try:
                xml.parse(os.path.join(root, path))
            except xml.ParseError as error:
                yield Finding(path, error.position[0], "xml", f"is not well-formed: {error}")


def check(root, _arguments=None):
    paths = check_common.files(root)
    yield from check_copies(root, paths)
    yield from check_text(root, paths)
    yield from check_cards(root)
    yield from check_mirror(root, paths)
    yield from check_built(root, paths)
    yield from check_python(root, paths)
    yield from check_xml(root, paths)


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__))
