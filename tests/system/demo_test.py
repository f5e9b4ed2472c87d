"""scripts/demo without its set-up: every tick equal to the writer's and orders = fills, on one core, two, and live."""
import os
import sys

import harness
import tap


class Demo(harness.SystemTest):
    def test_the_demo_checks_itself_and_ends_well(self):
        demo = self.start_program([sys.executable, os.path.join(harness.ROOT, "scripts/demo_feed/demo.py"), self.folder,
                                   "--tickpath", harness.TICKPATH], "demo")
        demo.expect_exit(0, seconds=180)
        self.assertRegex(demo.out, r"demo: orders = fills = [1-9]\d* in each run\n$")


if __name__ == "__main__":
    tap.main()
