"""tickpath decode and templates: the venues' captures value for value, plain files in each framing, each output format, and what
is said about input that is wrong."""
import csv
import gzip
import io
import itertools
import json
import os

import harness
import tap

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FEEDS = os.path.join(SHARED, "data/feeds")
FAST = os.path.join(SHARED, "data/fast")
FORTS = f"{FEEDS}/moex-forts-2013"
# expected.csv leaves out the second line, which says the same.
FORTS_LINES = {"239.192.70.3:40003": "A", "239.192.70.4:40004": "SA"}
TEMPLATE_IDS = {"DefaultIncrementalRefreshMessage": "74", "DefaultSnapshotMessage": "75", "TradingSessionStatus": "66",
                "SequenceReset": "49"}

OWN_TEMPLATES = """<templates>
<template name="Quote" id="1"><uInt32 name="n"><increment/></uInt32>
  <sequence name="entries"><string name="symbol"><copy/></string><decimal name="price" presence="optional"/></sequence></template>
<template name="Note" id="2"><string name="text" charset="unicode"/><byteVector name="raw" presence="optional"/></template>
<template name="Reset" id="120" reset="Y"/>
</templates>"""
# n 7, AB at 107.15 and without price; the notes hold "Å", a comma and a quotation mark, and bytes that are no UTF-8.
QUOTE = bytes.fromhex("e08187" "82" "c041c2" "ff" "0053db" "8080")
NOTE = bytes.fromhex("c08285" "c3852c2241" "82ff")
BAD_NOTE = bytes.fromhex("c08281" "ff" "80")


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text_of(value):
    return "" if value is None else str(value)


def decimal_cells(value):
    return [text_of(value["m"]), text_of(value["e"])] if value else ["", ""]


def forts_row(line, message, entry):
    fields = message["fields"]
    around = entry if message["template"] == "DefaultIncrementalRefreshMessage" else fields
    return [line, TEMPLATE_IDS[message["template"]], text_of(fields.get("MsgSeqNum")), text_of(fields.get("SendingTime")),
            text_of(fields.get("LastMsgSeqNumProcessed")), text_of(entry.get("MDUpdateAction")),
            text_of(entry.get("MDEntryType")), text_of(around.get("SecurityID")), text_of(around.get("RptSeq")),
            text_of(entry.get("MDPriceLevel")), *decimal_cells(entry.get("MDEntryPx")), text_of(entry.get("MDEntrySize")),
            text_of(entry.get("MDEntryTime"))]


class Decode(harness.SystemTest):
    def decode(self, *arguments, code=0, name="decode"):
        return self.run_to_end("decode", *arguments, name=name).expect_exit(code)

    def messages(self, *arguments, code=0):
        return [json.loads(line) for line in self.decode(*arguments, code=code).out.splitlines()]

    def write_bytes(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def own(self, content, *arguments, code=0, reset="datagram"):
        """Program that decodes these bytes by OWN_TEMPLATES."""
        templates = self.write("own.xml", OWN_TEMPLATES)
        return self.decode("--templates", templates, "--reset", reset, *arguments, self.write_bytes("own.dat", content), code=code)


class Captures(Decode):
    def setUp(self):
        super().setUp()
        if not os.path.exists(FORTS):
            self.skipTest("no shared data")

    def expect_rows(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for number, (row, wanted) in enumerate(zip(found, expected)):
            self.assertEqual(row, list(wanted.values()), f"row {number}")

    def test_forts_2013_has_no_error_and_the_entries_of_the_expected_file(self):
        messages = self.messages("--feed", "moex-spectra-2013", "--templates", f"{FORTS}/templates.xml", "--format", "jsonl",
                                 f"{FORTS}/forts-book5.pcap")
        self.assertEqual(len(messages), 2 * 17_697, "a reset and a message in each packet")
        self.assertFalse([message for message in messages if "error" in message])
        found = []
        for message in messages:
            if message["group"] in FORTS_LINES and message["template"] in TEMPLATE_IDS:
                entries = message["fields"].get("MDEntries", [{}])
                found += [forts_row(FORTS_LINES[message["group"]], message, entry) for entry in entries]
        expected = rows(f"{FORTS}/expected.csv")
        for line in ("A", "SA"):  # in order within each line
            self.expect_rows([row for row in found if row[0] == line], [row for row in expected if row["line"] == line])

    def expect_asts(self, folder, capture, templates, last_columns):
        messages = self.messages("--feed", "moex-asts", "--templates", f"{FEEDS}/{folder}/{templates}",
                                 f"{FEEDS}/{folder}/{capture}")
        found = []
        for message in messages:
            for entry in message["fields"]["GroupMDEntries"]:
                price, size = decimal_cells(entry.get("MDEntryPx")), decimal_cells(entry.get("MDEntrySize"))
                found.append([text_of(message["fields"][name]) for name in ("MsgSeqNum", "SendingTime")] +
                             [text_of(entry.get(name)) for name in ("MDUpdateAction", "MDEntryType", "MDEntryID", "Symbol",
                                                                    "RptSeq", "MDEntryTime", "OrigTime")] +
                             last_columns(entry, price, size))
        self.expect_rows(found, rows(f"{FEEDS}/{folder}/expected.csv"))

    def test_asts_2017_order_log_has_the_entries_of_the_expected_file(self):
        self.expect_asts("moex-asts-2017", "asts-curr-olr-a.pcap", "asts-FIX50SP2-2017-Mar.xml",
                         lambda entry, price, size: price + size + [
                             text_of(entry.get(name)) for name in ("OrderStatus", "TradingSessionID", "TradingSessionSubID")])

    def test_asts_2019_trades_have_the_entries_of_the_expected_file(self):
        self.expect_asts("moex-asts-2019-trades", "asts-fond-tlr-a.pcap", "templates.xml",
                         lambda entry, price, size: [text_of(entry.get("OrderSide"))] + price + size)

    def expect_same_lines(self, recording, *arguments):
        program = self.decode(*arguments, f"{FAST}/{recording}", name=os.path.basename(recording))
        with gzip.open(f"{FAST}/{recording}.expected.jsonl.gz", "rt", encoding="utf-8") as file:
            for number, (found, wanted) in enumerate(itertools.zip_longest(program.out.splitlines(), file)):
                self.assertEqual(found, wanted and wanted.rstrip("\n"), f"line {number} of {recording}")

    def test_files_without_framing(self):
        for name in ("increment_a", "snapshot", "increment_b_first_third"):
            self.expect_same_lines(f"rts-forts-2013/{name}.dat", "--templates", f"{FAST}/rts-forts-2013/templates.xml",
                                   "--reset", "never", "--framing", "none")

    def test_files_with_a_number_before_each_message(self):
        self.expect_same_lines("moex-asts-olr-2019/data.dat", "--templates", f"{FAST}/moex-asts-olr-2019/test.xml",
                               "--reset", "message", "--framing", "u32le-sequence")
        self.expect_same_lines("moex-asts-olr-2019/data.dat", "--templates", f"{FAST}/moex-asts-olr-2019/test.xml",
                               "--feed", "moex-asts")

    def test_files_with_a_length_before_each_message(self):
        for reset in ("message", "datagram", "never"):
            self.expect_same_lines("quickfast-complex30000/complex30000.dat", "--templates",
                                   f"{FAST}/quickfast-complex30000/example.xml", "--reset", reset, "--framing", "u32le-length")

    def test_the_text_form(self):
        with open(f"{FAST}/cqg/cases.json", encoding="utf-8") as file:
            cases = json.load(file)
        for case in cases:
            content = b"".join(map(bytes.fromhex, case["messages_hex"]))
            program = self.decode("--templates", f"{FAST}/cqg/templates.xml", "--reset", "never", "--format", "text",
                                  self.write_bytes(case["name"], content), name=case["name"] + "-text")
            self.assertEqual(program.out.splitlines(), case["expected_text"])


class OwnFiles(Decode):
    def test_json_lines(self):
        lines = self.own(QUOTE + NOTE + BAD_NOTE).out.splitlines()
        self.assertEqual(lines, [
            '{"template":"Quote","start":0,"end":13,"fields":{"n":7,"entries":[{"symbol":"AB","price":{"m":10715,"e":-1}},'
            '{"symbol":"AB"}]}}',
            '{"template":"Note","start":13,"end":23,"fields":{"text":"Å,\\"A","raw":"hex:ff"}}',
            '{"template":"Note","start":23,"end":28,"fields":{"text":"hex:ff"}}'])

    def test_text(self):
        self.assertEqual(self.own(QUOTE, "--format", "text").out,
                         "Quote=<n=7|entries=<symbol=AB|price=1071.5><symbol=AB>>\n")

    def test_csv_has_a_row_per_innermost_entry(self):
        table = list(csv.reader(io.StringIO(self.own(QUOTE + NOTE, "--format", "csv").out)))
        self.assertEqual(table, [["template", "n", "entries/symbol", "entries/price", "text", "raw"],
                                 ["Quote", "7", "AB", "1071.5", "", ""],
                                 ["Quote", "7", "AB", "", "", ""],
                                 ["Note", "", "", "", 'Å,"A', "hex:ff"]])

    def test_an_error_is_a_line_of_its_own_and_ends_the_datagram(self):
        beyond_uint32 = bytes.fromhex("e081" "1000000080")
        lines = list(map(json.loads, self.own(QUOTE + beyond_uint32 + QUOTE, code=5).out.splitlines()))
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[1], {"error": "D2", "text": "an integer on the wire is outside its type's bounds", "offset": 15,
                                    "template": "Quote", "field": "n"})

    def test_decoding_goes_on_with_the_next_block(self):
        blocks = [QUOTE, QUOTE[:5], bytes.fromhex("c0c3"), QUOTE]
        content = b"".join(len(block).to_bytes(4, "little") + block for block in blocks)
        lines = list(map(json.loads, self.own(content, "--framing", "u32le-length", code=5).out.splitlines()))
        self.assertEqual([line.get("error", line.get("template")) for line in lines], ["Quote", "truncated", "D9", "Quote"])
        self.assertEqual([lines[0]["start"], lines[3]["end"]], [4, len(content)])
        self.assertEqual(lines[2], {"error": "D9", "text": "the template identifier is unknown", "offset": 32, "template": "67"})

    def test_messages_are_poisoned_until_a_reset_where_dictionaries_outlive_them(self):
        blocks = [QUOTE, bytes.fromhex("c0c3"), QUOTE, bytes.fromhex("c0f8") + QUOTE]
        content = b"".join(len(block).to_bytes(4, "little") + block for block in blocks)
        lines = map(json.loads, self.own(content, "--framing", "u32le-length", code=5, reset="never").out.splitlines())
        self.assertEqual([line.get("error", line.get("template")) for line in lines],
                         ["Quote", "D9", "poisoned", "Reset", "Quote"])

    def test_a_block_longer_than_the_file(self):
        program = self.own((100).to_bytes(4, "little") + QUOTE, "--framing", "u32le-length", code=5)
        self.assertEqual(json.loads(program.out)["error"], "truncated")

    def test_reportable_errors_are_counted_and_errors_when_strict(self):
        overlong = bytes.fromhex("c082" "0081" "41" "80")
        lenient = self.own(overlong)
        self.assertIn("1 messages, 0 errors; reportable errors: R6 in 1", lenient.talk)
        self.assertEqual(json.loads(self.own(overlong, "--strict", code=5).out)["error"], "R6")

    def test_the_reset_rule_is_never_guessed(self):
        templates = self.write("own.xml", OWN_TEMPLATES)
        file = self.write_bytes("own.dat", QUOTE)
        program = self.decode("--templates", templates, file, code=2)
        self.assertIn("--reset message|datagram|never|template:ID", program.talk)
        self.assertEqual(program.out, "")

    def test_options_that_are_wrong(self):
        for reset in ("sometimes", "template:x", "template:", "template:5x"):
            self.assertIn(f"--reset {reset} is not one of", self.own(QUOTE, reset=reset, code=2).talk)
        for option, value in (("--framing", "u16"), ("--format", "xml")):
            self.assertIn(f"{option} {value} is not one of", self.own(QUOTE, option, value, code=2).talk)
        self.assertIn("--templates", self.decode("--reset", "never", self.write_bytes("own.dat", QUOTE), code=2).talk)
        self.decode("--reset", "never", "--templates", "none.xml", "none.dat", code=2)

    def test_templates_and_feeds_that_are_wrong(self):
        file = self.write_bytes("own.dat", QUOTE)
        templates = self.write("bad.xml", "<templates>\n<template id='1'><uint32 name='a'/></template></templates>")
        self.assertIn("bad.xml:2: S1: <uint32>", self.decode("--reset", "never", "--templates", templates, file, code=3).talk)
        self.assertIn("moex-atss", self.decode("--feed", "moex-atss", "--templates", templates, file, code=3).talk)

    def test_templates_list_show_and_lint(self):
        templates = self.write("own.xml", OWN_TEMPLATES)
        listed = self.run_to_end("templates", "list", templates).expect_exit(0).out.splitlines()
        self.assertEqual([line.split("\t")[:2] for line in listed], [["1", "Quote"], ["2", "Note"], ["120", "Reset"]])
        shown = self.run_to_end("templates", "show", templates, "Quote").expect_exit(0).out
        self.assertIn("    symbol  string, copy\n    price  decimal, optional\n", shown)
        self.assertIn("did you mean Quote?", self.run_to_end("templates", "show", templates, "Quoet").expect_exit(1).talk)
        self.assertEqual(self.run_to_end("templates", "lint", templates).expect_exit(0).out, "")
        doubtful = self.write("doubtful.xml", "<template name='T' id='1'>\n<ascii name='a'/></template>")
        self.assertIn("doubtful.xml:2: warning: S1: <ascii>",
                      self.run_to_end("templates", "lint", doubtful).expect_exit(0).out)
        self.run_to_end("templates", "lint", "--strict", doubtful).expect_exit(3)


class OwnCapture(Decode):
    """The made-up feed of scripts/demo."""

    def setUp(self):
        super().setUp()
        self.write_feed(packets=50)
        self.templates = os.path.join(harness.ROOT, "templates/fast/demo/demo.xml")
        self.description = os.path.join(harness.ROOT, "templates/feeds/demo.xml")

    def test_messages_say_which_packet_they_are_from(self):
        messages = self.messages("--feed", self.description, "--templates", self.templates, self.path("feed.pcap"))
        self.assertGreaterEqual(len(messages), 50)
        self.assertEqual(sorted(messages, key=lambda message: message["packet"]), messages)
        for message in messages:
            self.assertRegex(message["group"], r"^239\.\d+\.\d+\.\d+:\d+$")
            self.assertGreater(message["time_ns"], 0)

    def test_a_cut_capture_is_read_as_far_as_it_goes(self):
        with open(self.path("feed.pcap"), "rb") as file:
            content = file.read()
        cut = self.write_bytes("cut.pcap", content[:len(content) // 2])
        program = self.decode("--feed", self.description, "--templates", self.templates, cut, code=5)
        self.assertIn("cut.pcap", program.talk)
        self.assertGreater(len(program.out.splitlines()), 10)


tap.main()
