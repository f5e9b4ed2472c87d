#include "decoders/fast/message_builder.h"

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::fast {
namespace {

constexpr const char* quote = R"(
    <uInt32 name="n"/> <int32 name="i" presence="optional"/> <uInt64 name="u" presence="optional"/>
    <int64 name="l" presence="optional"/> <decimal name="d" presence="optional"/>
    <string name="s" presence="optional"/> <string name="w" charset="unicode" presence="optional"/>
    <byteVector name="b" presence="optional"/> <string name="kind"><constant value="Q"/></string>
    <uInt32 name="five" presence="optional"><constant value="5"/></uInt32>
    <group name="g" presence="optional"><uInt32 name="a"/><group name="h" presence="optional"><uInt32 name="x"/></group></group>
    <sequence name="rows" presence="optional"><string name="sym"/><sequence name="inner"><uInt32 name="v"/></sequence></sequence>)";

class FastMessageBuilder : public ::testing::Test {
protected:
    FastMessageBuilder() : templates_(load_one(quote)), builder_(templates_) {}

    RowBuilder begin() { return builder_.begin(templates_->all().front()); }
    [[nodiscard]] std::string built() {
        if (!builder_.finish())
            return std::string(code(builder_.error())) + ' ' + std::string(builder_.error_field());
        return test::fast_fields(builder_.tmpl().fields(), builder_.row()).dump();
    }
    [[nodiscard]] FieldRef ref(const char* path) const { return *templates_->all().front().field(path); }

    std::shared_ptr<const Templates> templates_;
    MessageBuilder builder_;
};

TEST_F(FastMessageBuilder, GivesTheRowThatDecodingWouldGive) {
    RowBuilder row = begin();
    EXPECT_TRUE(row.set_u64("n", 7));
    EXPECT_TRUE(row.set_i64("i", -2'147'483'648));
    EXPECT_TRUE(row.set_u64("u", 18'446'744'073'709'551'615u));
    EXPECT_TRUE(row.set_i64("l", -9));
    EXPECT_TRUE(row.set_decimal("d", {10715, -2}));
    EXPECT_TRUE(row.set_text("s", "AB"));
    EXPECT_TRUE(row.set_text("w", "\xC3\x85"));
    EXPECT_TRUE(row.set_text("b", std::string_view("\0\xFF", 2)));
    EXPECT_EQ(built(),
              R"({"n":7,"i":-2147483648,"u":18446744073709551615,"l":-9,"d":{"m":10715,"e":-2},"s":"AB",)"
              R"("w":"Å","b":"hex:00ff","kind":"Q"})");
}

TEST_F(FastMessageBuilder, TakesFieldsByReferenceAndKeepsTheLastValue) {
    RowBuilder row = begin();
    EXPECT_TRUE(row.set_u64(ref("n"), 1));
    EXPECT_TRUE(row.set_u64(ref("n"), 2));
    EXPECT_EQ(built(), R"({"n":2,"kind":"Q"})");
}

TEST_F(FastMessageBuilder, RefusesAMessageWithoutAMandatoryField) {
    begin();
    EXPECT_EQ(built(), "missing n");
    RowBuilder row = begin();
    row.set_u64("n", 1);
    row.set_present("g");
    EXPECT_EQ(built(), "missing g/a");
    row = begin();
    row.set_u64("n", 1);
    row.add_element("rows").set_text("sym", "A");
    EXPECT_EQ(built(), "missing rows/inner") << "an empty sequence is said to be so";
}

TEST_F(FastMessageBuilder, GroupIsThereWithTheFirstOfItsFields) {
    RowBuilder row = begin();
    row.set_u64("n", 1);
    row.set_u64("g/h/x", 3);
    EXPECT_EQ(built(), "missing g/a") << "with the inner group the outer one is there";
    row = begin();
    row.set_u64("n", 1);
    row.set_u64("g/h/x", 3);
    row.set_u64("g/a", 2);
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q","g":{"a":2,"h":{"x":3}}})");
}

// Elements are added in any order of their surroundings; rows of one sequence end up side by side.
TEST_F(FastMessageBuilder, ElementsMayBeFilledInAnyOrder) {
    RowBuilder row = begin();
    row.set_u64("n", 1);
    RowBuilder a = row.add_element("rows");
    RowBuilder b = row.add_element("rows");
    b.set_text("sym", "B");
    b.set_empty("inner");
    a.add_element("inner").set_u64("v", 1);
    RowBuilder c = row.add_element("rows");
    a.add_element("inner").set_u64("v", 2);
    c.set_text("sym", "C");
    c.add_element("inner").set_u64("v", 3);
    a.set_text("sym", "A");
    EXPECT_EQ(built(),
              R"({"n":1,"kind":"Q","rows":[{"sym":"A","inner":[{"v":1},{"v":2}]},{"sym":"B","inner":[]},)"
              R"({"sym":"C","inner":[{"v":3}]}]})");
}

TEST_F(FastMessageBuilder, TellsAbsentFromEmptySequences) {
    RowBuilder row = begin();
    row.set_u64("n", 1);
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q"})");
    EXPECT_TRUE(row.set_empty("rows"));
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q","rows":[]})");
}

TEST_F(FastMessageBuilder, ConstantsTakeOnlyTheirValue) {
    RowBuilder row = begin();
    row.set_u64("n", 1);
    EXPECT_TRUE(row.set_text("kind", "Q"));
    EXPECT_TRUE(row.set_u64("five", 5));
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q","five":5})");
    row = begin();
    row.set_u64("n", 1);
    EXPECT_FALSE(row.set_text("kind", "R"));
    EXPECT_EQ(built(), "unrepresentable kind");
    row = begin();
    EXPECT_FALSE(row.set_u64("five", 6));
    EXPECT_EQ(built(), "unrepresentable five");
    row = begin();
    row.set_u64("n", 1);
    EXPECT_TRUE(row.set_present("five"));
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q","five":5})");
}

TEST_F(FastMessageBuilder, RefusesValuesOutsideTheType) {
    const auto refused = [&](auto set, const char* field) {
        RowBuilder row = begin();
        return !set(row, field) && !builder_.finish()
                   ? std::string(code(builder_.error())) + ' ' + std::string(builder_.error_field())
                   : "taken";
    };
    const auto u64 = [](std::uint64_t value) {
        return [value](RowBuilder& row, const char* field) { return row.set_u64(field, value); };
    };
    const auto i64 = [](std::int64_t value) {
        return [value](RowBuilder& row, const char* field) { return row.set_i64(field, value); };
    };
    EXPECT_EQ(refused(u64(4'294'967'296), "n"), "R4 n");
    EXPECT_EQ(refused(i64(-1), "n"), "R4 n");
    EXPECT_EQ(refused(i64(2'147'483'648), "i"), "R4 i");
    EXPECT_EQ(refused(i64(-2'147'483'649), "i"), "R4 i");
    EXPECT_EQ(refused(i64(-1), "u"), "R4 u");
    EXPECT_EQ(refused(u64(9'223'372'036'854'775'808u), "l"), "R4 l");
    const auto text = [](std::string_view value) {
        return [value](RowBuilder& row, const char* field) { return row.set_text(field, value); };
    };
    EXPECT_EQ(refused(text("\xC3\x85"), "s"), "R3 s");
    EXPECT_EQ(refused(text("\xC3"), "w"), "R2 w");
    EXPECT_EQ(refused(
                  [](RowBuilder& row, const char* field) {
                      return row.set_decimal(field, {1, 64});
                  },
                  "d"),
              "R1 d");
    EXPECT_TRUE(begin().set_unchecked_text(ref("w"), "\xC3"));
}

TEST(FastMessageBuilderNarrow, RefusesValuesBeyondEightAndSixteenBits) {
    const std::shared_ptr<const Templates> templates =
        load_one(R"(<uInt8 name="u" presence="optional"/><int16 name="i" presence="optional"/>)");
    MessageBuilder builder(templates);
    const auto begin = [&] { return builder.begin(templates->all().front()); };
    EXPECT_TRUE(begin().set_u64("u", 255));
    EXPECT_FALSE(begin().set_u64("u", 256));
    EXPECT_TRUE(begin().set_i64("i", -32'768));
    EXPECT_TRUE(begin().set_i64("i", 32'767));
    EXPECT_FALSE(begin().set_i64("i", -32'769));
    EXPECT_FALSE(begin().set_i64("i", 32'768));
    EXPECT_EQ(builder.error(), Errc::r4);
}

TEST_F(FastMessageBuilder, RefusesOtherTypesAndUnknownFields) {
    const auto error = [&](bool done) {
        return done ? "taken"
                    : std::string(code(builder_.error())) + ' ' + std::string(builder_.error_field());
    };
    EXPECT_EQ(error(begin().set_u64("s", 1)), "D1 s");
    EXPECT_EQ(error(begin().set_text("n", "1")), "D1 n");
    EXPECT_EQ(error(begin().set_decimal("rows", {})), "D1 rows");
    EXPECT_EQ(error(begin().set_empty("n")), "D1 n");
    EXPECT_EQ(error(begin().set_present("n")), "D1 n");
    EXPECT_EQ(error(bool(begin().add_element("g"))), "D1 g");
    EXPECT_EQ(error(begin().set_u64("no such", 1)), "unknown ");
    EXPECT_EQ(error(begin().set_text("rows/sym", "A")), "unknown ") << "that is for the rows of the sequence";
    EXPECT_EQ(error(begin().set_u64(FieldRef{.slot = 9'999}, 1)), "unknown ");
    EXPECT_EQ(error(begin().set_u64(FieldRef{.slot = 3, .presence = 77}, 1)), "unknown ");
    EXPECT_EQ(error(begin().set_text(ref("rows/sym"), "A")), "unknown ");
}

TEST_F(FastMessageBuilder, KeepsTheFirstErrorUntilTheNextMessage) {
    RowBuilder row = begin();
    EXPECT_FALSE(row.set_u64("x", 1));
    EXPECT_FALSE(row.set_text("n", "1"));
    EXPECT_TRUE(row.set_u64("n", 1));
    EXPECT_EQ(built(), "unknown ");
    begin().set_u64("n", 1);
    EXPECT_EQ(built(), R"({"n":1,"kind":"Q"})");
}

TEST_F(FastMessageBuilder, RowsOfAnEarlierMessageAreRefused) {
    RowBuilder early = begin();
    begin().set_u64("n", 1);
    EXPECT_FALSE(early.set_u64("n", 2));
    EXPECT_EQ(built(), "unknown ");
    EXPECT_FALSE(RowBuilder().set_u64("n", 1));
    EXPECT_FALSE(RowBuilder().add_element("rows"));
}

TEST_F(FastMessageBuilder, RefusesTemplatesOfOthers) {
    const std::shared_ptr<const Templates> others = load_one(quote);
    EXPECT_FALSE(builder_.begin(others->all().front()));
    EXPECT_EQ(built(), "unknown ");
    EXPECT_FALSE(MessageBuilder(templates_).finish()) << "nothing was begun";
}

TEST(FastMessageBuilderDynamic, PutsAnotherMessageBehindAReference) {
    const std::shared_ptr<const Templates> templates =
        load_all(R"(<template name="Outer" id="1"><uInt32 name="a"/><templateRef/></template>
                    <template name="Inner" id="2"><sequence name="s"><uInt32 name="x"/></sequence></template>)");
    MessageBuilder builder(templates);
    RowBuilder row = builder.begin(*templates->find_template(1));
    row.set_u64("a", 1);
    EXPECT_FALSE(builder.finish());
    row = builder.begin(*templates->find_template(1));
    row.set_u64("a", 1);
    RowBuilder inner = row.set_dynamic("<dyn>", *templates->find_template(2));
    inner.add_element("s").set_u64("x", 4);
    ASSERT_TRUE(builder.finish());
    EXPECT_EQ(test::fast_fields(builder.tmpl().fields(), builder.row()).dump(),
              R"({"a":1,"<dyn>":{"template":"Inner","fields":{"s":[{"x":4}]}}})");
}

TEST(FastMessageBuilderDynamic, BoundsTheDepth) {
    const std::shared_ptr<const Templates> templates =
        load_all(R"(<template name="Outer" id="1"><templateRef/></template>)");
    MessageBuilder builder(templates);
    RowBuilder row = builder.begin(templates->all().front());
    for (int i = 0; i < 1'000 && row; ++i)
        row = row.set_dynamic("<dyn>", templates->all().front());
    EXPECT_FALSE(row);
    EXPECT_FALSE(builder.finish());
    EXPECT_EQ(builder.error(), Errc::limit);
}

TEST_F(FastMessageBuilder, TakesNoMemoryOnceItHasSeenTheSize) {
    const auto build = [&] {
        RowBuilder row = begin();
        row.set_u64(ref("n"), 1);
        row.set_text(ref("s"), "a text that is longer than any small string");
        for (int i = 0; i < 20; ++i) {
            RowBuilder element = row.add_element(ref("rows"));
            element.set_text("sym", "SYMBOL");
            element.add_element("inner").set_u64("v", 1);
        }
        return builder_.finish();
    };
    ASSERT_TRUE(build());
    test::AllocationGuard guard;
    EXPECT_TRUE(build());
}

}  // namespace
}  // namespace tickpath::fast
