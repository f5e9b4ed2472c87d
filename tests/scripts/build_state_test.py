"""build_state.py: when scripts/setup may trust a build folder that is already there."""
import json
import os
import shutil
import sys
import tempfile
import unittest

import planted
import tap

sys.path.insert(0, os.path.join(planted.ROOT, "scripts"))
import build_state


class BuildState(unittest.TestCase):
    def setUp(self):
        self.source = tempfile.mkdtemp(prefix="tickpath-source-")
        self.addCleanup(shutil.rmtree, self.source)
        self.build = os.path.join(self.source, "build")

    def configure(self, source=None, build=None, version=None, options=()):
        os.makedirs(os.path.join(self.build, "meson-private"), exist_ok=True)
        os.makedirs(os.path.join(self.build, "meson-info"), exist_ok=True)
        info = {"meson_version": {"full": version or build_state.meson_version()}, "error": False,
                "directories": {"source": source or self.source, "build": build or self.build}}
        self.write("meson-info/meson-info.json", json.dumps(info))
        self.write("meson-info/intro-buildoptions.json", json.dumps([{"name": n, "value": v} for n, v in options]))
        self.write("build.ninja", "")

    def write(self, name, content):
        with open(os.path.join(self.build, name), "w", encoding="utf-8") as file:
            file.write(content)

    def state(self, **wanted):
        return build_state.state(self.source, self.build, wanted)

    def test_no_folder_or_an_empty_one_is_absent(self):
        self.assertEqual(self.state(), "absent")
        os.makedirs(self.build)
        self.assertEqual(self.state(), "absent")

    def test_somebody_elses_folder_is_foreign(self):
        os.makedirs(self.build)
        self.write("notes.txt", "mine")
        self.assertEqual(self.state(), "foreign")

    def test_a_folder_as_wanted_is_ready(self):
        self.configure(options=[("buildtype", "release"), ("b_lto", True)])
        self.assertEqual(self.state(buildtype="release", b_lto="true"), "ready")

    def test_another_option_asks_for_reconfiguration(self):
        self.configure(options=[("buildtype", "debug")])
        self.assertEqual(self.state(buildtype="release"), "reconfigure")

    def test_an_option_that_the_folder_never_heard_of_asks_for_reconfiguration(self):
        self.configure()
        self.assertEqual(self.state(web="enabled"), "reconfigure")

    def test_a_moved_or_copied_folder_is_unusable(self):
        self.configure(source="/elsewhere")
        self.assertEqual(self.state(), "unusable")
        self.configure(build="/elsewhere/build")
        self.assertEqual(self.state(), "unusable")

    def test_a_folder_of_another_meson_is_unusable(self):
        self.configure(version="0.1.0")
        self.assertEqual(self.state(), "unusable")

    def test_a_half_made_folder_is_unusable(self):
        os.makedirs(os.path.join(self.build, "meson-private"))
        self.assertEqual(self.state(), "unusable")
        self.configure()
        os.remove(os.path.join(self.build, "build.ninja"))
        self.assertEqual(self.state(), "unusable")
        self.configure()
        self.write("meson-info/meson-info.json", "{")
        self.assertEqual(self.state(), "unusable")


if __name__ == "__main__":
    tap.main()
