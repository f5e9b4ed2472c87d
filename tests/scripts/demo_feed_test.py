"""The demo feed's writer: its FAST encoder against the specification's own numbers, its files against each other."""
import csv
import filecmp
import os
import shutil
import struct
import sys
import tempfile
import unittest

import planted
import tap

sys.path.insert(0, os.path.join(planted.ROOT, "scripts/demo_feed"))
import capture_file
import compare
import fast_encoder
import write

TEMPLATE = """<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1"><template name="T" id="1">{}</template></templates>"""


class Bytes(unittest.TestCase):
    def test_unsigned_integers(self):
        for value, wire in ((0, "80"), (127, "ff"), (128, "0180"), (942755, "3945a3"), (2**32 - 1, "0f7f7f7fff")):
            self.assertEqual(fast_encoder.unsigned(value).hex(), wire)

    def test_signed_integers_keep_room_for_the_sign(self):
        for value, wire in ((63, "bf"), (64, "00c0"), (-64, "c0"), (-65, "7fbf"), (8193, "0040" + "81"), (-8193, "7f3fff")):
            self.assertEqual(fast_encoder.signed(value).hex(), wire)

    def test_nullable_integers_move_up_by_one_from_zero(self):
        for value, wire in ((None, "80"), (0, "81"), (-1, "ff")):
            self.assertEqual(fast_encoder.integer(value, True, True).hex(), wire)
        self.assertEqual(fast_encoder.integer(2**32 - 1, False, True).hex(), "1000000080")

    def test_strings_that_are_empty_or_start_with_nul(self):
        for text, plain, nullable in (("", "80", "0080"), ("A", "c1", "c1"), ("\0", "0080", "000080"), ("AB", "41c2", "41c2")):
            self.assertEqual(fast_encoder.ascii_text(text, False).hex(), plain)
            self.assertEqual(fast_encoder.ascii_text(text, True).hex(), nullable)

    def test_presence_maps_drop_trailing_zero_groups(self):
        for bits, wire in (([], "80"), ([1], "c0"), ([0] * 8, "80"), ([0] * 7 + [1], "00c0"), ([1] + [0] * 20, "c0")):
            self.assertEqual(fast_encoder.presence_map(bits).hex(), wire)


class Operators(unittest.TestCase):
    """Messages of one field F, hexadecimal without presence map of the second and the identifier of the first."""

    def encode(self, field, *values):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(TEMPLATE.format(field))
            file.flush()
            encoder = fast_encoder.Encoder(file.name)
        return [encoder.encode("T", {"F": value}).hex() for value in values]

    def test_copy(self):
        self.assertEqual(self.encode('<uInt32 name="F"><copy/></uInt32>', 9, 9, 8), ["e08189", "80", "a088"])

    def test_increment(self):
        self.assertEqual(self.encode('<uInt32 name="F"><increment/></uInt32>', 1, 2, 2), ["e08181", "80", "a082"])

    def test_delta(self):
        self.assertEqual(self.encode('<uInt32 name="F"><delta/></uInt32>', 5, 3, 3), ["c08185", "80fe", "8080"])

    def test_default(self):
        self.assertEqual(self.encode('<uInt32 name="F"><default value="7"/></uInt32>', 7, 8, 7), ["c081", "a088", "80"])

    def test_optional_copy_that_is_absent_and_comes_back(self):
        self.assertEqual(self.encode('<uInt32 name="F" presence="optional"><copy/></uInt32>', None, 4, None, 4),
                         ["c081", "a085", "a080", "a085"])

    def test_decimal_with_operators_of_its_own(self):
        field = '<decimal name="F"><exponent><default value="-2"/></exponent><mantissa><delta/></mantissa></decimal>'
        self.assertEqual(self.encode(field, (10025, -2), (10024, -2), (100, 0)), ["c081" + "004ea9", "80ff", "a080" + "7f32bc"])

    def test_what_cannot_be_said_is_refused(self):
        for field, value in (('<uInt32 name="F"/>', 2**32), ('<uInt32 name="F"/>', None), ('<string name="F"><constant value="X"/></string>', "Y")):
            with self.assertRaises(ValueError):
                self.encode(field, value)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tickpath-demo-feed-")
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, *options):
        folder = os.path.join(self.folder, name)
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            stdout, sys.stdout = sys.stdout, nothing
            try:
                write.main([folder, "--packets", "400", "--lure-from", "100", *options])
            finally:
                sys.stdout = stdout
        return folder

    def test_the_same_seed_gives_the_same_bytes(self):
        one, two, other = self.write("one"), self.write("two"), self.write("other", "--seed", "2")
        for name in sorted(os.listdir(one)):
            self.assertTrue(filecmp.cmp(os.path.join(one, name), os.path.join(two, name), shallow=False), name)
        self.assertFalse(filecmp.cmp(os.path.join(one, "feed.pcap"), os.path.join(other, "feed.pcap"), shallow=False))

    def test_each_line_misses_some_and_both_miss_none(self):
        seen = {"A": [], "B": []}
        for _, group, _, payload in capture_file.read_payloads(os.path.join(self.write("one"), "feed.pcap")):
            for line in seen:
                if group == write.GROUPS[line][0]:
                    seen[line].append(struct.unpack_from("<I", payload)[0])
        for numbers in seen.values():
            self.assertEqual(numbers, sorted(numbers))
            self.assertLess(len(numbers), 400)
        self.assertEqual(set(seen["A"]) | set(seen["B"]), set(range(1, 401)))

    def test_a_hole_is_missing_on_both_lines(self):
        payloads = capture_file.read_payloads(os.path.join(self.write("one", "--hole", "200"), "feed.pcap"))
        numbers = [struct.unpack_from("<I", payload)[0] for _, group, _, payload in payloads if group != write.GROUPS["SA"][0]]
        self.assertNotIn(200, numbers)

    def test_books_never_cross_and_lures_are_the_only_orders(self):
        folder = self.write("one")
        with open(os.path.join(folder, "ticks.csv"), encoding="utf-8") as file:
            quotes = [row for row in csv.DictReader(file) if row["kind"] == "quote" and row["action"] == "add"]
        inside = [row for row in quotes if row["side"] == "bid" and float(row["price"]) >= 100
                  or row["side"] == "ask" and float(row["price"]) <= 99.99]
        with open(os.path.join(folder, "orders.csv"), encoding="utf-8") as file:
            orders = list(csv.DictReader(file))
        self.assertGreater(len(orders), 3)
        self.assertEqual([(row["symbol"], row["price"]) for row in inside], [(row["symbol"], row["price"]) for row in orders])

    def test_a_comparison_finds_a_changed_a_missing_and_a_doubled_tick(self):
        folder = self.write("one")
        with open(os.path.join(folder, "ticks.csv"), encoding="utf-8") as file:
            good = [row | {"flags": ""} for row in csv.DictReader(file)]
        with open(os.path.join(folder, "snapshots.csv"), encoding="utf-8") as file:
            good += [row | {"flags": "snapshot"} for row in csv.DictReader(file)]
        good = [row | {"channel": "DEMO"} for row in good]
        changed = [dict(row) for row in good]
        changed[7]["price"] = "1.00"
        for name, rows, differs in (("good", good, False), ("changed", changed, True), ("missing", good[1:], True),
                                    ("doubled", good[:3] + good[2:], True)):
            path = os.path.join(self.folder, name + ".csv")
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, good[0])
                writer.writeheader()
                writer.writerows(rows)
            self.assertEqual(bool(list(compare.compare(folder, path))), differs, name)


if __name__ == "__main__":
    tap.main()
