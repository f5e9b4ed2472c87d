"""tickpath decode and nse-generate on the NSE broadcast: the generated captures row for row, the real packet, each output
format, and what is said about input that is wrong."""
import collections
import csv
import io
import json
import os
import re
import struct
import sys

import harness
import tap

sys.path.insert(0, os.path.join(harness.ROOT, "scripts/demo_feed"))
import capture_file  # noqa: E402

SHARED = os.environ.get("TICKPATH_SHARED") or os.path.join(harness.ROOT, "../shared")
NSE = os.path.join(SHARED, "data/feeds/nse")


def cells(found):
    return ["" if value is None else str(value) for value in found]


class Nse(harness.SystemTest):
    def decode(self, *arguments, code=0, name="decode"):
        return self.run_to_end("decode", *arguments, name=name).expect_exit(code)

    def messages(self, *arguments, code=0):
        return [json.loads(line) for line in self.decode(*arguments, code=code).out.splitlines()]

    def capture(self, *payloads, group="233.1.2.5", port=34331):
        frames = [(10**18 + number, capture_file.frame(group, port, payload)) for number, payload in enumerate(payloads)]
        path = self.path("made.pcap")
        capture_file.write(path, frames)
        return path


def raw_message(transcode, body, market=2):
    header = struct.pack(">ii2shhiiQ8sh", 0, 1472981000, b"  ", transcode, 0, 7, 0, 1472981000 << 16, b"\5       ", 40 + len(body))
    return struct.pack(">h", 0) + bytes((market,)) + b"YZ**123" + header + body


def datagram(*packed, count=None, market=2):
    return struct.pack(">Bch", market, b" ", len(packed) if count is None else count) + b"".join(packed)


def rows_of(message, index_in_datagram, packet):
    """The rows of expected.csv that one line of output stands for."""
    fields = message["fields"]
    start = [packet, index_in_datagram, message["compressed_bytes"], message["raw_bytes"], fields["TransCode"], fields["BCSeqNo"],
             fields["LogTime"]]
    records = fields.get("Records", [])
    if not records or "Token" not in records[0]:  # control messages; indices have names
        yield start + [len(records)]
        return
    for record in records:
        row = start + [len(records), record["Token"]]
        if fields["TransCode"] == 7208:
            bid, ask = record["Bids"][0], record["Asks"][0]
            row += [record["LastTradedPrice"], record["VolumeTradedToday"], bid["Price"], bid["Qty"], ask["Price"], ask["Qty"]]
        yield row


class Captures(Nse):
    def setUp(self):
        super().setUp()
        if not os.path.exists(NSE):
            self.skipTest("no shared data")

    def expect_rows(self, segment, messages):
        with open(f"{NSE}/synthetic-{segment}.expected.csv", encoding="utf-8", newline="") as file:
            expected = list(csv.reader(file))[1:]
        index_in_datagram, last_packet, found = 0, None, []
        for message in messages:
            self.assertNotIn("error", message)
            index_in_datagram = index_in_datagram + 1 if message["packet"] == last_packet else 0
            last_packet = message["packet"]
            found += rows_of(message, index_in_datagram, last_packet)
        self.assertEqual(len(found), len(expected))
        for number, (row, wanted) in enumerate(zip(found, expected)):
            self.assertEqual(cells(row) + [""] * (len(wanted) - len(row)), wanted, f"row {number}")

    def test_the_generated_captures_have_no_error_and_the_rows_of_the_expected_files(self):
        for segment, group in (("fo", "233.1.2.5:34331"), ("cm", "233.1.2.7:34335")):
            messages = self.messages("--feed", f"nse-{segment}", "--format", "jsonl", f"{NSE}/synthetic-{segment}.pcap")
            self.expect_rows(segment, messages)
            self.assertEqual({message["group"] for message in messages}, {group})

    def test_a_preset_reads_the_other_markets_messages_too(self):
        self.expect_rows("cm", self.messages("--feed", "nse-fo", f"{NSE}/synthetic-cm.pcap"))

    def test_csv_has_a_row_for_each_level(self):
        out = self.decode("--feed", "nse-fo", "--format", "csv", f"{NSE}/synthetic-fo.pcap").out
        rows = list(csv.DictReader(io.StringIO(out)))
        by_code = collections.Counter(row["transcode"] for row in rows)
        with open(f"{NSE}/synthetic-fo.expected.csv", encoding="utf-8", newline="") as file:
            expected = collections.Counter(row["transcode"] for row in csv.DictReader(file))
        self.assertEqual(by_code["7208"], 10 * expected["7208"])
        self.assertEqual(by_code["17202"], expected["17202"])
        first = next(row for row in rows if row["transcode"] == "7208")
        self.assertEqual((first["packet"], first["Records/Token"], first["Records/Bids/Price"], first["Records/Bids/Qty"]),
                         ("1", "62101", "37955", "2625"))
        self.assertEqual(first["Records/Asks/Price"], "")

    def test_text_is_a_line_a_message(self):
        lines = self.decode("--feed", "nse-cm", "--format", "text", f"{NSE}/synthetic-cm.pcap").out.splitlines()
        self.assertTrue(lines[0].startswith("6511=<LogTime=1472981000|"))
        self.assertIn("|Records=<Token=2517|BookType=1|", lines[1])
        self.assertIn("|Bids=<Qty=60|Price=56180|", lines[1])

    def test_the_real_packet(self):
        with open(f"{NSE}/real-vectors.jsonl", encoding="utf-8") as file:
            real = json.loads(file.readline())
        block = bytes.fromhex(real["compressed_hex"])
        messages = self.messages("--feed", "nse-fo", self.capture(datagram(struct.pack(">h", len(block)) + block)))
        self.assertEqual(len(messages), 1)
        fields = messages[0]["fields"]
        self.assertEqual((messages[0]["compressed_bytes"], messages[0]["raw_bytes"]), (237, 478))
        self.assertEqual([fields[name] for name in ("LogTime", "TransCode", "BCSeqNo", "MessageLength")],
                         [real["log_time"], 7208, real["bcseq"], 470])
        self.assertEqual(fields["TimeStamp2"], int(real["timestamp2_hex"], 16))
        for record, wanted in zip(fields["Records"], real["records"], strict=True):
            self.assertEqual(record["Token"], wanted["token"])
            self.assertEqual([[level["Qty"], level["Price"], level["NoOfOrders"]] for level in record["Bids"]], wanted["bids"])
            self.assertEqual([[level["Qty"], level["Price"], level["NoOfOrders"]] for level in record["Asks"]], wanted["asks"])
            for name, key in (("VolumeTradedToday", "volume"), ("LastTradedPrice", "ltp"), ("LastTradeQuantity", "ltq"),
                              ("LastTradeTime", "ltt"), ("TotalBuyQuantity", "total_buy"), ("TotalSellQuantity", "total_sell"),
                              ("Indicator", "indicator"), ("ClosingPrice", "close"), ("NetPriceChange", "net_price_change_field"),
                              ("TradingStatus", "trading_status"), ("BookType", "book_type")):
                self.assertEqual(record[name], wanted[key], name)


class Messages(Nse):
    def test_a_message_without_layout_passes_through(self):
        made = self.capture(datagram(raw_message(17208, b"\x01\xab" + bytes(4)), raw_message(6541, b"")))
        program = self.decode("--feed", "nse-fo", made)
        unknown, heartbeat = map(json.loads, program.out.splitlines())
        self.assertEqual(unknown["fields"]["Body"], "hex:01ab00000000")
        self.assertEqual((unknown["transcode"], unknown["compressed_bytes"], unknown["raw_bytes"]), (17208, 0, 54))
        self.assertNotIn("Body", heartbeat["fields"])
        self.assertIn("transcode 17208 of length 46 has no layout: 1 messages passed through raw", program.talk)

    def test_a_layout_is_a_file(self):
        self.write("own.xml", '<messages><message segment="fo" code="17208" length="46">'
                              '<field name="Token" type="i32" offset="40"/><field name="Side" type="char" offset="45"/>'
                              "</message></messages>")
        feed = self.write("own_feed.xml", '<feed name="own"><nse segment="fo" layouts="own.xml"/>'
                                          '<learned price_places="2" quantity_places="0"/><channel name="N" book="none">'
                                          '<line role="incremental" copy="A" group="233.1.2.5:34331"/></channel></feed>')
        made = self.capture(datagram(raw_message(17208, struct.pack(">ixc", 777, b"B"))))
        fields = self.messages("--feed", feed, made)[0]["fields"]
        self.assertEqual((fields["Token"], fields["Side"], fields["TransCode"]), (777, "B", 17208))

    def test_a_file_that_is_no_capture_is_one_datagram(self):
        with open(self.path("one.bin"), "wb") as file:
            file.write(datagram(raw_message(6541, b"")))
        message = self.messages("--feed", "nse-fo", self.path("one.bin"))[0]
        self.assertEqual(message["transcode"], 6541)
        self.assertNotIn("packet", message)

    def test_errors_say_what_and_where_and_the_next_datagram_goes_on(self):
        good = raw_message(6541, b"")
        block = lambda data: struct.pack(">h", len(data)) + data  # noqa: E731
        made = self.capture(datagram(good, count=2), datagram(good, block(b"\x12\x41\x5c\x00\x11")), datagram(good, block(b"\x20")), b"\2 ",
                            datagram(good))
        found = self.messages("--feed", "nse-fo", made, code=5)
        errors = [(line["error"], line["packet"], line["offset"]) for line in found if "error" in line]
        self.assertEqual(errors, [("bad_length", 0, 54), ("lookbehind_overrun", 1, 58), ("input_overrun", 2, 56), ("truncated", 3, 0)])
        self.assertEqual([line["packet"] for line in found if "error" not in line], [0, 1, 2, 4])

    def test_the_wrong_variant_is_named_when_most_blocks_fail(self):
        bad = datagram(b"\0\5\x12\x41\x5c\x00\x11")
        program = self.decode("--feed", "nse-fo", self.capture(bad, bad), code=5)
        self.assertIn("another LZO variant (LZO1X or LZO1Y?)", program.talk)

    def test_a_progress_bar_is_shown_to_a_terminal(self):
        with open(self.capture(*[datagram(*[raw_message(6541, b"")] * 5)] * 2000), "rb") as file:
            content = file.read()
        shown = r"\r\x1b\[Ktickpath: \d+ % of \d+ MB, \d+ s left"
        said = ""
        for times in (200, 800, 3200):  # a second is silent, and machines differ
            with open(self.path("long.pcap"), "wb") as file:
                file.write(content[:24] + content[24:] * times)
            said = self.said_to_a_terminal("decode", "--feed", "nse-fo", self.path("long.pcap"))
            if re.search(shown, said):
                break
        self.assertRegex(said, shown)

    def test_bad_length_is_explained_where_people_look(self):
        self.assertIn("bad_length", self.run_to_end("decode", "--help").expect_exit(0).out)

    def test_options_about_fast_are_refused(self):
        made = self.capture(datagram(raw_message(6541, b"")))
        for option, *value in (("--templates", made), ("--framing", "none"), ("--reset", "never"), ("--strict",), ("--explain",),
                               ("--message", "5"), ("--hex", "C0"), ("--jobs", "2"), ("--sequence-length-max", "9"), ("--string-bytes-max", "9"),
                               ("--map-bytes-max", "9")):
            program = self.decode("--feed", "nse-fo", option, *value, made, code=2, name=option)
            self.assertIn(f"{option} is about FAST", program.talk)
        self.decode("--feed", "nse-fo", "--format", "xml", made, code=2, name="format")


class Doctor(Nse):
    def doctor(self, path, code=0, name="doctor"):
        return self.run_to_end("doctor", path, name=name).expect_exit(code)

    def test_it_recognises_both_markets(self):
        for segment in ("fo", "cm"):
            path = self.path(segment + ".pcap")
            self.run_to_end("nse-generate", "-o", path, "--segment", segment, "--seconds", "1", name=segment).expect_exit(0)
            out = self.doctor(path, name="doctor-" + segment).out
            self.assertIn("an NSE broadcast", out)
            self.assertIn(f"tickpath decode --feed nse-{segment} ", out)
            self.assertNotIn("variant", out)

    def test_it_names_the_variant_when_most_blocks_fail(self):
        bad = datagram(b"\0\5\x12\x41\x5c\x00\x11")
        out = self.doctor(self.capture(bad, bad, datagram(raw_message(6541, b""))), code=5).out
        self.assertIn("another LZO variant (LZO1X or LZO1Y)", out)
        self.assertIn("2 lookbehind_overrun", out)

    def mixed(self, *, broken=False):
        """A FAST feed of three groups and an NSE broadcast on a fourth, as scripts/demo writes it; every block broken if asked for."""
        self.write_feed(packets=400, lure_from=100, nse=60)
        if not broken:
            return self.path("feed.pcap")
        frames = [(time_ns, capture_file.frame(group, port, datagram(b"\0\5\x12\x41\x5c\x00\x11") if group == "233.1.2.5" else payload))
                  for time_ns, group, port, payload in capture_file.read_payloads(self.path("feed.pcap"))]
        capture_file.write(self.path("broken.pcap"), frames)
        return self.path("broken.pcap")

    def test_it_judges_each_group_by_itself(self):
        path = self.mixed()
        program = self.doctor(path)
        self.assertIn("233.1.2.5:34331: an NSE broadcast (nse-fo): 60 of 60 datagrams, ", program.out)
        self.assertIn("tickpath decode --feed nse-fo ", program.out)
        self.assertIn("several feeds in one file", program.out)
        for group in ("239.192.10.1:30001", "239.192.20.1:30001", "239.192.10.2:30002"):
            self.assertIn(f"{group}: no NSE broadcast; for FAST say which templates", program.out)
        demo = ("--templates", os.path.join(harness.ROOT, "templates/fast/demo/demo.xml"), "--feed",
                os.path.join(harness.ROOT, "templates/feeds/demo.xml"))
        found = self.run_to_end("doctor", path, *demo, "--json", name="json").expect_exit(0).json()
        self.assertEqual((found["nse"]["outcome"], found["fast"]["verdict"]), ("found", "found"))
        self.assertEqual([group["group"] for group in found["nse"]["groups"]], ["233.1.2.5:34331"])
        self.assertIn("datagrams in 3 groups", self.run_to_end("doctor", path, *demo, name="text").expect_exit(0).out)
        out = self.run_to_end("doctor", self.mixed(broken=True), *demo, name="broken").expect_exit(5).out
        self.assertIn("another LZO variant", out)
        self.assertIn("Found, confidence", out)

    def test_it_says_that_a_capture_is_cut(self):
        path = self.capture(*[datagram(raw_message(6541, b""))] * 20)
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(content[:-7])
        out = self.doctor(path).out
        self.assertIn("19 of 19 datagrams", out)
        self.assertRegex(out, r"made\.pcap: .*(cut|truncated)")
        self.assertIn("made.pcap", self.run_to_end("doctor", path, "--json", name="json").json()["nse"]["input_error"])

    def test_it_says_that_a_file_is_empty(self):
        program = self.doctor(self.write("empty.bin", ""), code=5)
        self.assertIn("empty.bin: is empty", program.talk)
        program = self.doctor(self.capture(), code=5, name="no-frames")
        self.assertIn("there is no datagram in it", program.talk)

    def test_other_captures_ask_for_templates(self):
        program = self.doctor(self.capture(b"\xc0\xf8" + bytes(20)), code=2)
        self.assertIn("is no NSE broadcast; for FAST say which templates", program.talk)


class Generate(Nse):
    def generate(self, name, *arguments):
        path = self.path(name)
        self.run_to_end("nse-generate", "-o", path, *arguments, name=name).expect_exit(0)
        return path

    def test_what_is_generated_decodes_without_error_and_holds_what_was_asked_for(self):
        for segment, book, group in (("fo", 470, "233.1.2.5:34331"), ("cm", 566, "239.9.9.9:5000")):
            path = self.generate(segment + ".pcap", "--segment", segment, "--seconds", "2", "--rate", "300", "--tokens", "50", "--group", group)
            messages = self.messages("--feed", f"nse-{segment}", path)
            datagrams = {message["packet"] for message in messages}
            self.assertTrue(480 < len(datagrams) < 720, f"{len(datagrams)} datagrams")
            codes = collections.Counter(message["transcode"] for message in messages)
            self.assertTrue({6511, 7208, 6541} <= set(codes), codes)
            self.assertGreater(codes[7208], len(messages) // 2)
            self.assertEqual({message["group"] for message in messages}, {group})
            tokens = set()
            for message in messages:
                if message["transcode"] != 7208:
                    continue
                self.assertEqual(message["fields"]["MessageLength"], book)
                self.assertGreater(message["compressed_bytes"], 0)
                for record in message["fields"]["Records"]:
                    tokens.add(record["Token"])
                    self.assertLess(record["Bids"][0]["Price"], record["Asks"][0]["Price"])
            self.assertEqual(tokens, set(range(35001, 35051)), "the tokens that were asked for, each of them")

    def test_the_same_seed_gives_the_same_file(self):
        contents = []
        for number, seed in enumerate(("4", "4", "5")):
            with open(self.generate(f"{number}.pcap", "--seconds", "1", "--rate", "100", "--seed", seed), "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertNotEqual(contents[0], contents[2])

    def test_seconds_and_rates_that_are_no_numbers(self):
        for number, arguments in enumerate((("--seconds", "nan"), ("--rate", "nan"), ("--seconds", "inf"))):
            path = self.path(f"{number}.pcap")
            program = self.run_to_end("nse-generate", "-o", path, *arguments, name=str(number)).expect_exit(2)
            self.assertIn(f"{arguments[0]}: {arguments[1]} is not a number", program.talk)
            self.assertFalse(os.path.exists(path), "no file is begun")

    def test_a_file_that_cannot_be_written_and_a_group_that_is_none(self):
        self.run_to_end("nse-generate", "-o", "/no/such/folder/a.pcap", name="folder").expect_exit(1)
        program = self.run_to_end("nse-generate", "-o", self.path("a.pcap"), "--group", "10.0.0.1:1", name="group").expect_exit(2)
        self.assertIn("10.0.0.1 is not an IPv4 multicast address", program.talk)


if __name__ == "__main__":
    tap.main()
