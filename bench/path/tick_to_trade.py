#!/usr/bin/env python3
"""Tick-to-trade over a wire, by tcpdump on it: the bench behind scripts/bench --tick-to-trade. See bench/path/README.md.

usage: scripts/bench --tick-to-trade [--json] [--interval S] [--count N] [--warm-up N] [--rates R,R…] [--load-seconds S]
  --interval S      pause before each tick that is measured (default 5)
  --count N         ticks that are measured, each in floor, cold and warm (default 16)
  --warm-up N       updates without an order before them (default 1000000)
  --rates R,R…      offered frames a second of the loaded part (default 20000,50000,100000,200000)
  --load-seconds S  how long each rate is offered (default 3)
Exit code 1 when a check fails: an order missing, or a frame neither received nor in a counted hole; 77 when network
namespaces are not permitted. With the defaults it takes about 6 minutes, and at most 8.
"""
import argparse
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/system"))

import harness  # noqa: E402  (the path above leads to it)
import network_lab  # noqa: E402

BENCH = os.environ.get("TICKPATH_BENCH") or os.path.join(ROOT, "build/bench")
FEED = os.path.join(ROOT, "templates/feeds/bench.xml")
RECEIVER_ADDRESS = "10.9.0.2"
PORT = 9876
TRIGGER_SOURCE_PORT = 40001
SKIPPED = 77
WARM_INTERVAL_US = 2000
WARM_UP_RATE = 100_000
RING_FRAMES = 16384
# A hole makes the books invalid for the rest of a part: no orders come. Such a part is measured again, as long as all repetitions
# together take no longer than this: the default run must end within 8 minutes.
REPETITIONS_S = 110
CAPTURE_BLOCK_S = 1.5  # tcpdump is handed what the kernel caught after a second at the latest, and forgets the rest when it is told to end
EVERY = 500  # of the loaded part: one datagram in so many leads to an order
GATE_NS = 1000
INSTRUMENT_COUNT = 8
SELL_AT = "22450.50"  # warm-up updates bid less, triggers as much or more

RUN_CONFIG = """<tickpath>
  <port name="feed" device="af_packet:{interface}" ring_frames="{ring_frames}"/>
  <feed description="{feed}" port="feed"/>
  <instruments file="instruments.csv"/>
  <workers layout="inline" idle="spin"><receive name="r0" cpu="{cpu}" ports="feed"/></workers>
  <trade armed="yes" warm_interval_us="{warm_us}" max_tick_age_us="0">
    <strategy name="hit-quote" sell_at="{sell_at}" quantity_max="50"/>
    <risk orders_per_second="0" position_gross_max="0" position_net_max="0" notional_max="0" rejects_max="0"/>
    <session sender="TICKPATH" target="EXCHANGE" host="{host}" port="{port}" store="{store}"/>
  </trade>
</tickpath>
"""
EXCHANGE_CONFIG = """<exchange host="{host}" port="{port}" fill="never" store="{store}">
  <session sender="EXCHANGE" target="TICKPATH"/>
</exchange>
"""
# Reads and drops what the floor sends.
SINK = """import socket
listener = socket.create_server(("{host}", {port}))
print("listening", flush=True)
peer = listener.accept()[0]
while peer.recv(65536): pass
"""


class Failed(Exception):
    """A check did not hold; the text says which and where."""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Wire:
    """The veth pair, tcpdump on the receiver's end, and the programs of one part; all end with the block."""

    def __init__(self, lab, folder, name, cpus):
        self.lab, self.name, self.cpus = lab, name, cpus
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.capture = os.path.join(self.folder, "wire.pcap")
        self.programs = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.programs.close()

    def start(self, inside, command, name, cpus=None):
        """All but the worker shares one CPU."""
        words = inside(["taskset", "-c", cpus or self.cpus["others"], *command])
        program = harness.Program(words, self.folder, name)
        self.programs.callback(program.end)
        return program

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start_tcpdump(self):
        words = ["tcpdump", "-i", network_lab.RECEIVER, "-w", self.capture, "--time-stamp-precision=nano", "-s", "512", "-B", "65536",
                 "-U", "-Z", "root", f"(udp and src port {TRIGGER_SOURCE_PORT}) or tcp port {PORT}"]
        self.tcpdump = self.start(self.lab.on_receiver, words, "tcpdump")
        self.tcpdump.wait_for("listening on")

    def start_exchange(self):
        config = self.write("exchange.xml", EXCHANGE_CONFIG.format(host=network_lab.SENDER_ADDRESS, port=PORT, store="exchange"))
        self.exchange = self.start(self.lab.on_sender, [harness.TICKPATH, "exchange", config], "exchange")
        self.exchange.wait_for(rf":{PORT}")

    def start_run(self, warm_us):
        self.write("instruments.csv", "key,symbol,price_places,quantity_places\n" +
                   "".join(f"{35001 + i},FUT-{i}-12.26,2,0\n" for i in range(INSTRUMENT_COUNT)))
        config = self.write("run.xml", RUN_CONFIG.format(
            interface=network_lab.RECEIVER, ring_frames=RING_FRAMES, feed=FEED, cpu=self.cpus["worker"], warm_us=warm_us, sell_at=SELL_AT,
            host=network_lab.SENDER_ADDRESS, port=PORT, store="orders"))
        both = f"{self.cpus['others']},{self.cpus['worker']}"
        program = self.start(self.lab.on_receiver, [harness.TICKPATH, "run", config, "--json"], "run", both)
        network_lab.wait_until_joined(self.lab, {"239.192.30.1"}, program)
        self.exchange.wait_for("logged on")
        program.wait_for("receiving")  # from here on; the groups were joined, and the ring filled, before
        if "RLIMIT_MEMLOCK is" in program.talk:
            raise Failed(f"the ring has fewer than {RING_FRAMES} frames, so what it must hold is not known: ulimit -l unlimited")
        return program

    def send(self, *, warm_up=0, rate=WARM_UP_RATE, interval_ms=0, triggers=0, loaded=0):
        words = [os.path.join(BENCH, "wire-sender"), network_lab.SENDER_ADDRESS, warm_up, rate, interval_ms, triggers, loaded, EVERY]
        sender = self.start(self.lab.on_sender, words, "sender")
        sender.expect_exit(0, 60 + 3 * (warm_up + loaded) / rate + triggers * interval_ms / 1000)
        time.sleep(0.3)  # the rest of the ring, and the last order's way
        return sender.json()

    def stop(self, program, code):
        program.signal(signal.SIGINT)
        program.expect_exit(code)
        time.sleep(CAPTURE_BLOCK_S)
        self.tcpdump.signal(signal.SIGINT)
        self.tcpdump.expect_exit(0)
        return program.json()

    def study(self):
        """What tickpath latency says of the capture."""
        words = [harness.TICKPATH, "latency", self.capture, "--feed", FEED, "--json"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=harness.PATIENCE_S, check=False)
        if not done.stdout:
            raise Failed(f"{self.name}: tickpath latency exited {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)


def percentiles(study):
    """Without an order there is none: null, never 0."""
    ns = study["som_sof_ns"] if study["orders_matched"] else dict.fromkeys(("p50", "p99", "min", "max")) | {"count": 0}
    return {"p50_ns": ns["p50"], "p99_ns": ns["p99"], "min_ns": ns["min"], "max_ns": ns["max"], "count": ns["count"]}


def expect_every_order(name, sent, orders, study):
    if not sent["triggers"] == orders == study["orders_matched"] == study["orders"]:
        raise Failed(f"{name}: {sent['triggers']} ticks that should lead to an order, {orders} orders sent, {study['orders']} on the wire, "
                     f"{study['orders_matched']} of them joined with their tick")


def measure_floor(wire, wishes, warm_us):
    sink = wire.start(wire.lab.on_sender, [sys.executable, "-c", SINK.format(host=network_lab.SENDER_ADDRESS, port=PORT)], "sink")
    sink.wait_for("listening")
    wire.start_tcpdump()
    words = [os.path.join(BENCH, "wire-floor"), network_lab.RECEIVER, network_lab.SENDER_ADDRESS, PORT, wire.cpus["worker"], warm_us]
    floor = wire.start(wire.lab.on_receiver, words, "floor")
    floor.wait_for("ready")
    sent = wire.send(warm_up=wishes.warm_up, interval_ms=wishes.interval_ms, triggers=wishes.count)
    report = wire.stop(floor, 0)
    study = wire.study()
    expect_every_order(wire.name, sent, report["orders"], study)
    return percentiles(study)


def counter(report, suffix):
    return sum(value for name, value in report["counters"].items() if name.endswith("." + suffix))


def longest_stall_ns(report):
    """Of the worker: in a loop with frames, or between two polls."""
    return max(counter(report, "longest_gap_ns"), *(worker["longest_loop_ns"] for worker in report["workers"]))


def account(name, sent, report):
    """Every frame sent was received or is in a hole that was counted."""
    received, holes = counter(report, "routed"), counter(report, "missing_packets")
    if sent["sent"] != received + holes:
        raise Failed(f"{name}: {sent['sent']} sent, but {received} received and {holes} counted in holes")
    return received, holes


def backlog_drops():
    """Frames that the kernel threw away before any ring, of all CPUs: its queue of received ones was full (netdev_max_backlog)."""
    with open("/proc/net/softnet_stat", encoding="utf-8") as file:
        return sum(int(line.split()[1], 16) for line in file)


def ring_lasts_ns(rate):
    return RING_FRAMES * 1_000_000_000 // rate


def judge_load(name, rate, holes, stall_ns, dropped):
    """A loss needs a stall of the worker longer than its ring lasts at this rate, or the kernel's word that it lost as many before."""
    if holes > dropped and stall_ns <= ring_lasts_ns(rate):
        raise Failed(f"{name}: {holes} frames lost, but the worker was never away for longer ({stall_ns} ns) than the ring lasts "
                     f"({ring_lasts_ns(rate)} ns), and the kernel dropped {dropped} before it")


def measure_run(wire, warm_us, rate=WARM_UP_RATE, **load):
    """One run whose every frame is accounted for, and every order when no frame was lost."""
    wire.start_exchange()
    wire.start_tcpdump()
    program = wire.start_run(warm_us)
    dropped = -backlog_drops()
    sent = wire.send(rate=rate, **load)
    dropped += backlog_drops()
    report, study = wire.stop(program, 130), wire.study()
    received, holes = account(wire.name, sent, report)
    stall_ns = longest_stall_ns(report)
    judge_load(wire.name, rate, holes, stall_ns, dropped)
    if holes == 0:
        expect_every_order(wire.name, sent, report["totals"]["orders"], study)
    return {**percentiles(study), "sent": sent["sent"], "received": received, "holes": holes, "longest_stall_ns": stall_ns,
            "ring_lasts_ns": ring_lasts_ns(rate), "backlog_dropped": dropped, "sent_per_second": round(sent["loaded_per_second"])}


def measure_quiet(wire, wishes, warm_us):
    result = measure_run(wire, warm_us, warm_up=wishes.warm_up, interval_ms=wishes.interval_ms, triggers=wishes.count)
    del result["sent_per_second"]
    return result


def measure_loaded(wire, rate, wishes):
    return {"rate": rate, **measure_run(wire, WARM_INTERVAL_US, rate=rate, loaded=int(rate * wishes.load_seconds))}


def choose_cpus():
    """One CPU for the worker and one for everything else, where there are two."""
    allowed = sorted(os.sched_getaffinity(0))
    return {"worker": str(allowed[-1]), "others": str(allowed[0])}


def measure(wishes, folder):
    cpus = choose_cpus()
    quiet_s = 3 * (wishes.warm_up / WARM_UP_RATE + wishes.count * wishes.interval)
    say(f"worker on CPU {cpus['worker']}, everything else on CPU {cpus['others']}; {wishes.count} ticks, {wishes.interval} s between them, "
        f"in each of floor, cold and warm: {quiet_s:.0f} s; then {len(wishes.rates)} rates")
    results = {"cpus": cpus, "interval_s": wishes.interval, "warm_up": wishes.warm_up}

    left_s = REPETITIONS_S

    def part(name, work, *arguments):
        say(name)
        nonlocal left_s
        for attempt in itertools.count():
            began = time.monotonic()
            with network_lab.NetworkLab(rootless=False) as lab:
                prepare_receiver(lab)
                with Wire(lab, os.path.join(folder, str(attempt)), name, cpus) as wire:
                    result = work(wire, *arguments)
            took_s = time.monotonic() - began
            if not result.get("holes"):
                return result
            say(f"{name}: {result['holes']} frames lost; the worker's longest stall took {result['longest_stall_ns']} ns, the kernel dropped {result['backlog_dropped']}")
            if took_s > left_s:
                return result
            left_s -= took_s

    floor = part("floor", measure_floor, wishes, WARM_INTERVAL_US)
    results["floor_ns"] = {name.removesuffix("_ns"): value for name, value in floor.items()}
    results["cold"] = part("cold", measure_quiet, wishes, 0)
    results["warm"] = part("warm", measure_quiet, wishes, WARM_INTERVAL_US)
    if None in (results["cold"]["p50_ns"], results["warm"]["p50_ns"]):
        raise Failed("frames were lost during each warm-up, so no order came: nothing was measured. Is the machine quiet?")
    results["gate_met"] = results["warm"]["p50_ns"] <= floor["p50_ns"] + GATE_NS
    results["loaded"] = [part(f"loaded-{rate}", measure_loaded, rate, wishes) for rate in wishes.rates]
    return results


def prepare_receiver(lab):
    lab.do(lab.on_receiver(["ip", "address", "add", RECEIVER_ADDRESS + "/24", "dev", network_lab.RECEIVER]))
    lab.do(lab.on_receiver(["ip", "link", "set", "lo", "up"]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--interval", type=float, default=5)
    parser.add_argument("--count", type=int, default=16)
    parser.add_argument("--warm-up", type=int, default=1_000_000)
    parser.add_argument("--rates", default="20000,50000,100000,200000")
    parser.add_argument("--load-seconds", type=float, default=3)
    wishes = parser.parse_args()
    wishes.rates = [int(rate) for rate in wishes.rates.split(",") if rate]
    wishes.interval_ms = int(wishes.interval * 1000)
    if wishes.count < 1 or wishes.warm_up < 0 or wishes.interval < 0 or any(not 1 <= rate <= 200_000 for rate in wishes.rates):
        parser.error("--count from 1, --warm-up and --interval from 0, --rates from 1 to 200000")
    return wishes


def show(results):
    for name in ("floor_ns", "cold", "warm"):
        print(f"{name}: " + "  ".join(f"{key} {value}" for key, value in results[name].items()))
    print(f"gate (warm p50 <= floor + {GATE_NS} ns): {'met' if results['gate_met'] else 'not met'}")
    for row in results["loaded"]:
        print("loaded: " + "  ".join(f"{key} {value}" for key, value in row.items()))


def main():
    wishes = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends
    with tempfile.TemporaryDirectory(prefix="tickpath-bench-") as folder:
        results = measure(wishes, folder)
    print(json.dumps(results)) if wishes.json else show(results)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except unittest.SkipTest as skip:
        say(f"not possible here: {skip}")
        sys.exit(SKIPPED)
    except (Failed, AssertionError) as failure:
        say(str(failure))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
