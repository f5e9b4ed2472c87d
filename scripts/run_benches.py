#!/usr/bin/env python3
"""Runs the benches of build/bench and keeps each one's JSON in bench/results/. Called by scripts/bench.

usage: run_benches.py [--json] [NAME...]
       run_benches.py --instructions fast
Names: micro (Google Benchmark), instructions (callgrind) and the programs of build/bench with percentiles of their own.
--instructions fast counts what the ten-entry FAST packet costs in each tier, and fails when that is over its gate.
With --json the one object that stdout gets holds all of them; without, a line per number.
"""
import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(ROOT, "build/bench")
RESULTS = os.path.join(ROOT, "bench/results")
PROGRAMS = ("tick-to-order", "ring-hop")
INSTRUCTION_ORDERS = 4096
# Decode, reset, every price and size read; x86-64-v2. The floor has no gate: it is what the other two are compared with.
FAST_GATES = {"runtime": 3900, "generated": 2800}
FAST_PACKETS = 100
TIMEOUT_S = 900


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command):
    """The JSON that a bench prints; its own check of its result fails the whole run."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} exited {done.returncode}")
    return json.loads(done.stdout)


def micro():
    answer = run([os.path.join(BENCH, "tickpath-bench"), "--benchmark_format=json"])
    return {case["name"]: {"cpu_ns": case["cpu_time"], "iterations": case["iterations"]} for case in answer["benchmarks"]}


def collected_in(function, program, *arguments):
    """Instructions inside one function of a bench program: the same on a busy machine as on a quiet one."""
    if shutil.which("valgrind") is None:
        raise RuntimeError("counting instructions takes valgrind: apt-get install valgrind (scripts/setup --tests does)")
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect=*{function}*",
               os.path.join(BENCH, program), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None or int(collected[1]) == 0:
        raise RuntimeError(f"callgrind collected nothing:\n{done.stderr[-1000:]}")
    return int(collected[1])


def instructions():
    """From a frame in memory to the bytes of its order."""
    collected = collected_in("tick_to_order_toggle", "tick-to-order", "--instructions", str(INSTRUCTION_ORDERS))
    return {"tick_to_order": round(collected / INSTRUCTION_ORDERS, 1), "orders": INSTRUCTION_ORDERS}


def fast_instructions():
    """Prints a line per tier; whether all are within their gates."""
    within = True
    for tier in ("floor", *FAST_GATES):
        count = collected_in("fast_instructions_toggle", "fast-instructions", tier, str(FAST_PACKETS)) // FAST_PACKETS
        print(tier, count, flush=True)
        gate = FAST_GATES.get(tier, count)
        if count > gate:
            say(f"bench: {tier} is over its gate of {gate} instructions a packet")
            within = False
    return within


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    build = subprocess.run([os.path.join(ROOT, "build/tickpath"), "version"], capture_output=True, text=True, check=True)
    return {"cpu": model, "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "build": build.stdout.strip().splitlines()}


def benches():
    table = {"micro": micro} if os.path.exists(os.path.join(BENCH, "tickpath-bench")) else {}
    for name in PROGRAMS:
        if os.path.exists(os.path.join(BENCH, name)):
            table[name] = lambda name=name: run([os.path.join(BENCH, name), "--json"])
    if "tick-to-order" in table and shutil.which("valgrind"):
        table["instructions"] = instructions
    return table


def lines(path, value):
    """Every number of nested objects as one line, for people."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from lines(f"{path} {key}".strip(), inner)
    else:
        yield f"{path}: {value:.1f}" if isinstance(value, float) else f"{path}: {value}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="only JSON on stdout")
    parser.add_argument("names", nargs="*", help="benches to run (default: all)")
    parser.add_argument("--instructions", choices=["fast"], help="count instructions and compare them with their gates")
    options = parser.parse_args()
    if options.instructions:
        return 0 if fast_instructions() else 1
    table = benches()
    unknown = set(options.names) - set(table)
    if unknown or not table:
        say(f"no such bench: {', '.join(sorted(unknown)) or 'none was built'} (there are: {', '.join(table) or 'none'})")
        return 2
    results = {"machine": machine()}
    os.makedirs(RESULTS, exist_ok=True)
    for name in options.names or table:
        say(f"bench: {name}")
        results[name] = table[name]()
        with open(os.path.join(RESULTS, name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"machine": results["machine"], name: results[name]}, file, indent=1)
    print(json.dumps(results) if options.json else "\n".join(lines("", results)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
        say(f"bench: {error}")
        sys.exit(1)
