"""tickpath doctor --device: what a device can do, and what is said of one that is none or does not open."""
import json

import harness
import tap


class DoctorDevice(harness.SystemTest):
    def doctor(self, *arguments, code=0):
        return self.run_to_end("doctor", *arguments).expect_exit(code)

    def test_a_device_is_asked_what_it_can_do(self):
        program = self.doctor("--device", "null")
        self.assertRegex(program.out, r"^null \(net_null\) can: steering .*, descriptors \d+-\d+ to receive")
        found = json.loads(self.doctor("--device", "null", "--json").out)
        self.assertEqual((found["device"], found["driver"]), ("null", "net_null"))
        self.assertEqual(found["capabilities"]["membership"], "nobody")

    def test_a_device_that_is_none_or_does_not_open_is_said(self):
        self.assertIn('"eth9" is not a device', self.doctor("--device", "eth9", code=2).talk)
        self.assertIn("there is no PCI device ffff:ff:1f.7", self.doctor("--device", "ffff:ff:1f.7", code=4).talk)

    def test_it_goes_with_nothing_else_to_judge(self):
        self.write_feed(packets=10)
        self.doctor("--device", "null", "--machine", code=2)
        self.doctor("--device", "null", self.path("feed.pcap"), code=2)


tap.main()
