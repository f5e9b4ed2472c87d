#include "decoders/fast/stream_decoder.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using Bytes = std::vector<std::byte>;

std::string text_of(const Message& message) {
    std::string text = message.tmpl().label() + ' ' +
                       test::fast_fields(message.tmpl().fields(), message.root())
                           .dump(-1, ' ', false, test::Json::error_handler_t::replace);
    for (std::size_t i = 0; i < report_count; ++i)
        if (message.reported(static_cast<Report>(i)))
            text += ' ' + std::string(code(errc_of(static_cast<Report>(i))));
    return text;
}

// Messages, one a line, and the error that ended them. Bytes missing at the end are nothing to tell.
std::string whole(const std::shared_ptr<const Templates>& templates, DecoderOptions options,
                  const Bytes& bytes) {
    if (options.reset == ResetRule::datagram) options.reset = ResetRule::never;
    options.limits.datagram_bytes_max = 1u << 24;
    Decoder decoder(templates, options);
    std::string out;
    decoder.begin(bytes, 0);
    while (decoder.next())
        out += text_of(decoder.message()) + '\n';
    if (decoder.error() != Errc::ok && decoder.error() != Errc::truncated) out += code(decoder.error());
    return out;
}

// A receiver: pieces of the given sizes go behind what is left, as from a socket.
class Receiver {
public:
    Receiver(const std::shared_ptr<const Templates>& templates, DecoderOptions options,
             std::size_t tailroom_bytes)
        : stream_(templates, options), tailroom_bytes_(tailroom_bytes) {}

    // False after an error.
    bool receive(std::span<const std::byte> piece) {
        left_.insert(left_.end(), piece.begin(), piece.end());
        const std::size_t size = left_.size();
        left_.resize(size + tailroom_bytes_, std::byte{0x11});
        stream_.begin({left_.data(), size}, tailroom_bytes_);
        while (stream_.next()) {
            out_ += text_of(stream_.message()) + '\n';
            EXPECT_EQ(stream_.consumed() - stream_.message_start(),
                      stream_.message().end() - stream_.message().start());
        }
        EXPECT_LE(stream_.consumed(), size);
        left_.resize(size);
        left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(stream_.consumed()));
        if (stream_.error() == Errc::ok) return true;
        out_ += code(stream_.error());
        return false;
    }
    [[nodiscard]] const std::string& out() const { return out_; }
    [[nodiscard]] std::size_t left() const { return left_.size(); }
    [[nodiscard]] StreamDecoder& stream() { return stream_; }

private:
    StreamDecoder stream_;
    std::size_t tailroom_bytes_;
    Bytes left_;
    std::string out_;
};

// Pieces of one byte when `most` is 1, else of random sizes up to it.
std::string in_pieces(const std::shared_ptr<const Templates>& templates, DecoderOptions options,
                      const Bytes& bytes, std::size_t most, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Receiver receiver(templates, options, seed % 2 == 0 ? 0 : templates->program().padding_bytes);
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t size =
            std::min<std::size_t>(bytes.size() - at, most == 1 ? 1 : 1 + random() % most);
        if (!receiver.receive(std::span(bytes).subspan(at, size))) break;
        at += size;
    }
    return receiver.out();
}

void expect_same(const std::shared_ptr<const Templates>& templates, const DecoderOptions& options,
                 const Bytes& bytes, const std::string& what) {
    const std::string expected = whole(templates, options, bytes);
    for (const std::size_t most : {1, 3, 40, 2'000})
        ASSERT_EQ(in_pieces(templates, options, bytes, most, most), expected)
            << what << ", pieces of " << most;
}

// Every operator, type and dictionary is in the vectors.
TEST(FastStreamDecoder, DecodesTheVectorsInPiecesAsInOne) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t cases = 0;
    for (const char* name : {"vectors.json", "extra_vectors.json"})
        for (const test::Json& one :
             test::Json::parse(test::read_file(test::shared_data() / "fast" / "vectors" / name))) {
            const auto templates =
                one.contains("templates_xml")
                    ? [&] {
                          Diagnostics diagnostics;
                          return load_templates(one["templates_xml"].get<std::string>(), "vector", diagnostics);
                      }()
                    : load_all("<template name=\"t\" id=\"1\">" + one["fields_xml"].get<std::string>() + "</template>");
            Bytes bytes;
            for (const test::Json& row : one["messages"]) {
                const Bytes message = test::from_hex(row["hex"].get<std::string>());
                bytes.insert(bytes.end(), message.begin(), message.end());
            }
            for (const bool strict : {false, true})
                expect_same(templates, {.reset = ResetRule::never, .strict = strict}, bytes,
                            one["name"].get<std::string>());
            ++cases;
        }
    EXPECT_EQ(cases, 84u);
}

TEST(FastStreamDecoder, DecodesRecordingsInPiecesAsInOne) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::filesystem::path folder = test::shared_data() / "fast";
    const auto load = [&](const char* file) {
        Diagnostics diagnostics;
        return load_template_file(folder / file, diagnostics);
    };
    const auto bytes_of = [](const std::string& text) {
        const auto* first = reinterpret_cast<const std::byte*>(text.data());
        return Bytes(first, first + text.size());
    };
    const std::size_t most = test::at_level(20'000, 200'000, 4'000'000);
    std::string rts = test::read_file(folder / "rts-forts-2013/increment_a.dat");
    rts.resize(std::min(rts.size(), most));
    expect_same(load("rts-forts-2013/templates.xml"), {.reset = ResetRule::never}, bytes_of(rts),
                "increment_a");

    const std::string framed = test::read_file(folder / "quickfast-complex30000/complex30000.dat");
    std::string stream;
    for (std::size_t at = 0; at < framed.size() && stream.size() < most;) {
        const auto size = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(framed.data()) + at);
        stream += framed.substr(at + 4, size);
        at += 4 + size;
    }
    for (const ResetRule rule : {ResetRule::never, ResetRule::message})
        expect_same(load("quickfast-complex30000/example.xml"), {.reset = rule}, bytes_of(stream),
                    "complex30000");
}

TEST(FastStreamDecoder, DecodesMadeUpStreamsInPiecesAsInOne) {
    const std::uint64_t seeds = test::at_level(150, 600, 10'000);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        test::RandomTemplates random(seed);
        Diagnostics diagnostics;
        const auto templates = load_templates(random.xml(), "made up", diagnostics);
        ASSERT_TRUE(templates) << diagnostics.format();
        for (int i = 0; i < 8; ++i) {
            constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never,
                                           ResetRule::template_id};
            const DecoderOptions options = {
                .reset = rules[random.below(4)],
                .reset_template_id = static_cast<std::uint32_t>(3 + random.below(2)),
                .strict = random.below(4) == 0};
            Bytes bytes;
            for (int piece = 0; piece < 4; ++piece) {
                const Bytes more = random.datagram();
                bytes.insert(bytes.end(), more.begin(), more.end());
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(templates, options, bytes,
                                                "seed " + std::to_string(seed) + ' ' + std::to_string(i)));
        }
    }
}

// ---- one thing at a time

TEST(FastStreamDecoder, TakesBackWhatAnIncompleteMessageDid) {
    const auto templates = load_all(R"(<template name="T" id="1">
        <uInt32 name="a"><increment/></uInt32><string name="b"><tail/></string>
        <decimal name="c"><delta/></decimal><uInt8 name="d"><increment/></uInt8><uInt32 name="e"/></template>
        <template name="R" id="2" reset="Y"><uInt32 name="e"/></template>)");
    Receiver receiver(templates, {.reset = ResetRule::never}, 0);
    ASSERT_TRUE(receiver.receive(test::from_hex("f8 81 85 41 c2 fe 8a 01 ff 87")));
    for (int i = 0; i < 3; ++i)  // each time without its last field
        ASSERT_TRUE(receiver.receive(test::from_hex(i == 0 ? "80 80 81" : "")));
    ASSERT_TRUE(receiver.receive(test::from_hex("88  c0 82")));
    EXPECT_EQ(receiver.left(), 2u);
    EXPECT_EQ(receiver.out(), R"(T {"a":5,"b":"AB","c":{"m":10,"e":-2},"d":255,"e":7})"
                              "\n"
                              R"(T {"a":6,"b":"AB","c":{"m":11,"e":-2},"d":0,"e":8})"
                              "\n");
    ASSERT_TRUE(receiver.receive(test::from_hex("89")));
    EXPECT_EQ(receiver.left(), 0u);
    ASSERT_FALSE(receiver.receive(test::from_hex("c0 81 80 80 81 87"))) << "the reset was meant";
    EXPECT_NE(receiver.out().find("R {\"e\":9}\nD5"), std::string::npos) << receiver.out();
}

TEST(FastStreamDecoder, TellsMissingBytesFromWrongOnes) {
    const auto templates = load_one(R"(<uInt32 name="a"/><uInt32 name="b"/>)");
    StreamDecoder stream(templates, {.reset = ResetRule::never});
    const Bytes bytes = test::from_hex("c0 81 85 10 00 00 00 80");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        stream.begin(std::span(bytes).first(size), 0);
        EXPECT_FALSE(stream.next());
        EXPECT_EQ(stream.error(), Errc::ok) << size;
        EXPECT_EQ(stream.consumed(), 0u);
        EXPECT_FALSE(stream.poisoned());
    }
    stream.begin(bytes, 0);
    EXPECT_FALSE(stream.next());
    EXPECT_EQ(stream.error(), Errc::d2);
    EXPECT_EQ(stream.error_place().field, "b");
    EXPECT_EQ(stream.error_place().offset, 3u);
    EXPECT_EQ(stream.counts().messages, 0u);
}

TEST(FastStreamDecoder, IsPoisonedBehindAnErrorUntilAReset) {
    StreamDecoder stream(load_one(R"(<uInt32 name="a"><copy/></uInt32>)"), {.reset = ResetRule::datagram});
    const Bytes bad = test::from_hex("e0 81 85  e0 81 10 00 00 00 80");
    stream.begin(bad, 0);
    ASSERT_TRUE(stream.next());
    EXPECT_FALSE(stream.next());
    EXPECT_EQ(stream.error(), Errc::d2);
    EXPECT_EQ(stream.consumed(), 3u) << "what was delivered before stays delivered";
    const Bytes good = test::from_hex("80");
    stream.begin(good, 0);
    EXPECT_FALSE(stream.next());
    EXPECT_EQ(stream.error(), Errc::poisoned);
    stream.reset();
    stream.begin(good, 0);
    EXPECT_FALSE(stream.next());
    EXPECT_EQ(stream.error(), Errc::d5);
}

TEST(FastStreamDecoder, BoundsAMessageThatNeverEnds) {
    const auto templates = load_one(R"(<byteVector name="a"/>)");
    const DecoderOptions options = {.reset = ResetRule::message, .limits = {.datagram_bytes_max = 32}};
    EXPECT_EQ(in_pieces(templates, options,
                        test::from_hex("c0 81 9c" +
                                       [] {
                                           std::string text;
                                           for (int i = 0; i < 28; ++i)
                                               text += " 01";
                                           return text;
                                       }()),
                        1, 1)
                  .substr(0, 12),
              "T {\"a\":\"hex:")
        << "31 bytes are not too long";
    Bytes longer = test::from_hex("c0 81 9e");
    longer.resize(40);
    EXPECT_EQ(in_pieces(templates, options, longer, 1, 1), "limit");
    EXPECT_EQ(in_pieces(templates, options, longer, 2'000, 1), "limit");
}

// More than the decoder copies at once: one stretch after the other, texts of the dictionary included.
TEST(FastStreamDecoder, TakesMoreThanItCopiesAtOnce) {
    const auto templates = load_one(R"(<string name="a"><delta/></string>)");
    Bytes bytes = test::from_hex("c0 81 80 41 42 c3");
    std::string expected = "T {\"a\":\"ABC\"}\n";
    for (int i = 0; i < 50; ++i) {
        const Bytes message = test::from_hex(i % 2 == 0 ? "80 81 58 d9" : "80 82 c3");
        bytes.insert(bytes.end(), message.begin(), message.end());
        expected += i % 2 == 0 ? "T {\"a\":\"ABXY\"}\n" : "T {\"a\":\"ABC\"}\n";
    }
    const DecoderOptions options = {.reset = ResetRule::never, .limits = {.datagram_bytes_max = 16}};
    EXPECT_EQ(in_pieces(templates, options, bytes, 2'000, 2), expected);
    Receiver receiver(templates, options, 0);
    ASSERT_TRUE(receiver.receive(bytes));
    EXPECT_EQ(receiver.out(), expected);
}

TEST(FastStreamDecoder, AllocatesNothing) {
    const auto templates = load_one(R"(<uInt32 name="a"><increment/></uInt32><string name="b"><tail/></string>
        <sequence name="s"><decimal name="c"><delta/></decimal></sequence>)");
    StreamDecoder stream(templates, {.reset = ResetRule::never});
    const Bytes bytes = test::from_hex("f0 81 85 41 c2 82 fe 8a 80 81  90 43 81 80 80");
    const test::AllocationGuard guard;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        stream.begin(std::span(bytes).first(size), 0);
        while (stream.next()) {
        }
    }
    EXPECT_EQ(guard.count(), 0u);
    EXPECT_EQ(stream.error(), Errc::ok);
}

}  // namespace
}  // namespace tickpath::fast
