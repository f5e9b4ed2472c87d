#!/usr/bin/env python3
"""The demo behind scripts/demo: writes two feeds, starts an exchange, runs the path, and checks what came out.

Three runs over the same packets: one core, two cores, and, where network namespaces are allowed, live over a virtual
cable. Each run's ticks are compared with the writer's own, and orders with fills. Exit 1 when anything is off.
"""
import argparse
import collections
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
EXCHANGE_TOTALS = re.compile(r"^total +\d+ +(\d+) +(\d+) .*$", re.MULTILINE)
TICK_COLUMNS_SHOWN = ("line", "packet_seq", "symbol", "kind", "side", "action", "level", "price", "quantity", "rpt_seq", "frame")
SECTIONS_SHOWN = ("run ", "drops", "refusals", "lines ", "broadcasts ", "latency ", "workers ")
NSE_DATAGRAMS = 1500

RUN_CONFIG = """<tickpath>
  <port name="feed" mode="laptop" device="{device}" pace="capture"/>
  <feed description="{root}/templates/feeds/demo.xml" port="feed" window_us="{window_us}"/>
  <feed preset="nse-fo" port="feed" interest="known"/>
  <instruments file="{folder}/instruments.csv"/>
  <workers layout="{layout}"/>
  <trade armed="yes" max_tick_age_us="1000000">
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
def process(command, run, name):
    """A process that is ended with the block; what it says is in RUN/NAME.out and RUN/NAME.talk."""
    with open(os.path.join(run, name + ".out"), "w", encoding="utf-8") as out, \
            open(os.path.join(run, name + ".talk"), "w", encoding="utf-8") as talk:
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=talk)
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


def said(run, name):
    return read(os.path.join(run, name + ".talk")) + read(os.path.join(run, name + ".out"))


def wait_for(pattern, child, run, name, what):
    """The first match of `pattern` in what the process says."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        found = re.search(pattern, said(run, name))
        if found:
            return found
        if child.poll() is not None:
            break
        time.sleep(0.02)
    raise Failed(f"{what}\n{said(run, name)[-2000:]}")


# --- one run --------------------------------------------------------------------------------------------

def prepare(folder, name):
    run = os.path.join(folder, name)
    shutil.rmtree(run, ignore_errors=True)
    os.makedirs(run)
    write_file(os.path.join(run, "exchange.xml"), EXCHANGE_CONFIG.format(run=run))
    return run


def configure(folder, run, device, layout, port, window_us=2000):
    path = os.path.join(run, "run.xml")
    write_file(path, RUN_CONFIG.format(root=ROOT, folder=folder, run=run, device=device, layout=layout, port=port,
                                       window_us=window_us))
    return path


def start_exchange(tickpath, run):
    return process([tickpath, "exchange", os.path.join(run, "exchange.xml")], run, "exchange")


def exchange_port(exchange, run):
    return wait_for(r"127\.0\.0\.1:(\d+)", exchange, run, "exchange", "the exchange did not start")[1]


def show(text):
    for line in text.splitlines() or [""]:
        say(("    " + line).rstrip())


def show_ticks(ticks_csv, count=4):
    """A few ticks and columns, from the first quote that is worth hitting on."""
    ticks = compare.rows(ticks_csv)
    first = next((number for number, tick in enumerate(ticks) if tick["action"] == "add" and tick["price"].startswith("100.0")), 0)
    table = [TICK_COLUMNS_SHOWN] + [[tick[column] for column in TICK_COLUMNS_SHOWN] for tick in ticks[first:first + count]]
    widths = [max(map(len, column)) for column in zip(*table)]
    show("\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table))
    show("")


def show_report(report):
    for section in report.split("\n\n"):
        if section.startswith(SECTIONS_SHOWN):
            show(section.rstrip() + "\n ")


def check_counts(folder, report, exchange_said):
    """Every lure of both feeds has become an order and every order a fill, by tickpath's count and by the exchange's."""
    facts = json.loads(read(os.path.join(folder, "facts.json")))
    expected = facts["orders"] + facts["nse_orders"]
    ours, theirs = TOTALS.search(report), EXCHANGE_TOTALS.search(exchange_said)
    if ours is None or theirs is None:
        raise Failed(f"no totals in what was reported:\n{report}\n{exchange_said}")
    counts = {"orders": ours[5], "fills": ours[6], "orders at the exchange": theirs[1], "fills at the exchange": theirs[2]}
    for what, count in counts.items():
        if int(count) != expected:
            raise Failed(f"{count} {what}, should be {expected}\n{report}\n{exchange_said}")
    return expected


def say_by_feed(folder, ticks_csv):
    """How many ticks each feed gave, and how many quotes of it were worth an order."""
    facts = json.loads(read(os.path.join(folder, "facts.json")))
    ticks = collections.Counter(tick["channel"] for tick in compare.rows(ticks_csv))
    for channel, what, orders in (("DEMO", "FAST, two lines and snapshots", facts["orders"]),
                                  (compare.BROADCAST_CHANNEL, "NSE broadcast, LZO1Z", facts["nse_orders"])):
        if not ticks[channel] or not orders:
            raise Failed(f"channel {channel}: {ticks[channel]} ticks, {orders} orders")
        say(f"    {channel:<7} {ticks[channel]:>7} ticks {orders:>5} orders   {what}")


def finish(folder, run, status, wanted_status):
    if status != wanted_status:
        raise Failed(f"tickpath run exited {status}, should be {wanted_status}\n{said(run, 'run')[-3000:]}")
    report = read(os.path.join(run, "run.out"))
    show_ticks(os.path.join(run, "ticks.csv"))
    show_report(report)
    exchange_said = said(run, "exchange")
    show(read(os.path.join(run, "exchange.out")) + " ")
    if compare.main(folder, os.path.join(run, "ticks.csv")) != 0:
        raise Failed("ticks differ from what the writer of the capture says")
    orders = check_counts(folder, report, exchange_said)
    say_by_feed(folder, os.path.join(run, "ticks.csv"))
    say(f"    every tick equal to the writer's; orders = fills = {orders}")
    return orders


def run_command(tickpath, config, run):
    return [tickpath, "run", config, "--ticks", os.path.join(run, "ticks.csv")]


def replay(tickpath, folder, layout):
    run = prepare(folder, layout)
    with start_exchange(tickpath, run) as exchange:
        config = configure(folder, run, f"pcap:{folder}/feed.pcap", layout, exchange_port(exchange, run))
        with process(run_command(tickpath, config, run), run, "run") as path:
            try:
                status = path.wait(RUN_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                raise Failed(f"tickpath run did not end in {RUN_TIMEOUT_S} s\n{said(run, 'run')[-3000:]}") from None
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
    with start_exchange(tickpath, run) as exchange:
        # The sender is a script: on a busy machine it may pause for longer than a venue between one line and the other.
        config = configure(folder, run, "af_packet:recv0", "inline", exchange_port(exchange, run), window_us=1_000_000)
        with process(run_command(tickpath, config, run), run, "run") as path:
            wait_for("receiving", path, run, "run", "tickpath run did not begin to receive")
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
    say(f"== writing a FAST feed of two lines and a snapshot loop, and an NSE broadcast, into {os.path.relpath(folder, ROOT)}")
    write.main([folder, "--nse", str(NSE_DATAGRAMS)])
    say("\n== replay through DPDK's pcap device, one core")
    orders = replay(tickpath, folder, "inline")
    say("\n== the same, decoding and trading on two cores")
    replay(tickpath, folder, "split")
    live_in_namespace(tickpath, folder)
    if orders == 0:
        raise Failed("the feed holds nothing worth hitting")
    say(f"\ndemo: orders = fills = {orders} in each run")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes it started end with it
    try:
        main()
    except Failed as failure:
        print(f"demo: FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
