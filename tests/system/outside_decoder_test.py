"""Programs outside the tree that only decode: the examples of decoders/fast/READING.md against the installed library, found by
pkg-config, once by meson and once by hand as the document says."""
import glob
import os
import shlex
import shutil
import subprocess

import harness
import tap

BUILD = os.path.dirname(harness.TICKPATH)
EXAMPLES = os.path.join(harness.ROOT, "tests/decoders/fast/examples")
PROJECT = os.path.join(harness.ROOT, "tests/system/outside_decoder/meson.build")
TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
LEVELS = "107.15 10\n107.17 7\n"


class OutsideDecoder(harness.SystemTest):
    def setUp(self):
        super().setUp()
        if "sanitizers none" not in self.run_to_end("version").out:
            self.skipTest("a sanitized library needs sanitized users")
        self.sources = self.path("sources")
        shutil.copytree(EXAMPLES, self.sources)
        shutil.copy(PROJECT, self.sources)

    def must(self, *command):
        done = subprocess.run(command, env=os.environ | self.where, capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def install(self):
        self.where = {}
        installed = self.path("installed")
        self.must("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", installed)
        found = glob.glob(installed + "/**/pkgconfig", recursive=True)
        self.assertEqual(len(found), 1, f"no pkgconfig folder in {installed}")
        self.where = {"PKG_CONFIG_PATH": found[0]}

    def test_the_examples_build_and_run_against_the_installed_library(self):
        self.install()
        self.must("meson", "setup", self.path("out"), self.sources)
        self.must("ninja", "-C", self.path("out"))
        self.assertEqual(self.must(self.path("out/read-prices"), TEMPLATES), LEVELS)
        self.assertEqual(self.must(self.path("out/bind-prices"), TEMPLATES), "10715 10\n10717 7\n")
        self.assertEqual(self.must(self.path("out/read-prices-in-c"), TEMPLATES), LEVELS)
        self.assertNotIn("rte_", self.must("ldd", self.path("out/read-prices-in-c")))

        flags = shlex.split(self.must("pkg-config", "--cflags", "--libs", "--static", "libtickpath-fast"))
        by_hand = self.path("by-hand")
        self.must("cc", os.path.join(self.sources, "read_prices.c"), *flags, "-lstdc++", "-o", by_hand)
        self.assertEqual(self.must(by_hand, TEMPLATES), LEVELS)


if __name__ == "__main__":
    tap.main()
