"""tickpath lzo1z: files there and back, and what is said about blocks that are wrong."""
import os

import harness
import tap


class Lzo1z(harness.SystemTest):
    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_there_and_back(self):
        for number, data in enumerate((b"", b"A", b"price 107.15;" * 500, bytes(range(256)) * 300)):
            raw, block, back = self.file("raw", data), os.path.join(self.folder, "lz"), os.path.join(self.folder, "back")
            for option in ((), ("--small",)):
                self.run_to_end("lzo1z", "compress", raw, "-o", block, *option, name=f"compress{number}").expect_exit(0)
                self.run_to_end("lzo1z", "decompress", block, "-o", back, name=f"decompress{number}").expect_exit(0)
                with open(back, "rb") as file:
                    self.assertEqual(file.read(), data)

    def refused(self, block, *options):
        path, out = self.file("bad.lz", block), os.path.join(self.folder, "none")
        run = self.run_to_end("lzo1z", "decompress", path, "-o", out, *options, name="refused").expect_exit(5)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(len(run.talk.splitlines()), 1)
        return run.talk

    def test_bad_block_names_error_place_and_what_to_do(self):
        self.assertIn("byte 4: input_overrun", self.refused(bytes.fromhex("14414243")))
        text = self.refused(bytes.fromhex("144142435c110000"))
        self.assertIn("byte 4: lookbehind_overrun", text)
        self.assertIn("wrong variant (LZO1X/1Y)?", text)
        self.assertIn("trailing_input", self.refused(bytes.fromhex("11000000")))

    def test_capacity_is_a_bound(self):
        block = bytes.fromhex("12302000000b0000110000")
        text = self.refused(block, "--capacity", "100")
        self.assertIn("output_overrun", text)
        self.assertIn("--capacity is 100", text)

    def test_a_capacity_takes_no_more_memory_than_the_block_can_fill(self):
        limit = ["prlimit", "--as=1000000000", harness.TICKPATH]
        if self.start_program([*limit, "version"], "version").wait() != 0:
            self.skipTest("cannot start under a memory limit (a sanitizer's shadow, or no prlimit)")
        small, large = self.file("small.lz", bytes.fromhex("1241110000")), self.file("large.lz", b"\x12\x41\x20" + bytes(20_000_000))
        words = ("-o", self.path("out"), "--capacity", "4294967295")
        self.start_program([*limit, "lzo1z", "decompress", small, *words], "small").expect_exit(0)
        talk = self.start_program([*limit, "lzo1z", "decompress", large, *words], "large").expect_exit(1).talk
        self.assertEqual(talk, "tickpath: --capacity 4294967295: there is no memory for 4294967295 bytes\n")

    def test_never_writes_over_its_input(self):
        path = self.file("only.txt", b"the only copy")
        for way in ("compress", "decompress"):
            run = self.run_to_end("lzo1z", way, path, "-o", os.path.join(self.folder, ".", "only.txt"), name=way).expect_exit(2)
            self.assertIn("would write over the input", run.talk)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"the only copy")

    def test_missing_file_and_missing_output(self):
        self.run_to_end("lzo1z", "decompress", "/nonexistent", "-o", "x", name="missing").expect_exit(1)
        self.run_to_end("lzo1z", "decompress", "README.md", name="usage").expect_exit(2)


tap.main()
