"""Ports that do not come up: exit 4, the cause, and the command that mends it."""
import os
import shutil
import socket
import subprocess

import harness
import run_config
import tap


class BadPorts(harness.SystemTest):
    def expect_unreachable(self, *expected, **port):
        self.write_feed(packets=20)
        program = self.run_to_end("run", self.write("run.xml", run_config.text(**port))).expect_exit(4)
        self.assertIn("run.xml:2", program.talk, "the finding has a place")
        for words in expected:
            self.assertIn(words, program.talk)

    def test_an_interface_that_does_not_exist(self):
        self.expect_unreachable("nothere0", "ip link", device="af_packet:nothere0")

    def test_an_interface_that_this_user_may_not_open(self):
        drop = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set", "-all",
                "--inh-caps", "-all"]
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            self.skipTest("needs root, to give it up, and setpriv")
        if subprocess.run([*drop, "test", "-x", harness.TICKPATH], check=False).returncode != 0:
            self.skipTest("the executable's folder is closed to other users")
        interfaces = [name for _, name in socket.if_nameindex() if name != "lo"]
        if not interfaces:
            self.skipTest("no interface but lo")
        self.write_feed(packets=20)
        config = self.write("run.xml", run_config.text("af_packet:" + interfaces[0]))
        subprocess.run(["chmod", "-R", "a+rwX", self.folder], check=True)
        program = self.start_program([*drop, harness.TICKPATH, "run", config]).expect_exit(4)
        self.assertIn("CAP_NET_RAW", program.talk)
        self.assertIn("setcap", program.talk)

    def test_a_pci_device_that_is_not_there(self):
        self.expect_unreachable("0000:ff:1f.7", device="0000:ff:1f.7", port_attributes='mode="nic"')

    def test_eal_arguments_that_are_nonsense(self):
        self.expect_unreachable(device="null", port_attributes='eal_extra="--no-such-argument"')


tap.main()
