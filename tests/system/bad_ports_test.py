"""Ports that do not come up: exit 4, the cause, and the command that mends it."""
import os
import shutil
import socket
import subprocess

import harness
import network_lab
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

    def test_a_port_that_workers_cannot_share(self):
        program = self.run_to_end("run", self.shared_port("null")).expect_exit(3)
        self.assertIn("tickpath: port feed: steering rss, ", program.talk)
        self.assertIn('port "feed" can spread frames over its 2 queues by a hash only (RSS)', program.talk)
        self.assertNotIn("receiving", program.talk)

    def test_a_kernel_interface_that_workers_cannot_share(self):
        with network_lab.NetworkLab(rootless=True) as lab:
            command = [harness.TICKPATH, "run", self.shared_port("af_packet:" + network_lab.RECEIVER)]
            program = self.start_program(lab.on_receiver(command)).expect_exit(3)
        self.assertIn("tickpath: port feed: steering none, shared with the kernel, membership by kernel", program.talk)
        self.assertIn('port "feed" is polled by both "r0" and "r1", and its device cannot send a group to a queue', program.talk)

    def shared_port(self, device):
        """A configuration in which two workers share one port."""
        self.write_feed(packets=20)
        text = run_config.text(device, port_attributes='queue_count="2" ring_frames="256"', layout="split")
        workers = '<receive name="r0" ports="feed"/><receive name="r1" ports="feed"/>'
        return self.write("run.xml", text.replace('idle="yield"/>', f'idle="yield">{workers}</workers>'))

    def test_eal_arguments_that_are_nonsense(self):
        self.expect_unreachable(device="null", port_attributes='eal_extra="--no-such-argument"')


tap.main()
