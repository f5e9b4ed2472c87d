#!/usr/bin/env python3
"""Runs the test suites of one level and prints, last, `N passed, N failed, N skipped`. Called by scripts/test.

quick    every suite once on the release build, of the fuzzers the corpora alone
all      more repetitions; address, undefined-behaviour and thread sanitizers; 10 s for each fuzzer; emulated network cards
nightly  the same with full counts and 2 minutes for each fuzzer
Exit code 1 when a test failed or none ran.
"""
import argparse
import dataclasses
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import build_state
import count_tests

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUZZ_SECONDS = {"quick": 2, "all": 10, "nightly": 120}
# What two threads share is in these rooms; the rest is one thread's own and would only take time.
THREAD_PROGRAMS = ("decoders-fast-sharing", "dataplane-core", "dataplane-pipeline", "dataplane-trade", "dataplane-fix_engine",
                   "dataplane-exchange", "control-journal")


@dataclasses.dataclass
class Stage:
    """One `meson test` call; `jobs` is 1 where programs would take each other's cores and spoil the timing."""
    name: str
    build: str
    suites: tuple = ()
    programs: tuple = ()
    prefix: str = ""  # of the suites' programs only those whose name begins so
    jobs: int = 1
    level: str = "quick"
    timeout_s: int = 600
    timeout_multiplier: float = 1
    preset: str = ""
    is_built_late: bool = False  # in build/, but not by scripts/setup


def stages(level):
    cores = len(os.sched_getaffinity(0))
    multiplier = {"quick": 1, "all": 4, "nightly": 40}[level]
    plan = [
        Stage("codecs and rooms", "build", ("unit", "conformance", "tidy"), jobs=cores, level=level,
              timeout_s=480 * multiplier, timeout_multiplier=multiplier),
        Stage("whole paths", "build", ("system",), level=level,
              timeout_s=480 * multiplier, timeout_multiplier=multiplier),
    ]
    if level == "quick":
        plan.append(Stage("fuzz corpora", "build", ("fuzz",), prefix="fuzz-corpus-", jobs=cores, level=level, timeout_s=120))
    else:
        plan += [
            Stage("emulated network cards", "build", ("nic",), level=level, timeout_s=900),
            Stage("fuzzers", "build", ("fuzz",), is_built_late=True, jobs=cores, level=level,
                  timeout_s=120 + 60 * FUZZ_SECONDS[level], timeout_multiplier=multiplier),
            Stage("address and undefined-behaviour sanitizers", "b-asan", ("unit", "conformance"),
                  preset="asan", timeout_s=1500, timeout_multiplier=5),
            Stage("thread sanitizer", "b-tsan", programs=THREAD_PROGRAMS, preset="tsan", timeout_s=900,
                  timeout_multiplier=10),
        ]
    return plan


def say(text):
    print(text, flush=True)


def call(command, timeout_s, env=None):
    """Runs a command in its own process group and ends the whole group when its time is over."""
    process = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True, stdin=subprocess.DEVNULL)
    try:
        return process.wait(timeout_s)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as stopped:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if isinstance(stopped, KeyboardInterrupt):
            raise
        return None


def introspect(build, what):
    answer = subprocess.run(["meson", "introspect", build, what], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def is_of(stage, test):
    suites = {suite.rpartition(":")[2] for suite in test["suite"]}
    return (bool(suites & set(stage.suites)) and test["name"].startswith(stage.prefix)) or test["name"] in stage.programs


def files_of(stage):
    """The ninja targets that this stage's programs are and depend on: a sanitizer build of all is for nothing."""
    build = os.path.join(ROOT, stage.build) + os.sep
    targets = {target["id"]: target["filename"] for target in introspect(stage.build, "--targets")}
    files = set()
    for test in introspect(stage.build, "--tests"):
        if is_of(stage, test):
            files |= {name for name in test["cmd"] if name.startswith(build) and name in sum(targets.values(), [])}
            files |= {name for target in test["depends"] for name in targets[target]}
    return sorted(name.removeprefix(build) for name in files)


def build_files(stage):
    jobs = os.environ.get("TICKPATH_JOBS") or str(len(os.sched_getaffinity(0)))
    return call(["ninja", "--quiet", "-C", stage.build, "-j", jobs, *files_of(stage)], 2400) == 0


def prepare(stage):
    """Configures and builds a sanitizer build folder; build/ itself is made by scripts/setup."""
    if not stage.preset and not stage.is_built_late:
        return True
    if not stage.preset:
        return build_files(stage)
    options = ["-Dtests=enabled", "-Dbench=disabled"]
    state = build_state.state(ROOT, os.path.join(ROOT, stage.build), {})
    if state == "unusable":
        shutil.rmtree(os.path.join(ROOT, stage.build))
    if state != "ready":
        preset = f"scripts/presets/{stage.preset}.ini"
        if call(["meson", "setup", stage.build, "--native-file", preset, *options], 300) != 0:
            return False
    return build_files(stage)


def test_command(stage, logbase):
    command = ["meson", "test", "-C", stage.build, "--no-rebuild", "--print-errorlogs", "--logbase", logbase,
               "--num-processes", str(stage.jobs), "--timeout-multiplier", str(stage.timeout_multiplier)]
    if stage.prefix:
        return command + [test["name"] for test in introspect(stage.build, "--tests") if is_of(stage, test)]
    for suite in stage.suites:
        command += ["--suite", suite]
    return command + list(stage.programs)


def run_stage(stage):
    tally = count_tests.Tally()
    say(f"\n== {stage.name} ({stage.build})")
    if not prepare(stage):
        tally.fail(f"{stage.build}: could not be built")
        return tally
    logbase = "stage-" + stage.name.split()[0]
    logs = os.path.join(ROOT, stage.build, "meson-logs", logbase)
    # A program that dies before it writes its results must not be counted by those of an earlier run.
    for stale in glob.glob(os.path.join(ROOT, stage.build, "*.xml")) + [logs + ".json", logs + ".junit.xml"]:
        if os.path.exists(stale):
            os.remove(stale)
    env = os.environ | {"TICKPATH_TEST_LEVEL": stage.level, "TICKPATH_FUZZ_SECONDS": str(FUZZ_SECONDS[stage.level])}
    if stage.preset == "tsan":
        env["TSAN_OPTIONS"] = "suppressions=" + os.path.join(ROOT, "scripts/presets/tsan.supp")
    status = call(test_command(stage, logbase), stage.timeout_s, env)
    try:
        tally.add(count_tests.count(logs + ".json", logs + ".junit.xml"))
        for score in count_tests.scores(logs + ".json"):
            say(score)
        for reason in count_tests.skip_reasons(logs + ".json"):
            say("skipped: " + reason)
    except OSError:
        status = status or 1  # no log: meson itself failed, or found nothing to run
    if status is None:
        tally.fail(f"{stage.name}: stopped after {stage.timeout_s} s")
    elif status != 0 and tally.failed == 0:
        tally.fail(f"{stage.name}: meson test exited {status}")
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", choices=("quick", "all", "nightly"), default="quick")
    level = parser.parse_args().level
    total = count_tests.Tally()
    started = time.monotonic()
    for stage in stages(level):
        stage_started = time.monotonic()
        tally = run_stage(stage)
        tally.failures = [f"{failure} ({stage.build})" for failure in tally.failures]
        total.add(tally)
        say(f"== {stage.name}: {tally}, {time.monotonic() - stage_started:.0f} s")
    for failure in total.failures:
        say(f"FAILED {failure}")
    say(f"level {level}, {time.monotonic() - started:.0f} s in all")
    say(str(total))
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
