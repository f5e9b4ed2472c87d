#!/usr/bin/env python3
"""Compares what `tickpath run --ticks` wrote with what the writer of the demo feed says must come out.

usage: compare.py FOLDER TICKS_CSV
Every incremental tick must be there once, in order and equal in every column that the writer knows, from the line
that was first; a snapshot's ticks must be equal where they appear. Exit 1 and the first differences otherwise.
"""
import csv
import os
import sys

DIFFERENCES_SHOWN = 5
BROADCAST_CHANNEL = "NSE-FO"
NOT_AN_ENTRY = "65535"  # status ticks, and the clear before a snapshot, stand for no entry of a message


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def place(row):
    return row["packet_seq"], row["msg"], row["entry"]


def difference(expected, found):
    """The columns that differ, as text; empty when none does."""
    return ", ".join(f"{column} is {found[column]!r}, should be {value!r}"
                     for column, value in expected.items() if found[column] != value)


def is_written_again(row):
    return "replayed" in row["flags"].split("|")


def compare_incrementals(expected, found):
    for number, (right, seen) in enumerate(zip(expected, found), 1):
        text = difference(right, seen)
        if text:
            yield f"tick {number} (packet {right['packet_seq']}, message {right['msg']}, entry {right['entry']}): {text}"
    if len(expected) != len(found):
        yield f"{len(found)} ticks of incremental packets, should be {len(expected)}"


def compare_snapshots(expected, found):
    by_place = {place(row): row for row in expected}
    for seen in found:
        right = by_place.get(place(seen))
        text = "no snapshot has such an entry" if right is None else difference(right, seen)
        if text:
            yield f"snapshot tick (packet {seen['packet_seq']}, entry {seen['entry']}): {text}"
    if expected and not found:
        yield "no tick of a snapshot was written"


def compare_broadcast(folder, found):
    """Where the capture holds an NSE broadcast: its ticks are complete in themselves, none comes from a snapshot."""
    path = os.path.join(folder, "nse_ticks.csv")
    if os.path.exists(path):
        yield from compare_incrementals(rows(path), found)


def compare(folder, ticks_csv):
    found = [row for row in rows(ticks_csv) if row["entry"] != NOT_AN_ENTRY and not is_written_again(row)]
    yield from compare_broadcast(folder, [row for row in found if row["channel"] == BROADCAST_CHANNEL])
    found = [row for row in found if row["channel"] != BROADCAST_CHANNEL]
    yield from compare_incrementals(rows(os.path.join(folder, "ticks.csv")), [row for row in found if row["line"] in ("A", "B")])
    yield from compare_snapshots(rows(os.path.join(folder, "snapshots.csv")), [row for row in found if row["line"] in ("SA", "SB")])


def main(folder, ticks_csv):
    differences = list(compare(folder, ticks_csv))
    for text in differences[:DIFFERENCES_SHOWN]:
        print(f"{ticks_csv}: {text}", file=sys.stderr)
    if differences:
        print(f"{len(differences)} differences from the writer's own values", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
