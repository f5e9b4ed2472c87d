"""What a run is told and what it tells: --arm, when the strategy decides, strict checksums, the counter file, and the place of a
message that cannot be decoded.
"""
import os
import pathlib
import signal
import struct

import capture_slice
import harness
import run_config
import tap

PAYLOAD_AT = 14 + 20 + 8  # Ethernet, IPv4 without options, UDP
NO_LIMITS = ('order_quantity_max="0" price_band_percent="0" orders_per_second="0" position_gross_max="0" position_net_max="0" '
             'notional_max="0"')


def counters_of(path):
    """{name: value} of a counter file, by the layout that dataplane/core/counters.h documents."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, capacity, used = struct.unpack_from("<8sIII", data)
    assert magic == b"TICKCNT1" and version == 1, (magic, version)
    cells_at = 64 + 128 * capacity
    found = {}
    for index in range(used):
        name, cell = struct.unpack_from("<112sQ", data, 64 + 128 * index)
        found[name.split(b"\0")[0].decode()] = struct.unpack_from("<Q", data, cells_at + 8 * cell)[0]
    return found


class RunOptions(harness.SystemTest):
    def report(self, *arguments, code=0, **configuration):
        text = run_config.text("pcap:feed.pcap", **configuration)
        return self.run_to_end("run", self.write("run.xml", text), "--json", *arguments).expect_exit(code).json()

    def shadow(self, **trade):
        return run_config.trade(9, order_link="shadow", risk=NO_LIMITS, **trade)

    def test_many_frames_come_up_without_huge_pages(self):
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n1001,A,2,0\n")
        text = run_config.text("null", port_attributes='frames_max="131071"')
        self.run_to_end("run", self.write("run.xml", text), "--seconds", "0.1").expect_exit(0)

    def test_a_duration_is_a_positive_number(self):
        for seconds in ("nan", "inf", "-1", "0", "1s"):
            program = self.run_to_end("run", self.write("run.xml", run_config.text("null")), "--seconds", seconds).expect_exit(2)
            self.assertIn(seconds, program.talk)

    def test_orders_leave_only_when_the_run_is_armed(self):
        facts = self.write_feed(packets=2000, loss=0)
        trade = self.shadow(armed="no")
        for words, orders in (((), 0), (("--arm",), facts["orders"])):
            report = self.report(*words, trade=trade)
            self.assertEqual(report["totals"]["orders"], orders)
            self.assertEqual(report["refusals"]["refused_disarmed"], facts["orders"] - orders)
            self.assertEqual(report["armed"], bool(words))

    def test_deciding_by_packet_asks_once_for_all_messages_of_a_datagram(self):
        self.write_feed(packets=2000, loss=0)  # one to three messages in each
        by_message = self.report(trade=self.shadow())["totals"]
        by_packet = self.report(trade=self.shadow().replace('trade_when=', 'decide="packet" trade_when='))["totals"]
        self.assertEqual(by_packet["ticks"], by_message["ticks"])
        self.assertLess(by_packet["events"], by_message["events"])
        self.assertGreater(by_packet["orders"], 0)

    def test_the_counter_file_holds_what_the_report_says(self):
        self.write_feed(packets=500)
        counted = self.report(trade=self.shadow() + '<report counters="counters.bin"/>')["counters"]
        self.assertGreater(counted["r0.ticks"], 0)
        self.assertEqual(counters_of(self.path("counters.bin")), counted)

    def test_a_counter_file_belongs_to_one_process(self):
        self.write_feed(packets=20)
        config = self.write("run.xml", run_config.text("null", trade='<report counters="counters.bin"/>'))
        first = self.start("run", config, name="first")
        first.wait_for("receiving")
        second = self.run_to_end("run", config, name="second").expect_exit(1)
        self.assertRegex(second.talk, r"run\.xml:\d+: cannot make the counter file .*counters\.bin: it is in use")
        first.signal(signal.SIGINT)
        first.expect_exit(130)

    def test_outputs_never_write_over_inputs(self):
        self.write_feed(packets=200)
        config = self.path("run.xml")
        self.write("run.xml", run_config.text("pcap:feed.pcap"))
        os.link(self.path("feed.pcap"), self.path("by-another-name"))
        for victim in ("run.xml", "feed.pcap", "by-another-name", "instruments.csv"):
            before = pathlib.Path(self.path(victim)).read_bytes()
            program = self.run_to_end("run", config, "--ticks", self.path(victim)).expect_exit(3)
            self.assertRegex(program.talk, rf"--ticks \S*{victim} would write over ")
            self.assertEqual(pathlib.Path(self.path(victim)).read_bytes(), before)
        for victim, said in (("counters.xml", "would write over the configuration"), ("note.txt", "is no counter file")):
            self.write("note.txt", "mine")
            self.write("counters.xml", run_config.text("pcap:feed.pcap", trade=f'<report counters="{victim}"/>'))
            before = harness.read(self.path(victim))
            program = self.run_to_end("run", self.path("counters.xml")).expect_exit(3)
            self.assertRegex(program.talk, rf"counters\.xml:\d+: .*{said}")
            self.assertEqual(harness.read(self.path(victim)), before)
        self.write("both.xml", run_config.text("pcap:feed.pcap", trade='<report counters="one"/>'))
        program = self.run_to_end("run", self.path("both.xml"), "--ticks", self.path("one")).expect_exit(3)
        self.assertIn("is also the counter file", program.talk)

    def test_a_capture_that_is_not_read_to_its_end_is_bad_data(self):
        self.write_feed(packets=200)
        whole = pathlib.Path(self.path("feed.pcap")).read_bytes()
        config = self.write("run.xml", run_config.text("pcap:feed.pcap"))
        self.run_to_end("run", config).expect_exit(0)
        for cut in (len(whole) - 10, 60):
            pathlib.Path(self.path("feed.pcap")).write_bytes(whole[:cut])
            program = self.run_to_end("run", config).expect_exit(5)
            self.assertRegex(program.talk, r"is cut; the \d+ before it are replayed")
            self.assertIn("\nframes ", program.out, "the report is printed all the same")

    def test_a_pcapng_file_whose_second_section_cannot_be_read_is_bad_data(self):
        self.write_feed(packets=20)
        whole = pathlib.Path(self.path("feed.pcap")).read_bytes()
        frames, at = [], 24
        while at < len(whole):
            size = struct.unpack_from("<I", whole, at + 8)[0]
            frames.append(whole[at + 16:at + 16 + size])
            at += 16 + size

        def block(kind, body):
            body += bytes(-len(body) % 4)
            return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
        section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        interface = block(1, struct.pack("<HHI", 1, 0, 65535))
        packets = b"".join(block(6, struct.pack("<IIIII", 0, 0, 1, len(frame), len(frame)) + frame) for frame in frames)
        config = self.write("run.xml", run_config.text("pcap:feed.pcapng"))
        for content, code in ((section + interface + packets, 0), (section + interface + packets + section + packets, 5)):
            pathlib.Path(self.path("feed.pcapng")).write_bytes(content)
            program = self.run_to_end("run", config, "--json").expect_exit(code)
            self.assertEqual(program.json()["totals"]["frames"], len(frames), program)
        self.assertIn(f"packet {len(frames)} names an interface that is not described", program.talk)

    def test_what_would_make_dpdk_end_the_process_is_an_error(self):
        self.write_feed(packets=20)
        config = self.write("help.xml", run_config.text("pcap:feed.pcap", port_attributes='eal_extra="--help"'))
        program = self.run_to_end("run", config).expect_exit(3)
        self.assertRegex(program.talk, r"help\.xml:\d+: port feed: eal_extra has --help")
        config = self.write("run.xml", run_config.text("pcap:feed.pcap"))
        program = self.start_program(["bash", "-c", 'ulimit -n 10; exec "$@"', "sh", harness.TICKPATH, "run", config])
        program.expect_exit(4)
        self.assertRegex(program.talk, r"run\.xml:\d+: .*may have 10 files open, and the ports need 64: ulimit -n")
        program = self.start_program(["bash", "-c", 'ulimit -n 64; exec "$@"', "sh", harness.TICKPATH, "run", config])
        program.expect_exit(0)

    def test_a_file_size_limit_is_an_error_with_a_word(self):
        self.write_feed(packets=2000)
        config = self.write("run.xml", run_config.text("pcap:feed.pcap"))
        program = self.start_program(["bash", "-c", 'ulimit -f 8; exec "$@"', "sh", harness.TICKPATH, "run", config,
                                      "--ticks", self.path("ticks.csv")])
        program.expect_exit(1)
        self.assertIn("the tick file is incomplete", program.talk)

    def test_a_strict_port_drops_datagrams_whose_checksum_does_not_fit(self):
        self.write_feed(packets=200, loss=0)
        header, frames = capture_slice.read(self.path("feed.pcap"))
        for frame in frames[10:15]:
            damaged = bytearray(frame.data)
            damaged[PAYLOAD_AT - 1] ^= 0x55
            frame.data = bytes(damaged)
        capture_slice.write(self.path("feed.pcap"), header, frames)
        self.assertEqual(self.report()["drops"]["bad_checksum"], 0, "off unless asked for")
        strict = self.report(port_attributes='check_checksum="yes"')
        self.assertEqual(strict["drops"]["bad_checksum"], 5)
        self.assertEqual(strict["counters"]["r0.router.routed"], len(frames) - 5)

    def test_fragments_are_said_once(self):
        self.write_feed(packets=200, loss=0)
        header, frames = capture_slice.read(self.path("feed.pcap"))
        for frame in frames[10:15]:
            frame.data = frame.data[:20] + b"\x20\x00" + frame.data[22:]  # more fragments
        capture_slice.write(self.path("feed.pcap"), header, frames)
        program = self.run_to_end("run", self.write("run.xml", run_config.text("pcap:feed.pcap")), "--json").expect_exit(0)
        self.assertEqual(program.json()["drops"]["fragment"], 5)
        self.assertEqual(program.talk.count("IP fragments arrive"), 1, program)

    def test_a_damaged_message_is_named_with_its_place(self):
        self.write_feed(packets=200, loss=0)
        header, frames = capture_slice.read(self.path("feed.pcap"))
        self.assertEqual(self.report()["decode_failures"], [])
        target = 20
        frame = frames[target]
        frame.data = frame.data[:PAYLOAD_AT + 5] + bytes(len(frame.data) - PAYLOAD_AT - 5)  # no stop bit any more
        capture_slice.write(self.path("feed.pcap"), header, frames)
        report = self.report()
        self.assertEqual(sum(value for name, value in report["drops"].items() if name.startswith("failed_")), 1)
        [failure] = report["decode_failures"]
        self.assertEqual([failure["frame"], failure["channel"]], [target, "DEMO"])
        text = self.run_to_end("run", self.path("run.xml")).expect_exit(0).out
        self.assertRegex(text, rf"last message that could not be decoded\n  DEMO \S+ packet \d+ frame {target}: ")

    def test_a_message_over_a_limit_of_the_feed_is_dropped_with_its_place(self):
        self.write_feed(packets=200, loss=0)
        with open(run_config.DEMO_DESCRIPTION, encoding="utf-8") as file:
            description = file.read().replace("../fast/demo", os.path.join(harness.ROOT, "templates/fast/demo"))
        self.write("limited.xml", description.replace('reset="datagram"', 'reset="datagram" sequence_length_max="2"'))
        report = self.report(feed='description="limited.xml"')
        self.assertGreater(report["drops"]["failed_limit"], 10)
        self.assertEqual(sum(value for name, value in report["drops"].items() if name.startswith("failed_")),
                         report["drops"]["failed_limit"])
        self.assertEqual({failure["error"] for failure in report["decode_failures"]}, {"limit"})
        self.assertEqual(self.report()["drops"]["failed_limit"], 0, "the default is far above")
        self.write("bad.xml", description.replace('reset="datagram"', 'reset="datagram" string_bytes_max="1"'))
        program = self.run_to_end("run", self.write("run.xml", run_config.text("pcap:feed.pcap", feed='description="bad.xml"')))
        program.expect_exit(3)
        self.assertRegex(program.talk, r'bad\.xml:\d+: string_bytes_max="1" is not a number from 8 to 65536')

    def test_the_report_says_what_the_device_and_the_books_are(self):
        self.write_feed(packets=500)
        report = self.report()
        [port] = report["ports"]
        self.assertEqual([port["name"], port["driver"], port["frame_times"]], ["feed", "net_pcap", True])
        self.assertEqual(port["device_frames"], report["totals"]["frames"])
        can = port["capabilities"]
        self.assertEqual([can["steering"], can["shared_with_kernel"], can["membership"], can["receive_stamp"]],
                         ["none", False, "nobody", "capture"])
        [books] = report["books"]
        self.assertEqual([books["channel"], books["invalid"]], ["DEMO", 0])
        self.assertGreater(books["valid"], 0)


tap.main()
