"""Programs outside the tree: installed libraries, found by pkg-config, built and run as CONTRIBUTING says."""
import glob
import os
import subprocess

import harness
import run_config
import tap

BUILD = os.path.dirname(harness.TICKPATH)
SOURCES = os.path.join(harness.ROOT, "tests/system/outside_strategy")
TEMPLATES = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")


class OutsideStrategy(harness.SystemTest):
    def setUp(self):
        super().setUp()
        if "sanitizers none" not in self.run_to_end("version").out:
            self.skipTest("a sanitized library needs sanitized users")

    def must(self, *command, **environment):
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def build_outside(self):
        installed = self.path("installed")
        self.must("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", installed)
        found = glob.glob(installed + "/**/pkgconfig", recursive=True)
        self.assertEqual(len(found), 1, f"no pkgconfig folder in {installed}")
        self.must("meson", "setup", self.path("out"), SOURCES, PKG_CONFIG_PATH=found[0])
        self.must("ninja", "-C", self.path("out"))

    def test_installed_libraries_build_a_strategy_and_a_decoder(self):
        self.build_outside()
        listed = self.must(self.path("out/list-templates"), TEMPLATES)
        self.assertEqual(listed, "301 DemoIncremental\n302 DemoSnapshot\n")
        linked = self.must("ldd", self.path("out/list-templates"))
        self.assertNotIn("rte_", linked)

        facts = self.write_feed(packets=1000)
        trade = run_config.trade(1, order_link="shadow", strategy='name="narrow-spread" spread_max="0.20"')
        config = self.write("run.xml", run_config.text("pcap:feed.pcap", trade=trade))
        program = self.start_program([self.path("out/narrow-spread"), config, "--json"], "narrow-spread")
        totals = program.expect_exit(0).json()["totals"]
        self.assertEqual(totals["frames"], facts["frames"])
        self.assertGreater(totals["orders"], 0)


if __name__ == "__main__":
    tap.main()
