// Generated decoders on what the interpreter is measured by: the vectors value for value, their streams cut
// and changed, and recorded messages. Their templates are shared data, so the decoders are generated and
// compiled here.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/compiled_decoders.h"
#include "tests/support/fast_tiers.h"
#include "tests/support/fast_vectors.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

using test::Json;
using Sets = std::vector<std::shared_ptr<const Templates>>;

std::shared_ptr<const Templates> load(const std::string& xml) {
    Diagnostics diagnostics;
    auto templates = load_templates(xml, "generated", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format() << xml;
    return templates;
}

class FastGeneratedVectors : public testing::Test {
protected:
    // Once for all tests: compiling takes seconds.
    static void SetUpTestSuite() {
        if (test::shared_data().empty()) return;
        for (const char* name : {"vectors.json", "extra_vectors.json"})
            for (const Json& one_case : test::read_vectors(name))
                cases_.push_back(one_case);
        for (const Json& one_case : cases_)
            sets_.push_back(load(test::templates_of(one_case)));
        compiled_ = std::make_unique<test::CompiledDecoders>(sets_);
    }
    static void TearDownTestSuite() {
        compiled_.reset();
        sets_.clear();
        cases_.clear();
    }

    static Json expected(const Json& one_case, const Json& row) {
        const Json& expect = row["expect"];
        if (one_case.contains("templates_xml") || (expect.is_object() && expect.contains("error")))
            return expect;
        const bool is_scalar =
            one_case["fields_xml"].get<std::string>().find("name=\"f\"") != std::string::npos;
        return {{"template", "t"}, {"fields", test::expected_fields(expect, is_scalar)}};
    }
    static std::vector<std::byte> stream(const Json& one_case) {
        std::vector<std::byte> out;
        for (const Json& row : one_case["messages"]) {
            const std::vector<std::byte> bytes = test::from_hex(row["hex"].get<std::string>());
            out.insert(out.end(), bytes.begin(), bytes.end());
        }
        return out;
    }

    static inline std::vector<Json> cases_;
    static inline Sets sets_;
    static inline std::unique_ptr<test::CompiledDecoders> compiled_;
};

TEST_F(FastGeneratedVectors, DecodeToTheirValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    unsigned right = 0;
    unsigned count = 0;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        Decoder decoder(compiled_->sets()[i], {.reset = ResetRule::never});
        for (const Json& row : cases_[i]["messages"]) {
            const std::string decoded = test::decode_row(decoder, row).dump();
            EXPECT_EQ(decoded, expected(cases_[i], row).dump()) << cases_[i]["name"] << ": " << row["hex"];
            right += decoded == expected(cases_[i], row).dump() ? 1 : 0;
            ++count;
        }
    }
    std::cout << "generated decoders: " << right << " of " << count << " vectors\n";
    EXPECT_EQ(count, 174u + 71u);
    EXPECT_EQ(right, count);
    EXPECT_GT(compiled_->generated_count(), 10 * compiled_->interpreted_count());
}

TEST_F(FastGeneratedVectors, AgreeWithTheInterpreterOnEveryTruncation) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        const std::vector<std::byte> whole = stream(cases_[i]);
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            test::FastTiers tiers(sets_[i], compiled_->sets()[i], {.reset = ResetRule::never});
            const auto both = tiers.decode({whole.data(), size});
            ASSERT_EQ(both.generated, both.interpreted) << cases_[i]["name"] << ", " << size << " bytes";
        }
    }
}

TEST_F(FastGeneratedVectors, AgreeWithTheInterpreterOnChangedBytes) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::mt19937_64 random(13);
    const std::uint64_t rounds = test::at_level(30, 300, 5'000);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        const std::vector<std::byte> whole = stream(cases_[i]);
        test::FastTiers lenient(sets_[i], compiled_->sets()[i], {.reset = ResetRule::never});
        test::FastTiers strict(sets_[i], compiled_->sets()[i],
                               {.reset = ResetRule::datagram, .strict = true});
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::vector<std::byte> changed = whole;
            for (std::uint64_t c = 0, changes = 1 + random() % 3; c < changes; ++c)
                changed[random() % changed.size()] = static_cast<std::byte>(random());
            for (test::FastTiers* const tiers : {&lenient, &strict}) {
                const auto both = tiers->decode(changed);
                ASSERT_EQ(both.generated, both.interpreted) << cases_[i]["name"] << ", round " << round;
                tiers->lift_poison();
            }
        }
    }
}

// ---- recordings

struct Recording {
    const char* templates;
    const char* file;
    std::size_t preamble_bytes;
    bool has_length;  // the preamble is the message's length
    ResetRule reset;
};

constexpr Recording recordings[] = {
    {"quickfast-complex30000/example.xml", "quickfast-complex30000/complex30000.dat", 4, true,
     ResetRule::never},
    {"moex-asts-olr-2019/test.xml", "moex-asts-olr-2019/data.dat", 4, false, ResetRule::message},
    {"rts-forts-2013/templates.xml", "rts-forts-2013/increment_a.dat", 0, false, ResetRule::never},
    {"rts-forts-2013/templates.xml", "rts-forts-2013/snapshot.dat", 0, false, ResetRule::never},
};

class FastGeneratedRecordings : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (test::shared_data().empty()) return;
        for (const Recording& recording : recordings)
            sets_.push_back(load(test::read_file(test::shared_data() / "fast" / recording.templates)));
        compiled_ = std::make_unique<test::CompiledDecoders>(sets_);
    }
    static void TearDownTestSuite() {
        compiled_.reset();
        sets_.clear();
    }

    // Single messages, cut out with the interpreter.
    static std::vector<std::vector<std::byte>> messages(std::size_t which, std::size_t most) {
        const Recording& recording = recordings[which];
        Decoder decoder(sets_[which], {.reset = recording.reset});
        const std::string file = test::read_file(test::shared_data() / "fast" / recording.file);
        std::vector<std::vector<std::byte>> out;
        for (std::size_t at = recording.preamble_bytes; at < file.size() && out.size() < most;) {
            const auto* const first = reinterpret_cast<const std::byte*>(file.data()) + at;
            std::size_t size = std::min<std::size_t>(file.size() - at, 4'000);
            if (recording.has_length) size = load_little<std::uint32_t>(first - recording.preamble_bytes);
            decoder.begin({first, size}, 0);
            EXPECT_TRUE(decoder.next()) << recording.file << " at " << at;
            out.emplace_back(first, first + decoder.message().end());
            at += decoder.message().end() + recording.preamble_bytes;
        }
        return out;
    }

    static inline Sets sets_;
    static inline std::unique_ptr<test::CompiledDecoders> compiled_;
};

TEST_F(FastGeneratedRecordings, DecodeToTheSameValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    EXPECT_EQ(compiled_->interpreted_count(), 0u);
    const std::size_t most = test::at_level(1'000, 4'000, 20'000);
    for (std::size_t which = 0; which < std::size(recordings); ++which) {
        test::FastTiers tiers(sets_[which], compiled_->sets()[which], {.reset = recordings[which].reset});
        std::size_t decoded = 0;
        for (const std::vector<std::byte>& message : messages(which, most)) {
            const auto both = tiers.decode(message);
            ASSERT_EQ(both.generated, both.interpreted) << recordings[which].file << ", message " << decoded;
            decoded += both.messages;
        }
        EXPECT_GE(decoded, std::min<std::size_t>(most, 3'346)) << recordings[which].file;
    }
}

TEST_F(FastGeneratedRecordings, AgreeWithTheInterpreterOnChangedBytes) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::mt19937_64 random(17);
    for (std::size_t which = 0; which < std::size(recordings); ++which) {
        test::FastTiers tiers(sets_[which], compiled_->sets()[which], {.reset = recordings[which].reset});
        for (std::vector<std::byte> message : messages(which, test::at_level(1'000, 4'000, 20'000))) {
            message[random() % message.size()] ^= static_cast<std::byte>(1u << random() % 8);
            if (random() % 8 == 0) message.resize(random() % message.size());
            const auto both = tiers.decode(message);
            ASSERT_EQ(both.generated, both.interpreted) << recordings[which].file;
            tiers.lift_poison();
        }
    }
}

}  // namespace
}  // namespace tickpath::fast
