"""Planted violations: each rule of check_tree.py is broken once in a small tree and must be named."""
import os
import shutil
import subprocess
import sys
import tempfile

import planted
import tap

CARD = "# {}: what it is for\nMay include: nothing.\nStart reading: thing.h.\nTry: meson test -C build room\n"


class TidyTree(planted.Tree):
    check = "check_tree"

    def setUp(self):
        super().setUp()
        self.shared = tempfile.mkdtemp(prefix="tickpath-shared-")
        self.addCleanup(shutil.rmtree, self.shared)
        self.write("decoders/fast/README.md", CARD.format("fast"))
        self.write("decoders/fast/meson.build", "static_library('fast', 'cursor.cc')\n")
        self.write("decoders/fast/cursor.h", "#pragma once\n")
        self.write("decoders/fast/cursor.cc", "int a;\n")
        self.write("tests/decoders/fast/meson.build", "executable('t', 'cursor_test.cc')\n")
        self.write("tests/decoders/fast/cursor_test.cc", "int b;\n")

    def environment(self):
        return {"TICKPATH_SHARED": self.shared}

    def write_shared(self, name, content):
        os.makedirs(os.path.join(self.shared, "data"), exist_ok=True)
        with open(os.path.join(self.shared, "data", name), "wb") as file:
            file.write(content)

    def test_an_orderly_tree_has_no_finding(self):
        self.assert_clean()

    def test_a_copied_capture(self):
        self.write_shared("day.pcap", bytes(range(256)) * 2)
        self.write("tests/data/mine.pcap", bytes(range(256)) * 2)
        self.assert_found("tests/data/mine.pcap:1: copy: is, or from here on has, a copy of day.pcap")

    def test_a_copied_text_with_other_line_ends(self):
        self.write_shared("templates.xml", b"<template name='abc'>\n" * 20)
        self.write("tests/data/mine.txt", b"  <template name='abc'>\r\n" * 20)
        self.assert_found("tests/data/mine.txt:1: copy: is, or from here on has, a copy of templates.xml")

    def test_a_copied_part_of_a_text(self):
        original = [f"<field name='a{number}' id='{number}'/>" for number in range(40)]
        self.write_shared("templates.xml", "\n".join(original).encode())
        self.write("tests/data/mine.xml", "\n".join(["<own/>", "<mine/>", *original[10:25], "</own>"]))
        self.assert_found("tests/data/mine.xml:3: copy: is, or from here on has, a copy of templates.xml")

    def test_a_few_lines_alike_are_no_copy(self):
        original = [f"<field name='a{number}' id='{number}'/>" for number in range(40)]
        self.write_shared("templates.xml", "\n".join(original).encode())
        self.write("tests/data/mine.xml", "\n".join(original[10:24]))
        self.assertNotIn("copy", self.findings())

    def test_shared_data_that_is_not_there_is_said(self):
        done = subprocess.run([sys.executable, os.path.join(planted.ROOT, "scripts/check_tree.py"), "--root", self.root],
                              capture_output=True, text=True, check=False, timeout=120,
                              env=os.environ | {"TICKPATH_SHARED": os.path.join(self.root, "none")})
        self.assertIn("no copies looked for", done.stderr)

    def test_a_path_of_one_machine(self):
        for place in ("/" + "work/main", "/" + "root/x", "/" + "home/ann/x"):
            with self.subTest(place):
                self.write("docs/how.md", f"\ncd {place}\n")
                self.assert_found("docs/how.md:2: private: names a place")

    def test_a_registry_address(self):
        self.write("Makefile.md", "from registry." + "npmjs.org\n")
        self.assert_found("Makefile.md:1: private")

    def test_unfinished_work(self):
        self.write("decoders/fast/cursor.h", "#pragma once\n// TO" + "DO later\n")
        self.assert_found("decoders/fast/cursor.h:2: unfinished")

    def test_a_room_without_a_card(self):
        os.remove(os.path.join(self.root, "decoders/fast/README.md"))
        self.assert_found("decoders/fast/README.md:1: card: the room has no card")

    def test_a_card_longer_than_a_screen(self):
        self.write("decoders/fast/README.md", CARD.format("fast") + "more\n" * 60)
        self.assert_found("card: is longer than a screen (64 lines")

    def test_a_card_that_leaves_the_door_out(self):
        self.write("decoders/fast/README.md", CARD.format("fast").replace("May include", "Uses"))
        self.assert_found("card: does not say `May include`")

    def test_a_test_of_nothing(self):
        self.write("tests/decoders/fast/other_test.cc", "int c;\n")
        self.write("tests/decoders/fast/meson.build", "executable('t', 'cursor_test.cc', 'other_test.cc')\n")
        self.assert_found("tests/decoders/fast/other_test.cc:1: mirror: there is no decoders/fast/other.h or .cc")
        self.write("tests/decoders/fast/other_test.cc", "// All of it together, on recorded packets.\nint c;\n")
        self.assert_clean()

    def test_a_room_without_a_test(self):
        os.remove(os.path.join(self.root, "tests/decoders/fast/cursor_test.cc"))
        self.assert_found("mirror: decoders/fast has no test")

    def test_a_source_that_nothing_builds(self):
        self.write("decoders/fast/lost.cc", "int d;\n")
        self.assert_found("decoders/fast/lost.cc:1: built")

    def test_a_script_that_needs_a_package(self):
        self.write("scripts/plot", "#!/usr/bin/env python3\nimport numpy\n")
        self.assert_found("scripts/plot:2: python: imports numpy")

    def test_broken_xml(self):
        self.write("templates/feeds/a.xml", "<feed>\n<line></feed>\n")
        self.assert_found("templates/feeds/a.xml:2: xml: is not well-formed")


if __name__ == "__main__":
    tap.main()
