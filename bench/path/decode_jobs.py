#!/usr/bin/env python3
"""What `tickpath decode --jobs N` gains: packets per second over 1..N threads, on a capture made for it.

Usage: bench/path/decode_jobs.py [--tickpath build/tickpath] [--packets 60000] [--jobs-max CPUS] [--repeat 3] [--json]
The output of each number of jobs is compared with that of one before its time counts. Medians; output goes to a file in memory
where there is one (/dev/shm), so that no disk is measured.
"""
import argparse
import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tickpath", default=os.path.join(ROOT, "build/tickpath"))
    parser.add_argument("--packets", type=int, default=60_000)
    parser.add_argument("--jobs-max", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def decode(options, folder, jobs):
    """Seconds that one run took; its output is in FOLDER/JOBS.jsonl."""
    with open(os.path.join(folder, f"{jobs}.jsonl"), "wb") as out:
        begin = time.monotonic()
        subprocess.run([options.tickpath, "decode", "--feed", os.path.join(ROOT, "templates/feeds/demo.xml"), "--jobs", str(jobs),
                        os.path.join(folder, "feed.pcap")], stdout=out, stderr=subprocess.DEVNULL, check=True)
        return time.monotonic() - begin


def main(arguments):
    options = parse(arguments)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    results = []
    with tempfile.TemporaryDirectory(prefix="tickpath-jobs-", dir=memory) as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts/demo_feed/write.py"), folder, "--packets",
                        str(options.packets)], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "facts.json"), encoding="utf-8") as file:
            frames = json.load(file)["frames"]
        for jobs in range(1, options.jobs_max + 1):
            seconds = statistics.median(decode(options, folder, jobs) for _ in range(options.repeat))
            if not filecmp.cmp(os.path.join(folder, "1.jsonl"), os.path.join(folder, f"{jobs}.jsonl"), shallow=False):
                sys.exit(f"decode_jobs: {jobs} jobs print something else than one")
            results.append({"jobs": jobs, "seconds": round(seconds, 3), "packets_per_second": round(frames / seconds)})
    for result in results:
        result["speed_up"] = round(results[0]["seconds"] / result["seconds"], 2)
    if options.json:
        json.dump({"frames": frames, "results": results}, sys.stdout)
        print()
        return
    print(f"{frames} frames, {os.cpu_count()} CPUs")
    for result in results:
        print(f"{result['jobs']} jobs  {result['seconds']:.2f} s  {result['packets_per_second']} packets/s  {result['speed_up']}x")


if __name__ == "__main__":
    main(sys.argv[1:])
