"""Signals to a run: an end with a report, the kill switch under load, a report on request."""
import errno
import fcntl
import json
import os
import shutil
import signal
import termios
import time

import fix_peer
import harness
import run_config
import tap

DELAYS_S = (0.05, 0.1, 0.2, 0.3) if os.environ.get("TICKPATH_TEST_LEVEL") in ("all", "nightly") else (0.1, 0.25)

# Started under nohup, the tests would hand the ignored signal on to the programs.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Signals(harness.SystemTest):
    def start_endless(self, *arguments):
        """A run that nothing ends: DPDK's null device makes frames for ever, none of them IPv4."""
        self.write_feed(packets=20)
        program = self.start("run", self.write("run.xml", run_config.text("null")), *arguments)
        program.wait_for("receiving")
        time.sleep(0.2)
        return program

    def test_sigint_sigterm_and_sighup_end_with_a_report(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            program = self.start_endless("--json")
            program.signal(number)
            report = program.expect_exit(130).json()
            self.assertGreater(report["totals"]["frames"], 0)
            self.assertEqual(report["drops"]["not_ipv4"], report["totals"]["frames"], "frames were lost silently")

    def test_nohup_keeps_it_running(self):
        self.write_feed(packets=20)
        program = self.start_program(["nohup", harness.TICKPATH, "run", self.write("run.xml", run_config.text("null"))])
        program.wait_for("receiving")
        program.signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(program.process.poll())
        program.signal(signal.SIGTERM)
        program.expect_exit(130)

    def test_sigint_while_waiting_for_the_counterparty(self):
        self.write_feed(packets=20)
        peer = fix_peer.Peer()  # listens and accepts nothing
        self.addCleanup(peer.stop)
        text = run_config.text("pcap:feed.pcap", trade=run_config.trade(peer.port))
        program = self.start("run", self.write("run.xml", text))
        program.wait_for("order session")
        program.signal(signal.SIGINT)
        program.expect_exit(130)
        self.assertIn("\nframes 0 ", program.out)

    def start_held(self, number):
        """A run that reads its configuration from a pipe and waits there, and the function that lets it go on."""
        pipe = self.path(f"run-{number.name}.xml")
        if os.path.exists(pipe):
            os.unlink(pipe)
        os.mkfifo(pipe)
        program = self.start("run", pipe, "--json")
        writer = self.open_for_writing(pipe, program)

        def release():
            with os.fdopen(writer, "w", encoding="utf-8") as file:
                file.write(run_config.text("null"))
        return program, release

    def open_for_writing(self, pipe, program):
        """As soon as the program has it open for reading, and no sooner."""
        deadline = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < deadline and program.process.poll() is None:
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
            time.sleep(0.001)
        self.fail(f"never asked for its configuration: {program}")

    def expect_end(self, program, number):
        """What a signal before the first packet comes to."""
        if number in (signal.SIGTERM, signal.SIGINT):
            program.expect_exit(130)
            return
        program.wait_for("receiving")
        if number == signal.SIGUSR1:
            program.wait_for(r"kill switch thrown \(signal\)")
        else:
            program.wait_for('"totals"')
        program.signal(signal.SIGTERM)
        program.expect_exit(130)

    def test_a_signal_while_it_reads_its_configuration(self):
        self.write_feed(packets=20)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
            program, release = self.start_held(number)
            program.signal(number)
            release()
            self.expect_end(program, number)
            if number in (signal.SIGTERM, signal.SIGINT):
                self.assertIn("stopped by a signal before anything was received", program.talk)

    def test_a_signal_while_its_ports_come_up(self):
        self.write_feed(packets=20)
        for delay_s in DELAYS_S:
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
                program, release = self.start_held(number)
                release()
                time.sleep(delay_s)
                program.signal(number)
                self.expect_end(program, number)

    def test_signals_while_the_report_is_written_do_not_cut_it(self):
        self.write_feed(packets=200)
        config = self.write("run.xml", run_config.text("pcap:feed.pcap"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
            fifo = self.path("report")
            os.mkfifo(fifo)
            program = self.start_program(["bash", "-c", f'exec "$@" --json > {fifo}', "sh", harness.TICKPATH, "run", config])
            reader = os.open(fifo, os.O_RDONLY)
            fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
            self.wait_until_it_waits_for_the_pipe(reader)
            program.signal(number)
            time.sleep(0.1)
            with os.fdopen(reader, "rb") as file:
                report = json.loads(file.read())
            self.assertGreater(report["totals"]["frames"], 0)
            program.expect_exit(0)
            os.unlink(fifo)

    def wait_until_it_waits_for_the_pipe(self, reader):
        deadline = time.monotonic() + harness.PATIENCE_S
        waiting = bytearray(4)
        while time.monotonic() < deadline:
            fcntl.ioctl(reader, termios.FIONREAD, waiting)
            if int.from_bytes(waiting, "little") == 4096:
                return
            time.sleep(0.01)
        self.fail("the report does not fill the pipe")

    def test_a_session_store_that_is_removed_stops_orders(self):
        self.write_feed(packets=8000, lure_every=5, loss=0)
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        text = run_config.text("pcap:feed.pcap", pace="x0.2", trade=run_config.trade(filling.peer.port))
        config = self.write("run.xml", text)
        program = self.start("run", config, name="first")
        program.wait_for("receiving")
        shutil.rmtree(self.path("store"))
        second = self.run_to_end("run", config, name="second").expect_exit(1)
        self.assertIn("already runs in another process", second.talk)
        program.wait_for(r"was removed or replaced while in use")
        program.wait_for(r"kill switch thrown \(store removed\)")
        program.signal(signal.SIGINT)
        program.expect_exit(130)

    def test_a_session_store_that_is_cut_short_ends_with_a_line(self):
        self.write_feed(packets=8000, lure_every=5, loss=0)
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        text = run_config.text("pcap:feed.pcap", pace="x0.2", trade=run_config.trade(filling.peer.port))
        program = self.start("run", self.write("run.xml", text))
        program.wait_for("receiving")
        for name in os.listdir(self.path("store")):
            os.truncate(os.path.join(self.path("store"), name), 0)
        program.expect_exit(1)
        self.assertIn("a mapped file was cut short while in use", program.talk)

    def test_sigusr2_prints_a_report_and_goes_on(self):
        program = self.start_endless()
        program.signal(signal.SIGUSR2)
        program.wait_for(r"(?m)^frames \d+")
        program.signal(signal.SIGINT)
        program.expect_exit(130)
        self.assertEqual(program.out.count("\nframes "), 2, program)

    def test_the_kill_switch_stops_orders_under_load(self):
        facts = self.write_feed(packets=8000, lure_every=5, loss=0)
        filling = fix_peer.FillingPeer(fix_peer.Peer())
        self.addCleanup(filling.peer.stop)
        filling.start()
        text = run_config.text("pcap:feed.pcap", pace="capture", trade=run_config.trade(filling.peer.port))
        program = self.start("run", self.write("run.xml", text), "--json")
        deadline = time.monotonic() + harness.PATIENCE_S
        while len(filling.orders) < 50 and time.monotonic() < deadline:
            time.sleep(0.001)
        program.signal(signal.SIGUSR1)
        program.wait_for("kill switch thrown")
        seen_by_then = len(filling.orders)
        report = program.expect_exit(0).json()
        filling.join(harness.PATIENCE_S)
        totals, killed = report["totals"], report["refusals"]["refused_killed"]
        self.assertEqual(report["kill_reason"], "signal")
        self.assertEqual(totals["orders"], len(filling.orders))
        self.assertEqual(totals["fills"], len(filling.orders))
        self.assertLessEqual(len(filling.orders), seen_by_then + 2, "orders after the kill")
        self.assertGreater(killed, 0)
        self.assertEqual(totals["orders"] + killed, facts["orders"], program)
        self.assertIsNotNone(filling.logout, "the session stays up and ends with a Logout")

    def test_the_tick_file_is_whole_after_sigint(self):
        self.write_feed(packets=8000)
        config = self.write("run.xml", run_config.text("pcap:feed.pcap", pace="capture"))
        program = self.start("run", config, "--ticks", self.path("ticks.csv"), "--json")
        program.wait_for("receiving")
        time.sleep(0.5)
        program.signal(signal.SIGINT)
        report = program.expect_exit(130).json()
        header, *lines = harness.read(self.path("ticks.csv")).splitlines()
        self.assertGreater(len(lines), 0)
        self.assertLessEqual(len(lines), report["totals"]["ticks"])
        self.assertEqual({line.count(",") for line in lines}, {header.count(",")}, "a line is cut")


tap.main()
