"""The real path on true PCI poll-mode drivers: tickpath in a virtual machine that owns an emulated card, the made-up feed sent to
it from the host. Emulated instruction by instruction (TCG): this proves the driver's path, and says nothing of latency."""
import contextlib
import itertools
import json
import os
import signal
import sys
import time

import capture_file
import compare
import guest
import guest_image
import guest_kernel
import harness
import hold_guest
import send_frames
import tap

CACHE = os.environ.get("TICKPATH_NIC_CACHE") or os.path.join(harness.ROOT, "build/tests/nic/kernel")
PROBE = os.environ.get("TICKPATH_PORT_PROBE") or os.path.join(harness.ROOT, "build/tests/dataplane/port/port-probe")
PACKETS = {"quick": 1000, "all": 1000, "nightly": 3000}[os.environ.get("TICKPATH_TEST_LEVEL", "quick")]
RATE = 4000
DAMAGED_FRAMES = 10
UIO, VFIO = "uio_pci_generic", "vfio-pci"
# Orders are counted and not sent (shadow). No limit of time or rate: an emulated machine stands still now and then.
CONFIG = f"""<tickpath>
  <port name="nic" mode="nic" device="{guest.CARD_ADDRESS}" check_checksum="yes"/>
  <feed description="/etc/tickpath/demo.xml" templates="/etc/tickpath/templates.xml" port="nic" window_us="10000000"/>
  <instruments file="instruments.csv"/>
  <workers layout="inline" idle="yield"/>
  <trade armed="yes" order_link="shadow" max_tick_age_us="60000000">
    <strategy name="hit-quote" sell_at="100.00" buy_at="99.99" quantity_max="20"/>
    <risk orders_per_second="0"/>
  </trade>
</tickpath>
"""
COMMON_CAPABILITIES = {"steering": "none", "shared_with_kernel": False, "membership": "own_igmp", "receive_stamp": "cycles",
                       "transmit_stamp": "doorbell", "checksum_flag": True, "numa_node": None}
# What each card says of itself through its driver, in the report and, as words, when the run starts.
CAPABILITIES = {
    "e1000e": COMMON_CAPABILITIES | {"receive_queues_max": 2,
                                     "receive_descriptors": {"least": 32, "most": 4096, "multiple_of": 8},
                                     "transmit_descriptors": {"least": 32, "most": 4096, "multiple_of": 8}},
    "virtio-net-pci": COMMON_CAPABILITIES | {"receive_queues_max": 1,
                                             "receive_descriptors": {"least": 32, "most": 32768, "multiple_of": 1},
                                             "transmit_descriptors": {"least": 32, "most": 32768, "multiple_of": 1}},
}
CAPABILITY_WORDS = {
    "e1000e": "receive queues up to 2, descriptors 32-4096 by 8 to receive, 32-4096 by 8 to transmit",
    "virtio-net-pci": "receive queues up to 1, descriptors 32-32768 to receive, 32-32768 to transmit",
}
# Of these a clean wire has none.
NO_DROPS = ("rx_multi_segment", "own_frame", "unknown_group", "truncated", "not_ipv4", "bad_header", "not_udp", "fragment")

# Multicast filter, addresses of its list (three groups and that of IGMP queries), length of the receive ring.
FILTERS = {"e1000e": ("mac_list", 4, 4096), "virtio-net-pci": ("all_multicast", 0, 4096)}
STRANGER = bytes.fromhex("020000000099")  # an Ethernet address that is nobody's here


def end(process_id):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


class Outcome:
    """What a run in the guest ended with."""

    def __init__(self, texts, console, sent, from_card):
        self.sent = sent
        self.from_card = from_card
        self.probe = texts["probe.txt"]
        self.device = json.loads(texts["device.json"])
        self.console = console
        self.exit_code = int(texts["exit_code"])
        self.ticks = texts["ticks.csv"]
        self.doctor = {finding["check"]: finding for finding in json.loads(texts["doctor.json"])["checks"]}
        reports = texts["report.json"]  # one for each second, and the last
        self.report = json.loads(reports[reports.rfind("\n{") + 1:])
        self.port = self.report["ports"][0]

    def __str__(self):
        return f"--- console\n{self.console}\n--- report\n{json.dumps(self.report)[:3000]}"


class Nic(harness.SystemTest):
    def image(self, kernel, driver):
        files = {"run.xml": CONFIG,
                 "demo.xml": harness.read(os.path.join(harness.ROOT, "templates/feeds/demo.xml")),
                 "templates.xml": harness.read(os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")),
                 "instruments.csv": harness.read(self.path("instruments.csv"))}
        return guest_image.build(self.folder, [harness.TICKPATH, PROBE], kernel.modules(driver),
                                 {"/etc/tickpath/" + name: text for name, text in files.items()})

    def write_damaged(self):
        """The feed's first frames with another last byte: right in everything but the UDP checksum."""
        frames = itertools.islice(send_frames.frames(self.path("feed.pcap")), DAMAGED_FRAMES)
        capture_file.write(self.path("damaged.pcap"), [(0, frame[:-1] + bytes([frame[-1] ^ 0xFF])) for frame in frames])

    def write_for_strangers(self):
        """Frames of the feed to somebody else's address: only a promiscuous device would let them in."""
        frames = itertools.islice(send_frames.frames(self.path("feed.pcap")), DAMAGED_FRAMES)
        capture_file.write(self.path("strangers.pcap"), [(0, STRANGER + frame[6:]) for frame in frames])

    def start_guest(self, card, driver):
        guest.require()
        if not guest.offers(card):
            self.skipTest(f"the installed QEMU has no {card}")
        kernel = guest_kernel.fetch(CACHE)
        self.facts = self.write_feed(packets=PACKETS, lure_from=200)
        return guest.Guest(self.folder, kernel.image, self.image(kernel, driver), card=card, driver=driver)

    @contextlib.contextmanager
    def receiving_guest(self, card, driver):
        """A shared machine can stall the emulator for a minute: what is not up by then is started once more."""
        with self.start_guest(card, driver) as machine:
            if machine.comes_to("receiving"):
                yield machine
                return
            print(f"# {card} by {driver} was not up in time and is started again: {machine}".replace("\n", "\n# "), flush=True)
        with self.start_guest(card, driver) as machine:
            machine.wait_for("receiving")
            yield machine

    def run_feed(self, card, driver):
        with self.receiving_guest(card, driver) as machine:
            self.write_damaged()
            self.write_for_strangers()
            machine.connect()
            machine.send(self.path("strangers.pcap"), RATE)
            sent = machine.send(self.path("damaged.pcap"), RATE) + machine.send(self.path("feed.pcap"), RATE)
            machine.wait_for(f'"frames": {sent},')
            listener = self.start_program(machine.listener(), "listener")
            listener.wait_for("listening")
            texts = machine.stop()
            listener.expect_exit(0)
            return Outcome(texts, machine.console, sent, [bytes.fromhex(line) for line in listener.out.split()])

    def expect_what_the_probe_sent(self, outcome):
        """The port's own way out: each frame once, in order, its last byte the number (port_probe.cc)."""
        wanted = [bytes(59) + bytes([number]) for number in range(guest.SENT_BY_GUEST)]
        self.assertEqual(outcome.from_card, wanted, f"{outcome.probe}{outcome}")

    def expect_the_feed(self, outcome, driver_name):
        """Frames in = frames sent, ticks out = what the writer of the feed says, and an order for each quote worth hitting."""
        self.assertEqual(outcome.exit_code, 130, outcome)
        self.assertEqual(outcome.port["driver"], driver_name, outcome)
        self.assertEqual(outcome.sent, self.facts["frames"] + DAMAGED_FRAMES)
        self.assertEqual(outcome.report["totals"]["frames"], outcome.sent, outcome)
        self.assertEqual(outcome.port["device_frames"], outcome.sent, outcome)
        for trouble in ("device_missed", "device_errors", "device_no_buffer"):
            self.assertEqual(outcome.port[trouble], 0, f"{trouble}: {outcome}")
        self.assertEqual(outcome.report["drops"]["bad_checksum"], DAMAGED_FRAMES, outcome)
        for cause in NO_DROPS:
            self.assertEqual(outcome.report["drops"][cause], 0, f"{cause}: {outcome}")
        self.assertEqual(outcome.report["holes_total"], 0, outcome)
        self.write("found.csv", outcome.ticks)
        self.assertEqual(list(compare.compare(self.folder, self.path("found.csv"))), [], outcome)
        self.assertGreater(self.facts["orders"], 0)
        self.assertEqual(outcome.report["totals"]["orders"], self.facts["orders"], outcome)

    def expect_capabilities(self, outcome, card, driver):
        """What the device says of itself to doctor, at start and in the report; doctor calls the card ready for its driver."""
        self.assertEqual(outcome.port["capabilities"], CAPABILITIES[card], outcome)
        found = tuple(outcome.port[key] for key in ("multicast_filter", "multicast_macs", "descriptors"))
        self.assertEqual(found, FILTERS[card], outcome)
        self.assertIn("tickpath: port nic: steering none, not shared with the kernel, membership by own_igmp, receive times cycles, "
                      f"transmit times doorbell, checksum flag, {CAPABILITY_WORDS[card]}", outcome.console)
        self.assertEqual(outcome.device, {"device": guest.CARD_ADDRESS, "driver": outcome.port["driver"],
                                          "capabilities": CAPABILITIES[card]}, outcome)
        drivers = outcome.doctor["drivers"]
        self.assertEqual((drivers["state"], drivers["found"]), ("ok", f"{guest.CARD_ADDRESS} {driver}"))
        self.assertEqual(outcome.doctor["iommu"]["state"], "ok" if driver == VFIO else "absent", outcome.doctor["iommu"])

    def check(self, card, driver, driver_name):
        outcome = self.run_feed(card, driver)
        self.expect_the_feed(outcome, driver_name)
        self.expect_capabilities(outcome, card, driver)
        self.expect_what_the_probe_sent(outcome)
        print(f"# {card} by {driver}: {outcome.sent} frames in, {len(outcome.from_card)} out, {self.facts['ticks']} ticks equal, "
              f"{self.facts['orders']} orders (shadow)", flush=True)

    def test_e1000e_through_uio(self):
        self.check("e1000e", UIO, "net_e1000_em")

    def test_e1000e_through_vfio(self):
        self.check("e1000e", VFIO, "net_e1000_em")

    def test_virtio_through_uio(self):
        self.check("virtio-net-pci", UIO, "net_virtio")

    def test_virtio_through_vfio(self):
        self.check("virtio-net-pci", VFIO, "net_virtio")

    def test_igb_with_receive_stamps(self):
        outcome = self.run_feed("igb", UIO)
        self.expect_the_feed(outcome, "net_e1000_igb")
        self.assertEqual(outcome.port["capabilities"]["receive_stamp"], "ptp_frames", outcome)

    def test_no_machine_outlives_its_test(self):
        """A test that is killed leaves neither the emulator nor, therefore, its namespace behind."""
        guest.require()
        kernel = guest_kernel.fetch(CACHE)
        holder = self.start_program([sys.executable, hold_guest.__file__, self.folder, kernel.image], "holder")
        machine = int(holder.wait_for(r"^(\d+)\n")[1])
        self.addCleanup(end, machine)
        self.wait_until("the emulator runs", lambda: harness.read(f"/proc/{machine}/comm").startswith("qemu-system"))
        os.kill(machine, signal.SIGSTOP)  # now it cannot end by itself
        holder.process.kill()
        self.wait_until(f"process {machine} is gone", lambda: not os.path.exists(f"/proc/{machine}"))

    def wait_until(self, what, is_so):
        deadline = time.monotonic() + 10
        while not is_so():
            self.assertLess(time.monotonic(), deadline, f"not so after 10 s: {what}")
            time.sleep(0.02)


tap.main()
