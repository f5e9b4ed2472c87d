#include "decoders/fast/entry_sink.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::fast {
namespace {

// Writes down what it is handed, and what the decoder then delivers.
class Listener {
public:
    Listener(const std::shared_ptr<const Templates>& templates, const std::vector<std::string>& paths,
             DecoderOptions options = {.reset = ResetRule::datagram})
        : decoder_(templates->with_entry_sinks(paths), options) {
        decoder_.set_entry_sink(
            {.on_entry = [](void* owner,
                            const Entry& entry) noexcept { static_cast<Listener*>(owner)->on_entry(entry); },
             .owner = this});
    }

    /// "root|entry" for each element, then what decode_hex says.
    [[nodiscard]] std::string decode(std::string_view hex) {
        heard_.clear();
        const std::string delivered = decode_hex(decoder_, hex);
        return heard_ + "=> " + delivered;
    }

private:
    void on_entry(const Entry& entry) {
        const Template& tmpl = decoder_.templates().all()[entry.template_index];
        const Field* sequence = nullptr;
        for (const Field& field : tmpl.fields())
            if (field.ref.type == FieldType::sequence) sequence = &field;
        std::string before;
        for (const Field& field : tmpl.fields()) {
            if (field.ref.type == FieldType::sequence) break;
            if (entry.root.has(field.ref))
                before += field.name + std::to_string(entry.root.u64(field.ref)) + ' ';
        }
        heard_ +=
            before + test::fast_fields(sequence->fields, entry.row).dump() + (entry.is_last ? "! " : " ");
    }

    Decoder decoder_;
    std::string heard_;
};

constexpr const char* fields = R"(<uInt32 name="n"/><uInt32 name="o" presence="optional"/>
    <sequence name="s"><uInt32 name="a"><copy/></uInt32><string name="t"/></sequence><uInt32 name="z"/>)";

TEST(FastEntrySink, TakesEachElementBeforeTheMessageIsComplete) {
    Listener listener(load_one(fields), {"s"});
    EXPECT_EQ(listener.decode("c0 81 87 80 82 c0 85 c1 80 c2 89"),
              R"(n7 {"a":5,"t":"A"} n7 {"a":5,"t":"B"}! )"
              R"(=> {"n":7,"s":[{"a":5,"t":"A"},{"a":5,"t":"B"}],"z":9})");
    EXPECT_EQ(listener.decode("c0 81 87 84 80 89"), R"(=> {"n":7,"o":3,"s":[],"z":9})");
}

TEST(FastEntrySink, TakesTheElementsOfAMessageThatFailsLater) {
    Listener listener(load_one(fields), {"s"});
    EXPECT_EQ(listener.decode("c0 81 87 84 82 c0 85 c1 80 c2 10 00 00 00 80"),
              R"(n7 o3 {"a":5,"t":"A"} n7 o3 {"a":5,"t":"B"}! => D2)");
    EXPECT_EQ(listener.decode("c0 81 87 80 82 c0 85 c1 c0 10 00 00 00 80 c2"), R"(n7 {"a":5,"t":"A"} => D2)");
}

TEST(FastEntrySink, TakesNothingThatTheDatagramsEndCutsOff) {
    Listener listener(load_one(fields), {"s"});
    EXPECT_EQ(listener.decode("c0 81 87 80 82 c0 85 c1 80 "), R"(n7 {"a":5,"t":"A"} => truncated)");
    EXPECT_EQ(listener.decode("c0 81 87 80 81 c0 85 41"), "=> truncated");
}

TEST(FastEntrySink, WorksWithoutElementMapsAndWithManyPresenceBits) {
    Listener plain(
        load_one(R"(<uInt32 name="n" presence="optional"/><sequence name="s"><uInt32 name="a"/></sequence>)"),
        {"s"});
    EXPECT_EQ(plain.decode("c0 81 88 82 81 82"),
              R"(n7 {"a":1} n7 {"a":2}! => {"n":7,"s":[{"a":1},{"a":2}]})");
    std::string many;
    std::string absent;
    for (int i = 0; i < 70; ++i) {
        many += "<uInt32 name=\"o" + std::to_string(i) + "\" presence=\"optional\"/>";
        absent += " 80";
    }
    Listener wide(
        load_one(R"(<uInt32 name="n"/>)" + many + R"(<sequence name="s"><uInt32 name="a"/></sequence>)"),
        {"s"});
    EXPECT_EQ(wide.decode("c0 81 87" + absent + " 82 81 82"),
              R"(n7 {"a":1} n7 {"a":2}! => {"n":7,"s":[{"a":1},{"a":2}]})");
}

TEST(FastEntrySink, OfOtherSequencesAndTemplatesHearsNothing) {
    const auto templates =
        load_all(R"(<template name="A" id="1"><sequence name="s"><uInt32 name="a"/></sequence></template>
        <template name="B" id="2"><sequence name="s"><uInt32 name="a"/></sequence></template>
        <template name="C" id="3"><sequence name="s"><sequence name="inner"><uInt32 name="a"/></sequence></sequence></template>
        <template name="D" id="4"><templateRef/></template>)");
    Listener listener(templates, {"s", "", "s/inner", ""});
    EXPECT_EQ(listener.decode("c0 81 81 85"), R"({"a":5}! => {"s":[{"a":5}]})");
    EXPECT_EQ(listener.decode("c0 82 81 85"), R"(=> {"s":[{"a":5}]})");
    EXPECT_EQ(listener.decode("c0 83 81 81 85"), R"(=> {"s":[{"inner":[{"a":5}]}]})")
        << "inside another sequence";
    EXPECT_EQ(listener.decode("c0 84 c0 81 81 85").substr(0, 3), "=> ") << "behind a dynamic reference";
}

TEST(FastEntrySink, NobodyListeningIsNoError) {
    Decoder decoder(load_one(fields)->with_entry_sinks({"s"}), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 87 80 81 c0 85 c1 89"), R"({"n":7,"s":[{"a":5,"t":"A"}],"z":9})");
}

TEST(FastEntrySink, AllocatesNothing) {
    Decoder decoder(load_one(fields)->with_entry_sinks({"s"}), {.reset = ResetRule::datagram});
    std::size_t count = 0;
    decoder.set_entry_sink(
        {.on_entry = [](void* owner, const Entry&) noexcept { ++*static_cast<std::size_t*>(owner); },
         .owner = &count});
    const std::vector<std::byte> bytes = test::from_hex("c0 81 87 80 82 c0 85 c1 80 c2 89");
    const test::AllocationGuard guard;
    decoder.begin(bytes, 0);
    while (decoder.next()) {
    }
    EXPECT_EQ(guard.count(), 0u);
    EXPECT_EQ(count, 2u);
}

}  // namespace
}  // namespace tickpath::fast
