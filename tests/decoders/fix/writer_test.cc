#include "decoders/fix/writer.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "decoders/fix/reader.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fix_text.h"

namespace tickpath::fix {
namespace {

using test::fix_message;
using test::with_bars;

TEST(FixWriter, WritesTheWorkedVector) {
    std::array<char, 256> buffer{};
    TimestampWriter time;
    Writer writer;
    writer.begin(buffer, "FIX.4.4", "0");
    writer.number(tag::msg_seq_num, 2);
    writer.text(tag::sender_comp_id, "ISLD");
    writer.timestamp(tag::sending_time, time, *parse_utc_timestamp("20260105-10:00:00"));
    writer.text(tag::target_comp_id, "TW44");
    const std::size_t size = writer.finish();
    EXPECT_EQ(with_bars({buffer.data(), size}),
              "8=FIX.4.4|9=51|35=0|34=2|49=ISLD|52=20260105-10:00:00.000|56=TW44|10=243|");
}

TEST(FixWriter, WritesEveryKindOfValue) {
    std::array<char, 256> buffer{};
    Writer writer;
    writer.begin(buffer, "FIX.4.4", "8");
    writer.flag(tag::poss_dup_flag, true);
    writer.character(tag::side, '2');
    writer.decimal(tag::price, -5, 3);
    writer.number(tag::order_qty, 18'446'744'073'709'551'615u);
    const std::size_t size = writer.finish();
    EXPECT_EQ(std::string(buffer.data(), size),
              fix_message("35=8|43=Y|54=2|44=-0.005|38=18446744073709551615|"));
}

TEST(FixWriter, FitsBodyLengthOfEveryWidth) {
    std::array<char, 20'000> buffer{};
    for (const std::size_t text_bytes :
         {1u, 80u, 90u, 91u, 92u, 93u, 94u, 95u, 985u, 992u, 993u, 999u, 9'999u, 12'345u}) {
        const std::string text(text_bytes, 'x');
        Writer writer;
        writer.begin(buffer, "FIX.4.4", "B");
        writer.text(tag::text, text);
        const std::size_t size = writer.finish();
        EXPECT_EQ(std::string(buffer.data(), size), fix_message("35=B|58=" + text));
    }
}

TEST(FixWriter, NeverWritesBeyondItsBuffer) {
    for (std::size_t room = 0; room < 200; ++room) {
        std::array<char, 256> buffer;
        buffer.fill('#');
        Writer writer;
        writer.begin(std::span(buffer).first(room), "FIX.4.4", "0");
        writer.text(tag::text, "some text that needs room");
        writer.number(tag::order_qty, 123'456'789'012);
        writer.decimal(tag::price, 123'456, 2);
        const std::size_t size = writer.finish();
        ASSERT_LE(size, room);
        for (std::size_t i = room; i < buffer.size(); ++i)
            ASSERT_EQ(buffer[i], '#') << "room " << room << " byte " << i;
    }
}

TEST(FixWriter, SaysWhenAMessageDidNotFit) {
    std::array<char, 64> buffer{};
    Writer writer;
    writer.begin(buffer, "FIX.4.4", "0");
    writer.text(tag::text, std::string(100, 'x'));
    EXPECT_EQ(writer.finish(), 0u);
    writer.begin(std::span(buffer).first(5), "FIX.4.4", "0");
    EXPECT_EQ(writer.finish(), 0u);
}

TEST(FixWriter, TakesNoMemory) {
    std::array<char, 256> buffer{};
    Writer writer;
    test::AllocationGuard guard;
    writer.begin(buffer, "FIX.4.4", "0");
    writer.decimal(tag::price, 13331, 2);
    ASSERT_NE(writer.finish(), 0u);
}

}  // namespace
}  // namespace tickpath::fix
