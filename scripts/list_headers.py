#!/usr/bin/env python3
"""Prints the headers of decoders, dataplane and control, relative to the root: what `meson install` installs."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def headers():
    for house in ("decoders", "dataplane", "control"):
        for folder, folders, names in os.walk(os.path.join(ROOT, house)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".h"):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


if __name__ == "__main__":
    print("\n".join(headers()))
