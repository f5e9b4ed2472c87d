"""Planted violations: each rule of check_doors.py is broken once in a small tree and must be named."""

import planted
import tap


class Doors(planted.Tree):
    check = "check_doors"

    def setUp(self):
        super().setUp()
        self.copy("tests/tidy/doors.json")
        for room in ("decoders/base", "decoders/net", "decoders/fast", "dataplane/core", "dataplane/feed", "dataplane/trade"):
            self.write(f"{room}/thing.h", "#pragma once\n")

    def test_an_orderly_tree_has_no_finding(self):
        self.write("dataplane/feed/stage.h", '#include <span>\n#include "decoders/fast/thing.h"\n#include "dataplane/core/thing.h"\n')
        self.assert_clean()

    def test_a_decoder_that_looks_into_the_dataplane(self):
        self.write("decoders/fast/cursor.h", '\n#include "dataplane/core/thing.h"\n')
        self.assert_found("decoders/fast/cursor.h:2: doors: decoders/fast may not include dataplane/core")

    def test_decoders_that_include_each_other(self):
        self.write("decoders/fast/cursor.h", '#include "decoders/net/thing.h"\n')
        self.assert_found("decoders/fast may not include decoders/net")

    def test_trade_that_knows_feed(self):
        self.write("dataplane/trade/book.h", '#include "dataplane/feed/thing.h"\n')
        self.assert_found("dataplane/trade may not include dataplane/feed")

    def test_dataplane_that_looks_into_control(self):
        self.write("control/config/config.h", "#pragma once\n")
        self.write("dataplane/feed/stage.h", '#include "control/config/config.h"\n')
        self.assert_found("dataplane/feed may not include control/config")

    def test_a_room_that_looks_into_tests(self):
        self.write("tests/support/fake.h", "#pragma once\n")
        self.write("dataplane/feed/stage.h", '#include "tests/support/fake.h"\n')
        self.assert_found('"tests/support/fake.h" is in no room')

    def test_a_header_that_the_build_generates_is_in_no_room(self):
        self.write("dataplane/feed/stage.h", '#include "venue.generated.h"\n')
        self.assert_clean()
        self.write("dataplane/feed/stage.h", '#include "decoders/fast/venue.generated.h"\n')
        self.assert_found("is not spelled from the root")

    def test_an_include_not_spelled_from_the_root(self):
        self.write("dataplane/feed/stage.h", '#include "thing.h"\n')
        self.assert_found('"thing.h" is not spelled from the root')

    def test_dpdk_outside_its_file(self):
        self.write("dataplane/feed/stage.h", "#include <rte_mbuf.h>\n")
        self.assert_found("<rte_mbuf.h>: dpdk is for dataplane/port/dpdk_*")

    def test_pugixml_in_a_hot_decoder(self):
        self.write("decoders/fast/decoder.cc", "#include <pugixml.hpp>\n")
        self.assert_found("<pugixml.hpp>: pugixml is for")

    def test_gtest_outside_tests(self):
        self.write("dataplane/core/ring.h", "#include <gtest/gtest.h>\n")
        self.assert_found("<gtest/gtest.h>: gtest is for tests/*")

    def test_a_decoder_with_a_thread_or_a_socket(self):
        for header in ("thread", "sys/socket.h"):
            with self.subTest(header):
                self.write("decoders/fast/cursor.h", f"#include <{header}>\n")
                self.assert_found(f"<{header}>: a decoder has no I/O and no thread")

    def test_a_decoder_that_reads_a_clock(self):
        self.write("decoders/fast/cursor.h", "#include <chrono>\nauto now = std::chrono::steady_clock::now();\n")
        self.assert_found("decoders/fast/cursor.h:2: doors: a decoder reads no clock")

    def test_a_package_nobody_listed(self):
        self.write("dataplane/core/ring.h", "#include <boost/lockfree/queue.hpp>\n")
        self.assert_found("<boost/lockfree/queue.hpp> is of no package")

    def test_a_room_without_an_entry(self):
        self.write("dataplane/attic/old.h", "#pragma once\n")
        self.assert_found("room dataplane/attic has no entry")


if __name__ == "__main__":
    tap.main()
