"""tickpath decode and templates: the venues' captures value for value, plain files in each framing, each output format, and what
is said about input that is wrong."""
import csv
import gzip
import io
import itertools
import json
import os
import re
import struct
import time

import capture_slice
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

    def test_a_text_that_controls_a_terminal_stays_on_its_line(self):
        note = bytes.fromhex("e082" "84") + b"a\n\x1bb" + bytes.fromhex("80")
        shown = self.own(note, "--format", "text").out
        self.assertIn("text=a\\x0a\\x1bb", shown)
        self.assertEqual(shown.count("\n"), 1)
        explained = self.own(note, "--explain").out
        self.assertIn('"a\\x0a\\x1bb"', explained)
        self.assertNotIn("\x1b", explained)

    def test_a_missing_template_identifier_is_named(self):
        line = json.loads(self.own(bytes.fromhex("80"), code=5).out)
        self.assertEqual((line["error"], line["field"]), ("D5", "template identifier"))

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

    def test_empty_blocks_are_one_error(self):
        block = len(QUOTE).to_bytes(4, "little") + QUOTE
        content = block + bytes(4 * 1000) + block + bytes(4)
        for jobs in ((), ("--jobs", "2")):
            program = self.own(content, "--framing", "u32le-length", *jobs, code=5)
            lines = list(map(json.loads, program.out.splitlines()))
            self.assertEqual([line.get("error", line.get("template")) for line in lines], ["Quote", "D12", "Quote", "D12"])
            self.assertEqual(lines[1]["offset"], len(block))

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
        self.assertRegex(shown, r"presence map: 2 bits, 1 byte; bit 1 says")
        self.assertRegex(shown, r"\n    2  n +uInt32 +increment +n in global\n")
        self.assertRegex(shown, r"\n +\(presence map per element: 1 bit, 1 byte\)\n    1    symbol +string +copy +symbol in global\n")
        self.assertRegex(shown, r"\n +price +optional decimal\n")
        everything = self.run_to_end("templates", "show", templates).expect_exit(0).out
        self.assertTrue(everything.startswith(shown + "\nNote  id 2, "), everything)
        self.assertIn("did you mean Quote?", self.run_to_end("templates", "show", templates, "Quoet").expect_exit(1).talk)
        self.assertEqual(self.run_to_end("templates", "lint", templates).expect_exit(0).out, "")
        doubtful = self.write("doubtful.xml", "<template name='T' id='1'>\n<ascii name='a'/></template>")
        self.assertIn("doubtful.xml:2: warning: S1: <ascii>",
                      self.run_to_end("templates", "lint", doubtful).expect_exit(0).out)
        strict = self.run_to_end("templates", "lint", "--strict", doubtful).expect_exit(5)
        self.assertIn("doubtful.xml:2: S1: <ascii>", strict.out)
        self.assertIn("1 errors, 0 warnings", strict.talk)
        broken = self.write("broken.xml", "<templates>\n<template name='T' id='1'>\n<uInt32 name='a'><default/></uInt32></template></templates>")
        self.assertIn("broken.xml:3: S5: ", self.run_to_end("templates", "lint", broken).expect_exit(5).out)

    def test_decoders_that_cannot_be_written(self):
        templates = self.write("own.xml", OWN_TEMPLATES)
        program = self.run_to_end("templates", "generate", templates, "-o", self.path("none/own")).expect_exit(1)
        self.assertIn("own.h: cannot be written", program.talk)
        for name in ("a; int x", "a::", "::a", "1a", "a b", "class", "ours::new::b", "ours::co_await"):
            program = self.run_to_end("templates", "generate", templates, "-o", self.path("own"), "--namespace", name).expect_exit(2)
            self.assertIn(f"--namespace {name} is not a name of C++", program.talk)
            self.assertFalse(os.path.exists(self.path("own.h")))
        self.run_to_end("templates", "generate", templates, "-o", self.path("own"), "--namespace", "ours::own_1").expect_exit(0)

    def test_decoders_without_a_name_or_a_template(self):
        templates = self.write("own.xml", OWN_TEMPLATES)
        for out, why in ((self.folder + "/", "names no file"), (self.path(".."), "names no file"), (self.folder, "is there and is no file"),
                         ("/dev/full", "is there and is no file")):
            program = self.run_to_end("templates", "generate", templates, "-o", out).expect_exit(2)
            self.assertIn(f"-o {out} {why}", program.talk)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith((".h", ".cc"))], [])
        self.assertFalse(os.path.exists("/dev/full.cc"))
        bare = self.write("bare.xml", "<template name='T'><uInt32 name='n'/></template>")
        program = self.run_to_end("templates", "generate", bare, "-o", self.path("bare")).expect_exit(3)
        self.assertIn("bare.xml: has no template with an id: there is nothing to generate", program.talk)
        self.assertFalse(os.path.exists(self.path("bare.cc")))

    def test_names_that_a_terminal_would_obey(self):
        templates = self.write("own.xml", "<template name='T&#10;U&#27;[2J' id='1'><uInt32 name='n&#10;m&#27;[2J'/>"
                                          "<uInt32 name='n&#10;m&#27;[2J'/></template>".replace("&#27;", "\x7f"))
        for command in (("list",), ("show",), ("lint",), ("generate", "-o", self.path("out"))):
            program = self.run_to_end("templates", command[0], templates, *command[1:])
            self.assertNotIn("\x7f", program.out + program.talk)
        self.assertIn(r"T\x0aU\x7f[2J", self.run_to_end("templates", "list", templates).expect_exit(0).out)
        self.assertIn(r"n\x0am\x7f[2J", self.run_to_end("templates", "show", templates).expect_exit(0).out)
        self.assertIn(r"n\x0am\x7f[2J", self.run_to_end("templates", "lint", templates).expect_exit(0).out)

    def test_decoders_are_never_written_over_their_templates(self):
        self.write("own.xml", OWN_TEMPLATES)
        for victim in ("own.h", "own.cc"):
            templates = self.write(victim, OWN_TEMPLATES)
            for out in (self.path("own"), self.path(os.path.join(".", victim))):
                program = self.run_to_end("templates", "generate", templates, "-o", out).expect_exit(2)
                self.assertIn("would write over the input", program.talk)
                self.assertEqual(harness.read(templates), OWN_TEMPLATES)
            os.unlink(templates)
            self.assertEqual(os.listdir(self.folder).count("own.h") + os.listdir(self.folder).count("own.cc"), 0, "half of it was written")
        os.symlink("own.xml", self.path("own.cc"))
        self.run_to_end("templates", "generate", self.path("own.xml"), "-o", self.path("own")).expect_exit(2)
        self.assertEqual(harness.read(self.path("own.xml")), OWN_TEMPLATES)

    def explain(self, *arguments, code=0):
        templates = self.write("own.xml", OWN_TEMPLATES)
        return self.decode("--explain", "--templates", templates, *arguments, code=code)

    def test_explain_shows_a_file_and_bytes_of_the_command_line_alike(self):
        from_file = self.explain("--reset", "datagram", self.write_bytes("own.dat", QUOTE)).out
        self.assertIn("How to read this.", from_file)
        self.assertIn("message 1: bytes 0 to 12, template Quote, id 1, ", from_file)
        self.assertRegex(from_file, r"\n +5  41 C2 +symbol +string copy +\"AB\" +nothing → \"AB\" +bit 1 is 1: sent, and remembered\n")
        for spelled in (QUOTE.hex(), QUOTE.hex(" ").upper(), " ".join(f"0x{byte:02x}" for byte in QUOTE)):
            self.assertEqual(self.explain("--reset", "datagram", "--hex", spelled).out, from_file)

    def test_explain_can_show_one_message_with_what_came_before(self):
        content = self.write_bytes("own.dat", QUOTE + bytes.fromhex("808180ff80"))
        both = self.explain("--reset", "datagram", content).out
        self.assertIn("message 2: ", both)
        self.assertIn("7 → 8", both)
        second = self.explain("--reset", "datagram", "--message", "2", content).out
        self.assertIn("7 → 8", second)
        self.assertNotIn("message 1: ", second)
        self.assertIn("no 9th", self.explain("--reset", "datagram", "--message", "9", content, code=1).talk)

    def test_explain_shows_an_error_at_the_byte_where_it_is(self):
        shown = self.explain("--reset", "datagram", self.write_bytes("own.dat", QUOTE[:-4]), code=5).out
        self.assertIn("*** truncated at price: the input ends inside an entity", shown)
        self.assertRegex(self.explain("--reset", "datagram", "--hex", "C0 99", code=5).out, r"\n +2  \*\*\* D9 at template identifier: ")

    def test_explain_options_that_are_wrong(self):
        for words, said in ((("--hex", "C0 8"), "not pairs of hexadecimal digits"), (("--hex", "C0 zz"), "not pairs"),
                            (("--hex", "C0", "--message", "0"), "counts from 1"), ((), "which file?")):
            self.assertIn(said, self.explain("--reset", "datagram", *words, code=2).talk)
        own = self.write_bytes("own.dat", QUOTE)
        self.assertIn("not both", self.explain("--reset", "datagram", "--hex", "C0", own, code=2).talk)
        self.assertIn("go with --explain", self.own(QUOTE, "--message", "1", code=2).talk)

    def test_jobs_are_refused_where_datagrams_depend_on_one_another(self):
        for reset in ("never", "template:120"):
            talk = self.own(QUOTE, "--jobs", "2", "--framing", "u32le-length", code=2, reset=reset).talk
            self.assertIn("the dictionary goes on from one to the next", talk)
        self.assertIn("where datagrams begin", self.own(QUOTE, "--jobs", "2", code=2).talk)

    def test_jobs_print_the_blocks_of_a_file_in_order(self):
        blocks = [QUOTE, NOTE, BAD_NOTE, QUOTE[:5]] * 20_000
        content = b"".join(len(block).to_bytes(4, "little") + block for block in blocks) + b"\x99\x00\x00\x00\x01"
        for form in ("jsonl", "text", "csv"):
            one = self.own(content, "--framing", "u32le-length", "--format", form, code=5)
            out, talk = one.out, one.talk
            many = self.own(content, "--framing", "u32le-length", "--format", form, "--jobs", "3", code=5)
            self.assertEqual(many.out, out, form)
            self.assertEqual(many.talk, talk, form)
            self.assertNotIn("\r", talk)


class VenueFramings(Decode):
    """Framings of venues of which no whole packet was seen, in plain files and in captures."""
    # The beginning of a real packet: header of template 73, sender 30, packet 3022, its time, then a Reset.
    T7 = bytes.fromhex("c0c99e8400000bce8814aca5fec6da68ce" "c0f8")

    @staticmethod
    def umdf(number, count, index, chunk):
        return struct.pack(">IHHH", number, count, index, len(chunk)) + chunk

    def decode_payloads(self, payloads, *words, code=0, reset="datagram", groups=("239.1.1.1",)):
        frames = [capture_slice.datagram(groups[i % len(groups)], 9000, payload) for i, payload in enumerate(payloads)]
        header = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
        capture_slice.write(self.path("own.pcap"), header, frames)
        out = self.decode("--templates", self.write("own.xml", OWN_TEMPLATES), "--reset", reset, *words, self.path("own.pcap"),
                          code=code).out
        return [json.loads(line) for line in out.splitlines()]

    def test_cme_has_five_bytes_before_a_message(self):
        payload = b"\0\0\0\1\7" + QUOTE
        (message,) = self.decode_payloads([payload], "--framing", "cme")
        self.assertEqual((message["fields"]["n"], message["start"], message["end"]), (7, 5, 5 + len(QUOTE)))
        lines = self.own(payload * 3, "--framing", "cme").out.splitlines()
        self.assertEqual([json.loads(line)["start"] for line in lines], [5 + i * len(payload) for i in range(3)])

    def test_t7_has_a_header_that_the_templates_need_not_know(self):
        (reset, message) = self.decode_payloads([self.T7 + QUOTE], "--framing", "t7", reset="template:120")
        self.assertEqual((reset["start"], message["fields"]["n"], message["start"]), (17, 7, 19))
        for length in range(17):
            (error,) = self.decode_payloads([self.T7[:length]], "--framing", "t7", reset="template:120", code=5)
            self.assertEqual(error["error"], "truncated", f"length {length}")
        explained = self.own(self.T7 + QUOTE, "--framing", "t7", "--explain", reset="template:120").out
        self.assertIn("Quote", explained)

    def test_t7_is_described_by_the_example(self):
        feed = os.path.join(harness.ROOT, "templates/feeds/framing_only/t7.xml")
        heading = self.decode("--feed", feed, self.write_bytes("t7.dat", self.T7 + self.T7[17:])).out.splitlines()
        self.assertEqual([json.loads(line)["template"] for line in heading], ["120", "120"])

    def test_umdf_joins_chunks_in_any_order_group_by_group(self):
        parts = [QUOTE[:3], QUOTE[3:7], QUOTE[7:]]
        chunks = [self.umdf(9, 3, index, parts[index - 1]) for index in (3, 1, 1, 2)] + [self.umdf(10, 1, 1, NOTE)]
        both = [chunk for chunk in chunks for _ in range(2)]
        messages = self.decode_payloads(both, "--framing", "umdf", groups=("239.1.1.1", "239.1.1.2"))
        self.assertEqual([(message["template"], message["packet"], message["group"][8], message["start"]) for message in messages],
                         [("Quote", 6, "1", 0), ("Quote", 7, "2", 0), ("Note", 8, "1", 10), ("Note", 9, "2", 10)])
        self.assertEqual(messages[0]["fields"]["n"], 7)
        self.assertEqual(len(self.own(b"".join(chunks), "--framing", "umdf").out.splitlines()), 2, "in a plain file")
        refused = self.decode("--templates", self.path("own.xml"), "--reset", "datagram", "--framing", "umdf", "--jobs", "2",
                              self.path("own.pcap"), code=2)
        self.assertIn("spread over several", refused.talk)

    def test_umdf_tells_a_message_of_which_a_chunk_is_missing(self):
        half = len(QUOTE) // 2
        whole = [self.umdf(number, 1, 1, QUOTE) for number in range(2, 4)]
        lines = self.decode_payloads([self.umdf(1, 2, 1, QUOTE[:half])] + whole, "--framing", "umdf", code=5)
        self.assertEqual([line.get("error", line.get("template")) for line in lines], ["Quote", "Quote", "missing"])
        contradiction = struct.pack(">IHHH", 1, 2, 3, len(QUOTE)) + QUOTE
        for payload, error in ((contradiction, "bad_length"), (self.umdf(1, 2, 1, QUOTE)[:-1], "truncated"),
                               (self.umdf(1, 1, 1, QUOTE) + b"x", "trailing"), (self.umdf(1, 65, 1, QUOTE), "limit")):
            (line,) = self.decode_payloads([payload], "--framing", "umdf", code=5)
            self.assertEqual(line["error"], error)

    def test_spectra_2017_is_decoded_to_the_values_of_its_one_real_packet(self):
        path = f"{FEEDS}/moex-asts-2017/single-messages.jsonl"
        if not os.path.exists(path):
            self.skipTest("no shared data")
        with open(path, encoding="utf-8") as file:
            (sample,) = [row for row in map(json.loads, file) if row["feed"] == "forts"]
        (message,) = self.messages("--feed", "moex-spectra-2017", "--templates",
                                   f"{FEEDS}/moex-asts-2017/forts-templates-2017.xml",
                                   self.write_bytes("one.dat", bytes.fromhex(sample["payload_hex"])))
        wanted = sample["decoded"]
        for entry in wanted["MDEntries"]:
            entry["MDEntryPx"] = {"m": entry["MDEntryPx"][0], "e": entry["MDEntryPx"][1]}
        self.assertEqual(message["fields"], wanted)


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

    def test_jobs_print_what_one_thread_prints(self):
        self.write_feed(packets=2000)
        for form in ("jsonl", "csv"):
            words = ("--feed", self.description, "--templates", self.templates, "--format", form)
            one = self.decode(*words, self.path("feed.pcap")).out
            self.assertEqual(self.decode(*words, "--jobs", "4", self.path("feed.pcap")).out, one)

    def decode_groups(self, frames, *words, code=0, reset="never"):
        """A program that decodes (group, port, payload) by OWN_TEMPLATES."""
        header, _ = capture_slice.read(self.path("feed.pcap"))
        capture_slice.write(self.path("own.pcap"), header, [capture_slice.datagram(*frame) for frame in frames])
        return self.decode("--templates", self.write("own.xml", OWN_TEMPLATES), "--reset", reset, *words, self.path("own.pcap"),
                           code=code)

    def test_groups_whose_dictionaries_outlive_datagrams_do_not_share_one(self):
        one, other, port = ("239.1.1.1", 9000), ("239.1.1.2", 9000), ("239.1.1.1", 9001)
        quote = {number: bytes.fromhex("e081") + bytes([0x80 + number]) + QUOTE[3:] for number in (7, 40, 90)}
        again = bytes.fromhex("8081" "a0c3" "80")  # n one more; one entry CD without price
        frames = [(*one, quote[7]), (*other, quote[40]), (*one, again), (*port, quote[90]), (*other, again), (*one, again),
                  (*port, again)]
        for reset in ("never", "template:120"):
            lines = list(map(json.loads, self.decode_groups(frames, reset=reset).out.splitlines()))
            self.assertEqual([line["fields"]["n"] for line in lines], [7, 40, 8, 90, 41, 9, 91], reset)
        explained = self.decode_groups(frames, "--explain").out
        self.assertEqual(re.findall(r"message \d+: packet (\d+)", explained), list("0123456"))
        for number in (7, 40, 8, 90, 41, 9, 91):
            self.assertRegex(explained, rf"\bn\b.*\b{number}\b")
        # An error poisons its own group alone.
        frames.insert(2, (*other, bytes.fromhex("c0c3")))
        lines = list(map(json.loads, self.decode_groups(frames, code=5).out.splitlines()))
        self.assertEqual([line.get("error") or line["fields"]["n"] for line in lines], [7, 40, "D9", 8, 90, "poisoned", 9, 91])

    def test_a_datagram_that_is_lost_before_it_is_decoded_poisons_its_group(self):
        one, other = ("239.1.1.1", 9000), ("239.1.1.2", 9000)
        again = bytes.fromhex("8081" "a0c3" "80")  # n one more

        def write(change):
            header, _ = capture_slice.read(self.path("feed.pcap"))
            frames = [capture_slice.datagram(*group, payload) for group, payload in (
                (one, QUOTE), (other, QUOTE), (one, again), (one, again), (other, again))]
            frames[2].data = change(frames[2].data)
            frames[2].header = frames[2].header[:8] + len(frames[2].data).to_bytes(4, "little") * 2
            capture_slice.write(self.path("lossy.pcap"), header, frames)

        def changed(at, value):
            return lambda frame: frame[:at] + value + frame[at + len(value):]

        for name, change, shown in (
                ("cut", lambda frame: frame[:-1], ["truncated", "poisoned", "poisoned"]),
                ("fragment", changed(14 + 6, b"\x20\x00"), ["poisoned", "poisoned"]),
                ("UDP length", changed(14 + 20 + 4, b"\x00\x04"), ["bad_length", "poisoned", "poisoned"])):
            write(change)
            words = ["--templates", self.write("own.xml", OWN_TEMPLATES), "--reset", "never", self.path("lossy.pcap")]
            lines = list(map(json.loads, self.decode(*words, code=5).out.splitlines()))
            # Whose the frame was its broken headers do not tell: all groups are in doubt.
            self.assertEqual([line.get("error") or line["fields"]["n"] for line in lines], [7, 7, *shown], name)
            self.assertEqual(self.decode("--explain", *words, code=5).out.count("*** poisoned"), 2, name)

    def test_a_capture_of_very_many_groups_is_not_given_a_decoder_for_each(self):
        frames = [(f"239.1.{number // 256}.{number % 256}", 9000, QUOTE) for number in range(300)]
        program = self.decode_groups(frames, code=5)
        lines = list(map(json.loads, program.out.splitlines()))
        self.assertEqual([line.get("error") for line in lines], [None] * 256 + ["limit"] * 44)
        self.assertIn("packet 256: group 239.1.1.0:9000 is beyond the first 256 groups", program.talk)
        self.assertEqual(lines[256]["packet"], 256)
        self.decode_groups(frames, reset="datagram")

    def test_limits_are_those_of_the_feed_or_of_the_command_line(self):
        description = harness.read(self.description).replace('reset="datagram"', 'reset="datagram" sequence_length_max="2"')
        feed = self.write("limited.xml", description.replace("../fast/demo/demo.xml", self.templates))
        lines = [json.loads(line) for line in self.decode("--feed", feed, self.path("feed.pcap"), code=5).out.splitlines()]
        errors = [line for line in lines if "error" in line]
        self.assertEqual({line["error"] for line in errors}, {"limit"})
        self.assertEqual({line["field"] for line in errors}, {"MDEntries"})
        self.assertTrue(all(line["offset"] > 4 for line in errors))
        self.assertEqual({len(line["fields"]["MDEntries"]) for line in lines if "fields" in line}, {1, 2})
        self.decode("--feed", feed, "--sequence-length-max", "65536", self.path("feed.pcap"))
        explained = self.decode("--explain", "--feed", feed, self.path("feed.pcap"), code=5).out
        self.assertEqual(explained.count("*** limit"), len(errors))
        for option, value in (("--sequence-length-max", "0"), ("--string-bytes-max", "7"), ("--map-bytes-max", "1"),
                              ("--map-bytes-max", "many")):
            self.assertIn(option, self.decode("--feed", feed, option, value, self.path("feed.pcap"), code=2).talk)
        bad = self.write("bad.xml", description.replace('sequence_length_max="2"', 'sequence_length_max="-2"'))
        self.assertRegex(self.decode("--feed", bad, self.path("feed.pcap"), code=3).talk,
                         r'bad\.xml:\d+: sequence_length_max="-2" is not a number from 1 to 262144')

    def test_strings_and_maps_have_limits_on_the_command_line(self):
        note = ("239.1.1.1", 9000, bytes.fromhex("c08289") + b"ABCDEFGHI" + b"\x80")
        self.decode_groups([note])
        [line] = map(json.loads, self.decode_groups([note], "--string-bytes-max", "8", code=5).out.splitlines())
        self.assertEqual([line["error"], line["template"], line["field"]], ["limit", "Note", "text"])
        long_map = (*note[:2], bytes.fromhex("400080") + note[2][1:])
        [line] = map(json.loads, self.decode_groups([long_map], "--map-bytes-max", "2", code=5).out.splitlines())
        self.assertEqual([line["error"], line["offset"]], ["limit", 0])

    def test_explain_counts_bytes_from_the_udp_payload(self):
        shown = self.decode("--explain", "--feed", self.description, "--message", "1", self.path("feed.pcap")).out
        self.assertRegex(shown, r"message 1: packet 0, bytes 4 to \d+, template Demo")
        self.assertRegex(shown, r"\n     4  [0-9A-F]{2} +presence map")

    def test_a_progress_bar_is_shown_to_a_terminal_only(self):
        self.write_feed(packets=1000)
        with open(self.path("feed.pcap"), "rb") as file:
            content = file.read()
        # The made-up capture again and again, until decoding it takes some seconds on this machine.
        once = self.write_bytes("some.pcap", content[:24] + content[24:] * 10)
        begin = time.monotonic()
        self.assertNotIn("% of", self.decode("--feed", self.description, once).talk)
        times = int(10 * 5 / (time.monotonic() - begin)) + 10
        long = self.write_bytes("long.pcap", content[:24] + content[24:] * times)
        self.assertRegex(self.said_to_a_terminal("decode", "--feed", self.description, long),
                         r"\r\x1b\[Ktickpath: \d+ % of \d+ MB, \d+ s left")

    def test_a_cut_capture_is_read_as_far_as_it_goes(self):
        with open(self.path("feed.pcap"), "rb") as file:
            content = file.read()
        cut = self.write_bytes("cut.pcap", content[:len(content) // 2])
        program = self.decode("--feed", self.description, "--templates", self.templates, cut, code=5)
        self.assertIn("cut.pcap", program.talk)
        self.assertGreater(len(program.out.splitlines()), 10)


tap.main()
