// Generated decoders: what the generator writes, when they may be attached, and that they do what the
// interpreter does. EveryInstruction is generated when the tree is built, made-up templates when the test
// runs.
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/fingerprint.h"
#include "decoders/fast/generator.h"
#include "decoders/fast/template_loader.h"
#include "every_instruction.generated.h"
#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/compiled_decoders.h"
#include "tests/support/fast_tiers.h"
#include "tests/support/random_templates.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

std::shared_ptr<const Templates> every_instruction() {
    Diagnostics diagnostics;
    auto templates = load_template_file(
        std::string(TICKPATH_SOURCE_ROOT) + "/tests/decoders/fast/every_instruction.xml", diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format();
    return templates;
}

std::shared_ptr<const Templates> attached(const Templates& templates) {
    Diagnostics diagnostics;
    auto with = templates.with(fast_every_instruction::decoders(), diagnostics);
    EXPECT_TRUE(with) << diagnostics.format();
    return with;
}

GeneratedSource generate_for(const Templates& templates) {
    return generate(templates, {.source_name = "t.xml", .header_name = "t.h", .name_space = "t"});
}

// ---- what may be attached

TEST(FastGenerated, RunsInPlaceOfTheInterpreterOnceAttached) {
    const auto templates = every_instruction();
    EXPECT_EQ(templates->generated(), nullptr);
    const auto with = attached(*templates);
    EXPECT_EQ(with->generated(), &fast_every_instruction::decoders());
    EXPECT_EQ(templates->generated(), nullptr) << "the set that was loaded stays as it is";
}

TEST(FastGenerated, IsRefusedForOtherTemplatesWithWhatToDo) {
    Diagnostics diagnostics;
    EXPECT_EQ(load_one("<uInt32 name=\"f\"/>")->with(fast_every_instruction::decoders(), diagnostics),
              nullptr);
    EXPECT_NE(diagnostics.format().find("every_instruction.xml are of other templates"), std::string::npos)
        << diagnostics.format();
    EXPECT_NE(diagnostics.format().find("tickpath templates generate"), std::string::npos);
}

TEST(FastGenerated, FingerprintTellsEveryChangeThatCodeDependsOn) {
    const std::array<const char*, 9> variants = {
        "<uInt32 name=\"f\"/>",
        "<uInt64 name=\"f\"/>",
        "<uInt32 name=\"f\" presence=\"optional\"/>",
        "<uInt32 name=\"f\"><copy/></uInt32>",
        "<uInt32 name=\"f\"><copy value=\"1\"/></uInt32>",
        "<uInt32 name=\"f\"><copy value=\"2\"/></uInt32>",
        "<uInt32 name=\"f\"/><uInt32 name=\"g\"/>",
        "<sequence name=\"f\"><uInt32 name=\"g\"/></sequence>",
        "<sequence name=\"f\"><uInt32 name=\"g\"><copy/></uInt32></sequence>"};
    std::set<std::uint64_t> seen;
    for (const char* variant : variants)
        EXPECT_TRUE(seen.insert(fingerprint(load_one(variant)->program())).second) << variant;
    EXPECT_EQ(fingerprint(load_one("<uInt32 name=\"f\"/>")->program()),
              fingerprint(load_one("<uInt32 name=\"other\"/>")->program()))
        << "names are not in the code";
}

// A program that was cut is not the one the code was made of.
TEST(FastGenerated, IsNotUsedForTemplatesThatWereCut) {
    const auto cut = attached(*every_instruction())->cut_behind("number");
    EXPECT_EQ(cut->generated(), nullptr);
}

// ---- what is written

TEST(FastGenerated, SaysByNameWhichTemplateStaysInterpretedAndWhy) {
    const auto templates = load_all(
        "<template name=\"Plain\" id=\"1\"><uInt32 name=\"f\"/></template>"
        "<template name=\"Envelope\" id=\"2\"><uInt32 name=\"f\"/><templateRef/></template>");
    const GeneratedSource generated = generate_for(*templates);
    EXPECT_EQ(generated.generated_count, 1u);
    ASSERT_EQ(generated.interpreted.size(), 1u);
    EXPECT_EQ(generated.interpreted[0].label, "Envelope");
    EXPECT_EQ(generated.interpreted[0].id, 2u);
    EXPECT_EQ(generated.interpreted[0].reason,
              "field <dyn> needs dynamic_reference_, which only the interpreter runs");
    EXPECT_NE(generated.source.find("nullptr,  // Envelope, id 2: field <dyn>"), std::string::npos);
}

TEST(FastGenerated, LeavesTemplatesThatWouldTakeMinutesToCompileToTheInterpreter) {
    std::string fields;
    for (int i = 0; i < 2'001; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\"/>";
    const GeneratedSource generated = generate_for(*load_one(fields));
    EXPECT_EQ(generated.generated_count, 0u);
    ASSERT_EQ(generated.interpreted.size(), 1u);
    EXPECT_EQ(generated.interpreted[0].reason, "it has 2002 instructions, more than 2000");
}

TEST(FastGenerated, NamesEachFieldInAComment) {
    const auto templates = load_one(
        "<sequence name=\"Entries\"><decimal name=\"Price\"><exponent><default value=\"0\"/></exponent>"
        "</decimal></sequence>");
    const GeneratedSource generated = generate_for(*templates);
    EXPECT_NE(generated.source.find("// Entries/Price: default_i32_m"), std::string::npos)
        << generated.source;
}

// Names are free text of a file that may come from anywhere.
TEST(FastGenerated, LetsNoNameLeaveItsComment) {
    const auto templates = load_one(
        "<uInt32 name=\"a&#10;int evil();\"/><uInt32 name=\"b\\\"/><sequence name=\"c&#10;}}\"><uInt32 "
        "name=\"d\"/></sequence>");
    const GeneratedSource generated =
        generate(*templates, {.source_name = "x\"\n#error\\", .header_name = "t.h", .name_space = "t"});
    EXPECT_EQ(generated.source.find("\nint evil"), std::string::npos);
    EXPECT_EQ(generated.source.find("\n}}"), std::string::npos);
    EXPECT_EQ(generated.source.find("\n#error"), std::string::npos);
    EXPECT_EQ(generated.source.find('\\'), std::string::npos);
    EXPECT_NO_THROW(test::CompiledDecoders({templates}));
}

TEST(FastGenerated, MakesANamespaceOfAnyFileName) {
    EXPECT_EQ(namespace_of("moex-2019"), "fast_moex_2019");
    EXPECT_EQ(namespace_of("new"), "fast_new");
    EXPECT_EQ(namespace_of(""), "fast_");
}

// ---- what it decodes

// The comparison below means something only while the templates hold every instruction there is.
TEST(FastGenerated, IsTestedWithEveryInstruction) {
    const auto templates = every_instruction();
    std::set<Opcode> used;
    for (const Instruction& op : templates->program().code)
        used.insert(op.opcode);
    for (unsigned i = 0; i < static_cast<unsigned>(Opcode::stop_); ++i)
        EXPECT_TRUE(used.contains(static_cast<Opcode>(i))) << "opcode " << i << " is in no template";
}

DecoderOptions random_options(std::mt19937_64& random) {
    constexpr ResetRule rules[] = {ResetRule::message, ResetRule::datagram, ResetRule::never};
    return {.reset = rules[random() % 3], .strict = random() % 4 == 0};
}

// Bytes of stop-bit entities with few presence bits wrong, so that many messages of many templates are whole.
std::vector<std::byte> made_up(std::mt19937_64& random, std::uint64_t templates) {
    std::vector<std::byte> out;
    const auto put = [&](std::uint64_t value) { out.push_back(static_cast<std::byte>(value)); };
    put(0xC0 | (random() & 0x3F));
    put(0x80 | (1 + random() % templates));
    for (std::uint64_t i = 0, count = random() % 60; i < count; ++i) {
        const std::uint64_t kind = random() % 100;
        put(kind < 60   ? 0x80 | random() % 4
            : kind < 85 ? 0x80 | random()
            : kind < 92 ? random() % 2 * 0x7F
                        : random());
    }
    return out;
}

TEST(FastGenerated, AgreesWithTheInterpreterOnEveryInstruction) {
    const auto templates = every_instruction();
    const auto with = attached(*templates);
    std::mt19937_64 random(5);
    std::size_t messages = 0;
    const std::uint64_t rounds = test::at_level(300, 2'000, 40'000);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        test::FastTiers tiers(templates, with, random_options(random));
        for (int i = 0; i < 40; ++i) {
            const std::vector<std::byte> datagram = made_up(random, templates->all().size());
            const auto both = tiers.decode(datagram);
            ASSERT_EQ(both.generated, both.interpreted) << "round " << round << ", datagram " << i;
            messages += both.messages;
            tiers.lift_poison();
        }
    }
    EXPECT_GT(messages, 10 * rounds) << "too few of the made-up messages are whole";
}

TEST(FastGenerated, AllocatesNothing) {
    const auto with = attached(*every_instruction());
    Decoder decoder(with, {.reset = ResetRule::never});
    std::mt19937_64 random(9);
    std::vector<std::vector<std::byte>> datagrams;
    for (int i = 0; i < 1'000; ++i)
        datagrams.push_back(made_up(random, with->all().size()));
    const test::AllocationGuard guard;
    for (const std::vector<std::byte>& datagram : datagrams) {
        decoder.begin(datagram, 0);
        while (decoder.next()) {
        }
        decoder.lift_poison();
    }
    EXPECT_EQ(guard.count(), 0u);
}

TEST(FastGenerated, AgreesWithTheInterpreterOnMadeUpTemplates) {
    const std::uint64_t seeds = test::at_level(30, 120, 1'500);
    constexpr std::uint64_t batch = 30;  // template files a translation unit
    std::size_t messages = 0;
    for (std::uint64_t first = 0; first < seeds; first += batch) {
        std::vector<test::RandomTemplates> randoms;
        std::vector<std::shared_ptr<const Templates>> sets;
        for (std::uint64_t seed = first; seed < first + batch; ++seed) {
            Diagnostics diagnostics;
            sets.push_back(load_templates(randoms.emplace_back(seed).xml(), "made up", diagnostics));
            ASSERT_TRUE(sets.back()) << diagnostics.format();
        }
        const test::CompiledDecoders compiled(sets);
        EXPECT_GT(compiled.generated_count(), compiled.interpreted_count());
        for (std::uint64_t i = 0; i < batch; ++i) {
            std::mt19937_64 options(first + i);
            test::FastTiers tiers(sets[i], compiled.sets()[i], random_options(options));
            for (int d = 0; d < 200; ++d) {
                const auto both = tiers.decode(randoms[i].datagram());
                ASSERT_EQ(both.generated, both.interpreted) << "seed " << first + i << ", datagram " << d;
                messages += both.messages;
                tiers.lift_poison();
            }
        }
    }
    EXPECT_GT(messages, 50 * seeds);
}

}  // namespace
}  // namespace tickpath::fast
