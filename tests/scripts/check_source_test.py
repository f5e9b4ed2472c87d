"""Planted violations for the two checks that ask a tool: check_headers.py (compiler) and check_format.py."""
import planted
import tap


class Headers(planted.Tree):
    check = "check_headers"

    def test_headers_that_compile_alone(self):
        self.write("decoders/fast/cursor.h", "#pragma once\n#include <cstdint>\ninline std::uint8_t one() { return 1; }\n")
        self.write("decoders/fast/second.h", '#pragma once\n#include "decoders/fast/cursor.h"\n')
        self.assert_clean()

    def test_a_header_that_leans_on_its_includers(self):
        self.write("dataplane/core/ring.h", "#pragma once\ninline std::uint8_t one() { return 1; }\n")
        self.assert_found("dataplane/core/ring.h:1: alone: does not compile alone")

    def test_a_header_that_warns(self):
        self.write("dataplane/core/ring.h", "#pragma once\ninline int one(double x) { return (int)x; }\n")
        self.assert_found("dataplane/core/ring.h:1: alone")


class Format(planted.Tree):
    check = "check_format"

    def setUp(self):
        super().setUp()
        self.copy(".clang-format")

    def test_a_formatted_file(self):
        self.write("decoders/fast/cursor.h", "#pragma once\n\nint one();\n")
        self.assert_clean()

    def test_an_unformatted_file(self):
        self.write("decoders/fast/cursor.h", "#pragma once\n\nint   one( );\n")
        self.assert_found("decoders/fast/cursor.h:3: format: is not formatted")


if __name__ == "__main__":
    tap.main()
