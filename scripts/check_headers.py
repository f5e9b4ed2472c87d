#!/usr/bin/env python3
"""Checks that every header of decoders, dataplane and control compiles alone, as the first and only include.

A header that leans on what its includers happened to include before breaks the users of the installed libraries.
"""
import concurrent.futures
import os
import subprocess
import sys

import check_common
from check_common import Finding

FLAGS = ["-std=c++20", "-fsyntax-only", "-march=x86-64-v2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wnon-virtual-dtor",
         "-Wold-style-cast", "-Woverloaded-virtual", "-Wno-interference-size", "-Werror", "-x", "c++", "-"]


def system_includes():
    """DPDK's folder is the only one outside the compiler's own; its headers are not ours to warn about."""
    answer = subprocess.run(["pkg-config", "--cflags-only-I", "libdpdk"], capture_output=True, text=True, check=False)
    return [flag.replace("-I", "-isystem", 1) for flag in answer.stdout.split()]


def compile_alone(root, compiler, includes, header):
    done = subprocess.run([compiler, "-I", root, *includes, *FLAGS], input=f'#include "{header}"\n',
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines()
    return Finding(header, 1, "alone", f"does not compile alone: {lines[0] if lines else 'no message'}")


def check(root, arguments):
    root = os.path.abspath(root)
    headers = [path for path in check_common.files(root)
               if path.endswith(".h") and path.startswith(("decoders/", "dataplane/", "control/"))]
    includes = system_includes()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        findings = pool.map(lambda header: compile_alone(root, arguments.compiler, includes, header), headers)
        yield from filter(None, findings)


def options(parser):
    parser.add_argument("--compiler", default="g++")


if __name__ == "__main__":
    sys.exit(check_common.run(check, __doc__, options))
