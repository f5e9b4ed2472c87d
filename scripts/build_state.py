#!/usr/bin/env python3
"""Says what must happen to a meson build folder before it is what its options ask for.

usage: build_state.py SOURCE BUILD [-Doption=value]...
Prints `absent`, `foreign` (not made by meson), `unusable` (other source folder, other meson, half made),
`reconfigure` (an option differs) or `ready`. Called by scripts/setup.
"""
import json
import os
import subprocess
import sys


def meson_version():
    return subprocess.run(["meson", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def option_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def state(source, build, wanted):
    if not os.path.isdir(build) or not os.listdir(build):
        return "absent"
    if not os.path.isdir(os.path.join(build, "meson-private")) and not os.path.isdir(os.path.join(build, "meson-logs")):
        return "foreign"
    try:
        with open(os.path.join(build, "meson-info", "meson-info.json"), encoding="utf-8") as file:
            info = json.load(file)
        with open(os.path.join(build, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
            options = {option["name"]: option_text(option["value"]) for option in json.load(file)}
    except (OSError, ValueError):
        return "unusable"
    if not os.path.isfile(os.path.join(build, "build.ninja")) or info.get("error"):
        return "unusable"
    if os.path.realpath(info["directories"]["source"]) != os.path.realpath(source):
        return "unusable"
    if os.path.realpath(info["directories"]["build"]) != os.path.realpath(build):
        return "unusable"
    if info["meson_version"]["full"] != meson_version():
        return "unusable"
    return "ready" if all(options.get(name) == value for name, value in wanted.items()) else "reconfigure"


def main(arguments):
    source, build, *options = arguments
    wanted = dict(option.removeprefix("-D").split("=", 1) for option in options)
    print(state(source, build, wanted))


if __name__ == "__main__":
    main(sys.argv[1:])
