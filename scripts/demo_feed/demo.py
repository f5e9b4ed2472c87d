#!/usr/bin/env python3
"""The demo behind scripts/demo: writes a feed, starts an exchange, runs the path, and checks what came out.

Three runs over the same packets: one core, two cores, and, where network namespaces are allowed, live over a virtual
cable. Each run's ticks are compared with the writer's own, and orders with fills. Exit 1 when anything is off.
"""
import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import compare
import write

ROOT = write.ROOT
RUN_TIMEOUT_S = 60
START_TIMEOUT_S = 20
TOTALS = re.compile(r"^frames (\d+)  messages (\d+)  ticks (\d+)  events (\d+)  orders (\d+)  fills (\d+)$", re.MULTILINE)
SECTIONS_SHOWN = ("run ", "frames ", "drops", "refusals", "lines ", "latency ", "workers ")

RUN_CONFIG = """<tickpath>
  <port name="feed" mode="laptop" device="{device}" pace="capture"/>
  <feed description="{root}/templates/feeds/demo.xml" port="feed"/>
  <instruments file="{folder}/instruments.csv"/>
  <workers layout="{layout}"/>
  <trade armed="yes">
    <strategy name="hit-quote" sell_at="100.00" buy_at="99.99" quantity_max="20"/>
    <risk orders_per_second="1000" order_burst="100"/>
    <session sender="TICKPATH" target="EXCHANGE" port="{port}" store="{run}/orders"/>
  </trade>
</tickpath>
"""
EXCHANGE_CONFIG = """<exchange port="0" fill="always" store="{run}/exchange">
  <session sender="EXCHANGE" target="TICKPATH"/>
</exchange>
"""


class Failed(Exception):
    """Something that the demo promises did not happen; the text says what."""


def say(text=""):
    print(text, flush=True)


def write_file(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)


# --- processes ------------------------------------------------------------------------------------------

@contextlib.contextmanager
def process(command, log_path):
    """A process that is ended with the block, its talk in a file that the demo reads."""
    with open(log_path, "w", encoding="utf-8") as log:
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def wait_for(pattern, child, log_path, what):
    """The first match of `pattern` in what the process says."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        found = re.search(pattern, read(log_path))
        if found:
            return found
        if child.poll() is not None:
            break
        time.sleep(0.02)
    raise Failed(f"{what}\n{read(log_path)[-2000:]}")


# --- one run --------------------------------------------------------------------------------------------

def prepare(folder, name):
    run = os.path.join(folder, name)
    shutil.rmtree(run, ignore_errors=True)
    os.makedirs(run)
    write_file(os.path.join(run, "exchange.xml"), EXCHANGE_CONFIG.format(run=run))
    return run


def configure(folder, run, device, layout, port):
    path = os.path.join(run, "run.xml")
    write_file(path, RUN_CONFIG.format(root=ROOT, folder=folder, run=run, device=device, layout=layout, port=port))
    return path


def start_exchange(tickpath, run):
    return process([tickpath, "exchange", os.path.join(run, "exchange.xml")], os.path.join(run, "exchange.log"))


def exchange_port(exchange, run):
    return wait_for(r"127\.0\.0\.1:(\d+)", exchange, os.path.join(run, "exchange.log"), "the exchange did not start")[1]


def show_report(report):
    for section in report.split("\n\n"):
        if section.startswith(SECTIONS_SHOWN):
            say("\n".join("    " + line for line in section.splitlines()))


def show_ticks(ticks_csv, count=3):
    lines = read(ticks_csv).splitlines()
    orders_from = next((number for number, line in enumerate(lines) if ",add,1,,100.0" in line), 1)
    for line in lines[:1] + lines[orders_from:orders_from + count]:
        say("    " + line)


def check(folder, run, report):
    """Every tick as the writer says; every lure an order, every order a fill."""
    if compare.main(folder, os.path.join(run, "ticks.csv")) != 0:
        raise Failed("ticks differ from what the writer of the capture says")
    totals = TOTALS.search(report)
    if totals is None:
        raise Failed(f"no totals in the report:\n{report}")
    orders, fills = int(totals[5]), int(totals[6])
    expected = json.loads(read(os.path.join(folder, "facts.json")))["orders"]
    if not orders == fills == expected:
        raise Failed(f"{orders} orders and {fills} fills, should be {expected} each\n{report}")
    return orders, fills


def finish(folder, run, status, wanted_status):
    report = read(os.path.join(run, "run.log"))
    if status != wanted_status:
        raise Failed(f"tickpath run exited {status}, should be {wanted_status}\n{report[-3000:]}")
    show_ticks(os.path.join(run, "ticks.csv"))
    show_report(report)
    orders, fills = check(folder, run, report)
    say(f"    every tick equal to the writer's; orders = fills = {orders}")
    return orders, fills


def run_command(tickpath, config, run):
    return [tickpath, "run", config, "--ticks", os.path.join(run, "ticks.csv")]


def replay(tickpath, folder, layout):
    run = prepare(folder, layout)
    with start_exchange(tickpath, run) as exchange:
        config = configure(folder, run, f"pcap:{folder}/feed.pcap", layout, exchange_port(exchange, run))
        with process(run_command(tickpath, config, run), os.path.join(run, "run.log")) as path:
            try:
                status = path.wait(RUN_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                raise Failed(f"tickpath run did not end in {RUN_TIMEOUT_S} s\n{read(os.path.join(run, 'run.log'))[-3000:]}") from None
    return finish(folder, run, status, 0)


# --- live, in a network namespace of its own ------------------------------------------------------------

def namespace_command():
    """How this user may enter a network namespace; None when not at all."""
    for command in (["unshare", "-n"], ["unshare", "-Urn"]):
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def lay_cable():
    """send0 --- recv0, both in this namespace: an address and the multicast route on the sending end only."""
    for command in ("link set lo up", "link add send0 type veth peer name recv0", "addr add 10.20.0.1/24 dev send0",
                    "link set send0 up", "link set recv0 up", "route add 224.0.0.0/4 dev send0"):
        subprocess.run(["ip", *command.split()], check=True, capture_output=True, text=True)


def live(tickpath, folder):
    lay_cable()
    run = prepare(folder, "live")
    log = os.path.join(run, "run.log")
    with start_exchange(tickpath, run) as exchange:
        config = configure(folder, run, "af_packet:recv0", "inline", exchange_port(exchange, run))
        with process(run_command(tickpath, config, run), log) as path:
            wait_for("receiving", path, log, "tickpath run did not begin to receive")
            send = [sys.executable, os.path.join(ROOT, "scripts/demo_feed/send.py"), os.path.join(folder, "feed.pcap"), "10.20.0.1"]
            sent = subprocess.run(send, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=True)
            say("    " + sent.stdout.strip())
            time.sleep(0.5)
            path.send_signal(signal.SIGINT)
            status = path.wait(RUN_TIMEOUT_S)
    return finish(folder, run, status, 130)


def live_in_namespace(tickpath, folder):
    command = namespace_command()
    if command is None or shutil.which("ip") is None:
        say("\n== live over a virtual cable: left out, this user may make no network namespace")
        return
    say(f"\n== live over a virtual cable ({' '.join(command)}), AF_PACKET, one core")
    done = subprocess.run([*command, sys.executable, os.path.abspath(__file__), "--live", folder, "--tickpath", tickpath], check=False)
    if done.returncode != 0:
        raise Failed("the live run failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=os.path.join(ROOT, "build/demo"))
    parser.add_argument("--live", action="store_true", help="only the live run, in the network namespace we are in")
    parser.add_argument("--tickpath", default=os.path.join(ROOT, "build/tickpath"), help="the executable to run")
    options = parser.parse_args()
    folder, tickpath = os.path.abspath(options.folder), os.path.abspath(options.tickpath)
    if options.live:
        live(tickpath, folder)
        return
    say(f"== writing a feed of two lines and a snapshot loop into {os.path.relpath(folder, ROOT)}")
    write.main([folder])
    say("\n== replay through DPDK's pcap device, one core")
    orders, fills = replay(tickpath, folder, "inline")
    say("\n== the same, decoding and trading on two cores")
    replay(tickpath, folder, "split")
    live_in_namespace(tickpath, folder)
    say(f"\ndemo: orders = fills = {orders} in each run" if orders == fills > 0 else "\ndemo: no orders")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes it started end with it
    try:
        main()
    except Failed as failure:
        print(f"demo: FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
