"""tickpath encode: what decode printed becomes bytes that decode to the same, for own files and the recorded feeds; and what is
said about input that is wrong."""
import json
import os

import harness
import tap

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
FAST = os.path.join(SHARED, "data/fast")
FEEDS = os.path.join(SHARED, "data/feeds")

TEMPLATES = """<templates>
<template name="Quote" id="1"><uInt32 name="n"><increment/></uInt32>
  <sequence name="entries"><string name="symbol"><copy/></string><decimal name="price" presence="optional"/></sequence></template>
<template name="Note" id="2"><string name="text" charset="unicode"/><byteVector name="raw" presence="optional"/></template>
<template id="7"><group name="g" presence="optional"><int64 name="x"/></group><templateRef/></template>
<template name="Reset" id="120" reset="Y"/>
</templates>"""
QUOTE = '{"template":"Quote","fields":{"n":7,"entries":[{"symbol":"AB","price":{"m":10715,"e":-1}},{"symbol":"AB"}]}}'
NEXT_QUOTE = '{"template":"Quote","fields":{"n":8,"entries":[]}}'
NOTE = r'{"template":"Note","fields":{"text":"Å,\"A","raw":"hex:ff"}}'
BAD_NOTE = '{"template":"Note","fields":{"text":"hex:ff"}}'
# The same to JSON as BAD_NOTE, and other bytes: the characters, as decode prints them.
LITERAL_NOTE = r'{"template":"Note","fields":{"text":"\u0068ex:ff\"","raw":"hex:ff"}}'
HEX_LIKE_NOTE = r'{"template":"Note","fields":{"text":"\u0068ex:ff"}}'
OUTER = '{"template":"7","fields":{"g":{"x":-5},"<dyn>":{"template":"Note","fields":{"text":"hex:"}}}}'


class Encode(harness.SystemTest):
    def encode(self, lines, *arguments, code=0, reset="datagram"):
        """Program that encodes these lines by TEMPLATES."""
        templates = self.write("own.xml", TEMPLATES)
        return self.run_to_end("encode", "--templates", templates, "--reset", reset, *arguments,
                               self.write("in.jsonl", "".join(line + "\n" for line in lines)), name="encode").expect_exit(code)

    def hex_of(self, lines, *arguments, reset="datagram"):
        return self.encode(lines, "--hex", *arguments, reset=reset).out.splitlines()

    def there_and_back(self, lines, *arguments, reset):
        """The lines without their places, encoded and decoded again."""
        self.encode(lines, "-o", self.path("out.dat"), *arguments, reset=reset)
        framing = [word for pair in zip(arguments, arguments[1:]) if pair[0] == "--framing" for word in pair]
        decoded = self.run_to_end("decode", "--templates", self.path("own.xml"), "--reset", reset, "--strict", *framing,
                                  self.path("out.dat"), name="decode").expect_exit(0)
        return [without_place(line) for line in decoded.out.splitlines()]


def without_place(line):
    message = json.loads(line)
    return {"template": message["template"], "fields": message["fields"]}


class OwnLines(Encode):
    def test_prints_the_bytes_of_each_message(self):
        self.assertEqual(self.hex_of([QUOTE, NEXT_QUOTE]), ["e08187" "82" "c041c2" "ff" "0053db" "8080", "8080"])
        self.assertEqual(self.hex_of([NOTE, BAD_NOTE]), ["c08285" "c3852c2241" "82ff", "8081ff80"])

    def test_tells_characters_that_look_like_bytes_from_bytes(self):
        characters = "8086" "6865783a6666" "80"
        explicit = HEX_LIKE_NOTE.replace(r'"\u0068ex:ff"', '{"text":"hex:ff"}')
        self.assertEqual(self.hex_of([BAD_NOTE, HEX_LIKE_NOTE, explicit, HEX_LIKE_NOTE], reset="never"),
                         ["c08281ff80", characters, characters, characters])
        self.assertNotIn("taken for", self.encode([HEX_LIKE_NOTE, NOTE], "--hex").talk)
        program = self.encode([HEX_LIKE_NOTE, BAD_NOTE, LITERAL_NOTE], "-o", self.path("out.dat"))
        self.assertIn('\ntickpath: 1 unicode texts "hex:…" were taken for the bytes', program.talk)
        decoded = self.run_to_end("decode", "--templates", self.path("own.xml"), "--reset", "datagram",
                                  self.path("out.dat"), name="decode").expect_exit(0).out
        self.assertEqual(["".join(('{"template":"Note","fields":', line.partition('"fields":')[2]))
                          for line in decoded.splitlines()], [HEX_LIKE_NOTE, BAD_NOTE, LITERAL_NOTE])

    def test_never_writes_over_its_input(self):
        for victim in ("own.xml", "in.jsonl"):
            program = self.encode([QUOTE], "-o", os.path.join(self.folder, ".", victim), code=2)
            self.assertIn("would write over the input", program.talk)
        self.assertEqual(harness.read(self.path("own.xml")), TEMPLATES)
        self.assertEqual(harness.read(self.path("in.jsonl")), QUOTE + "\n")

    def test_explicit_mode_sends_every_field(self):
        self.assertEqual(self.hex_of([QUOTE, NEXT_QUOTE], "--mode", "explicit"),
                         ["e08187" "82" "c041c2" "ff" "0053db" "c041c2" "80", "e08188" "80"])

    def test_dictionaries_are_forgotten_by_the_rule(self):
        self.assertEqual(self.hex_of([QUOTE, NEXT_QUOTE], reset="message")[1], "e0818880")
        self.assertEqual(self.hex_of([NEXT_QUOTE, '{"template":"Reset","fields":{}}', NEXT_QUOTE], reset="never"),
                         ["e0818880", "c0f8", "e0818880"])
        self.assertEqual(self.hex_of([NEXT_QUOTE, '{"template":"99","fields":{}}', NEXT_QUOTE], reset="template:99"),
                         ["e0818880", "c0e3", "e0818880"])

    def test_decode_gives_the_lines_back(self):
        lines = [QUOTE, NOTE, OUTER, BAD_NOTE]
        wanted = [without_place(line) for line in lines]
        for reset in ("message", "datagram", "never", "template:9"):
            for mode in ("compact", "explicit"):
                for framing in ("none", "u32le-length", "u32le-sequence"):
                    found = self.there_and_back(lines, "--mode", mode, "--framing", framing, reset=reset)
                    self.assertEqual(found, wanted, f"{reset} {mode} {framing}")

    def test_framing(self):
        lengths = self.hex_of([QUOTE, NEXT_QUOTE], "--framing", "u32le-length")
        self.assertEqual(lengths[1], "04000000" "e0818880", "each block is a datagram")
        packets = [line[:-1] + ',"packet":' + number + "}" for line, number in
                   ((QUOTE, "4"), (NEXT_QUOTE, "4"), (NEXT_QUOTE, "5"))]
        self.assertEqual(self.hex_of(packets, "--framing", "u32le-length"),
                         ["0f000000" "e08187" "82" "c041c2" "ff" "0053db" "8080" "8080", "04000000" "e0818880"])
        numbers = self.hex_of([NEXT_QUOTE, '{"template":"Reset","fields":{}}', NEXT_QUOTE], "--framing", "u32le-sequence",
                              reset="never")
        self.assertEqual(numbers, ["01000000" "e0818880", "02000000" "c0f8", "e0818880"])

    def test_the_example_of_the_help(self):
        demo = os.path.join(harness.ROOT, "templates/fast/demo")
        program = self.run_to_end("encode", "--templates", f"{demo}/demo.xml", "--reset", "datagram", "-o", self.path("demo.dat"),
                                  f"{demo}/messages.jsonl").expect_exit(0)
        self.assertRegex(program.talk, r"tickpath: 2 messages, \d+ bytes\n")
        decoded = self.run_to_end("decode", "--templates", f"{demo}/demo.xml", "--reset", "datagram", self.path("demo.dat"))
        with open(f"{demo}/messages.jsonl", encoding="utf-8") as file:
            self.assertEqual([without_place(line) for line in decoded.out.splitlines()], [json.loads(line) for line in file])


class WrongInput(Encode):
    def expect_complaint(self, line, text, *arguments, reset="datagram"):
        """The second line is wrong: it is said where and why, and no file is left behind."""
        program = self.encode([QUOTE, line], "-o", self.path("none.dat"), *arguments, code=5, reset=reset)
        self.assertEqual(program.talk.count("\n"), 1, program.talk)
        self.assertIn("in.jsonl:2: ", program.talk)
        self.assertIn(text, program.talk)
        self.assertEqual(program.out, "")
        self.assertFalse(os.path.exists(self.path("none.dat")))

    def test_lines_that_are_no_messages(self):
        self.expect_complaint("{", "is no JSON: something is wrong at column 2")
        self.expect_complaint("[1]", "is no JSON object")
        self.expect_complaint('{"template":"Quote","fields":{"n":1e400}}', "has a number that is out of range")
        self.expect_complaint('{"fields":{}}', 'does not name its "template"')
        self.expect_complaint('{"template":"Quote"}', 'has no "fields"')
        self.expect_complaint('{"template":"Quote","fields":[]}', "the message has to be an object")
        self.expect_complaint('{"error":"D5","text":"…"}', 'is an error that decode printed ("D5")')
        self.expect_complaint('{"template":"Quate","fields":{}}', 'there is no template "Quate"')
        self.expect_complaint('{"template":"Note","packet":-1,"fields":{"text":""}}', '"packet" that is no number')

    def test_lines_that_a_json_library_takes(self):
        deep = 2_000_000
        self.expect_complaint('{"error":' + "[" * deep + "]" * deep + "}", "nests more than 512 deep")
        self.expect_complaint('{"a":' * deep + "1" + "}" * deep, "nests more than 512 deep")
        self.expect_complaint('{"error":' + "[" * 511 + "]" * 511 + "}", "is an error that decode printed, not a message")
        self.expect_complaint('{"template":"Note","fields":{"text":"a","raw":"hex:","text":"b"}}', 'has "text" twice in one object')
        self.expect_complaint('{"template":"Note","template":"Quote","fields":{}}', 'has "template" twice in one object')

    def test_a_name_with_a_line_break_stays_on_its_line(self):
        self.expect_complaint(r'{"template":"a\nb\u001b","fields":{}}', r'there is no template "a\x0ab\x1b"')
        self.expect_complaint(r'{"template":"Note","fields":{"a\nb":1}}', r"a\x0ab is no field of the template")
        self.expect_complaint(r'{"error":"a\nb"}', r'decode printed ("a\x0ab")')

    def test_fields_that_are_wrong(self):
        def quote(fields):
            return '{"template":"Quote","fields":{' + fields + '}}'
        self.expect_complaint(quote('"n":1'), "entries is mandatory and not there")
        self.expect_complaint(quote('"n":1,"m":2'), "m is no field of the template")
        self.expect_complaint(quote('"n":4294967296,"entries":[]'), "n is refused: R4")
        self.expect_complaint(quote('"n":-1,"entries":[]'), "n is refused: R4")
        self.expect_complaint(quote('"n":1.5,"entries":[]'), "n has to be a whole number")
        self.expect_complaint(quote('"n":"1","entries":[]'), "n has to be a whole number")
        self.expect_complaint(quote('"n":1,"entries":{}'), "entries has to be an array")
        self.expect_complaint(quote('"n":1,"entries":[{}]'), "entries/symbol is mandatory")
        self.expect_complaint(quote('"n":1,"entries":[{"symbol":"Å"}]'), "entries[0]/symbol is refused: R3")
        self.expect_complaint(quote('"n":1,"entries":[{"symbol":"A","price":5}]'), "entries[0]/price has to be a decimal")
        self.expect_complaint(quote('"n":1,"entries":[{"symbol":"A","price":{"m":5,"e":64}}]'), "entries[0]/price is refused: R1")
        self.expect_complaint('{"template":"Note","fields":{"text":"","raw":"ff"}}', "raw has to be bytes")
        self.expect_complaint('{"template":"Note","fields":{"text":"","raw":"hex:f"}}', "raw has to be bytes")
        self.expect_complaint('{"template":"7","fields":{"<dyn>":{"template":"No","fields":{}}}}', "names a template \"No\"")
        self.expect_complaint('{"template":"7","fields":{"<dyn>":5}}', "<dyn> has to be")

    def test_messages_that_cannot_be_encoded(self):
        templates = self.write("tail.xml", "<templates><template name='T' id='1'><string name='f'><tail value='long'/></string>"
                                           "</template></templates>")
        lines = self.write("tail.jsonl", '{"template":"T","fields":{"f":"no"}}\n')
        program = self.run_to_end("encode", "--templates", templates, "--reset", "never", "--hex", lines).expect_exit(5)
        self.assertIn("tail.jsonl:1: f cannot be encoded: unrepresentable", program.talk)

    def test_options_that_are_wrong(self):
        self.assertIn("--reset message|datagram|never|template:ID", self.run_to_end(
            "encode", "--templates", self.write("own.xml", TEMPLATES), "--hex", self.write("in.jsonl", "")).expect_exit(2).talk)
        self.assertIn("--reset sometimes is not one of", self.encode([], "--hex", reset="sometimes", code=2).talk)
        self.assertIn("--mode x is not one of", self.encode([], "--hex", "--mode", "x", code=2).talk)
        self.assertIn("--framing x is not one of", self.encode([], "--hex", "--framing", "x", code=2).talk)
        self.assertIn("-o OUT, or --hex", self.encode([], code=2).talk)
        self.run_to_end("encode", "--templates", "none.xml", "--reset", "never", "--hex", "none.jsonl").expect_exit(2)

    def test_templates_that_are_wrong(self):
        templates = self.write("bad.xml", "<templates>\n<template id='1'><uint32 name='a'/></template></templates>")
        program = self.run_to_end("encode", "--templates", templates, "--reset", "never", "--hex",
                                  self.write("in.jsonl", "")).expect_exit(3)
        self.assertIn("bad.xml:2: S1", program.talk)

    def test_a_file_that_cannot_be_written(self):
        self.assertIn("cannot be written", self.encode([QUOTE], "-o", self.path("no/such/folder"), code=1).talk)


class Recordings(Encode):
    def setUp(self):
        super().setUp()
        if not os.path.exists(FAST):
            self.skipTest("no shared data")

    def expect_round_trip(self, decode_arguments, file, reset, framing="u32le-length"):
        """decode -> encode -> decode, in both modes. A recorded message has no packet of its own in a plain file."""
        first = self.run_to_end("decode", *decode_arguments, file, name="first").expect_exit(0)
        wanted = [without_place(line) for line in first.out.splitlines()]
        self.assertGreater(len(wanted), 1_000)
        templates = decode_arguments[decode_arguments.index("--templates") + 1]
        lines = self.write("recorded.jsonl", first.out)
        for mode in ("compact", "explicit"):
            self.run_to_end("encode", "--templates", templates, "--reset", reset, "--framing", framing, "--mode", mode, "-o",
                            self.path("again.dat"), lines, name=f"encode-{mode}").expect_exit(0)
            again = self.run_to_end("decode", "--templates", templates, "--reset", reset, "--framing", framing,
                                    self.path("again.dat"), name=f"again-{mode}").expect_exit(0)
            found = [without_place(line) for line in again.out.splitlines()]
            self.assertEqual(len(found), len(wanted))
            for number, (one, other) in enumerate(zip(found, wanted)):
                self.assertEqual(one, other, f"line {number} of {os.path.basename(file)}, {mode}")

    def test_rts_forts_2013_with_its_reset_messages(self):
        for name in ("increment_a", "snapshot"):
            self.expect_round_trip(["--templates", f"{FAST}/rts-forts-2013/templates.xml", "--reset", "never"],
                                   f"{FAST}/rts-forts-2013/{name}.dat", "never", "none")

    def test_asts_order_log_2019(self):
        self.expect_round_trip(["--templates", f"{FAST}/moex-asts-olr-2019/test.xml", "--reset", "message", "--framing",
                                "u32le-sequence"], f"{FAST}/moex-asts-olr-2019/data.dat", "message", "u32le-sequence")

    def test_complex30000_with_dictionaries_carried(self):
        self.expect_round_trip(["--templates", f"{FAST}/quickfast-complex30000/example.xml", "--reset", "never", "--framing",
                                "u32le-length"], f"{FAST}/quickfast-complex30000/complex30000.dat", "never")

    def test_a_capture_whose_packets_hold_several_messages(self):
        self.expect_round_trip(["--feed", "moex-spectra-2013", "--templates", f"{FEEDS}/moex-forts-2013/templates.xml"],
                               f"{FEEDS}/moex-forts-2013/forts-book5.pcap", "datagram")


tap.main()
