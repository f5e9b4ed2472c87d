#!/usr/bin/env python3
"""Runs a libFuzzer program for $TICKPATH_FUZZ_SECONDS (default 2) from a corpus that it must not change.

usage: run_fuzzer.py PROGRAM CORPUS
An input that fails is kept in the current folder as crash-…, and its bytes are printed. A NAME.dict beside the corpora has the
words of its inputs.
"""
import os
import subprocess
import sys
import tempfile

program, corpus = sys.argv[1:]
words = os.path.join(os.path.dirname(os.path.dirname(corpus)), os.path.basename(corpus) + ".dict")
dictionary = ["-dict=" + words] if os.path.exists(words) else []
seconds = os.environ.get("TICKPATH_FUZZ_SECONDS", "2")
with tempfile.TemporaryDirectory(prefix="tickpath-fuzz-") as found:
    # What it finds goes to the first folder, the others are only read.
    sys.exit(subprocess.run([program, f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-timeout=10", "-print_final_stats=1",
                             *dictionary, found, corpus], check=False).returncode)
