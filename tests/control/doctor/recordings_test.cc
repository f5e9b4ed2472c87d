// The doctor on the venues' recordings, also with their reset attributes taken away: then every rule decodes
// them, and most of the values are wrong.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "control/doctor/fast_check.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/presets.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::doctor {
namespace {

struct Case {
    const char* file;
    const char* templates;
    const char* options;
    const char* preset;  // empty: none fits
};

const Case cases[] = {
    {"feeds/moex-forts-2013/forts-book5.pcap", "feeds/moex-forts-2013/templates.xml",
     "--framing none --reset template:120", "moex-spectra-2013"},
    {"feeds/moex-asts-2017/asts-curr-olr-a.pcap", "feeds/moex-asts-2017/asts-FIX50SP2-2017-Mar.xml",
     "--framing u32le-sequence --reset datagram", "moex-asts"},
    {"feeds/moex-asts-2019-trades/asts-fond-tlr-a.pcap", "feeds/moex-asts-2019-trades/templates.xml",
     "--framing u32le-sequence --reset datagram", "moex-asts"},
    {"fast/moex-asts-olr-2019/data.dat", "fast/moex-asts-olr-2019/test.xml",
     "--framing u32le-sequence --reset datagram", "moex-asts"},
    {"fast/rts-forts-2013/increment_a.dat", "fast/rts-forts-2013/templates.xml",
     "--framing none --reset template:120", "moex-spectra-2013"},
    {"fast/rts-forts-2013/snapshot.dat", "fast/rts-forts-2013/templates.xml",
     "--framing none --reset template:120", "moex-spectra-2013"},
    {"fast/quickfast-complex30000/complex30000.dat", "fast/quickfast-complex30000/example.xml",
     "--framing u32le-length --reset datagram", ""},
};

// `xml` without the attribute `name`="..." wherever a blank stands before it.
std::string without_attribute(std::string xml, std::string_view name) {
    const std::string start = " " + std::string(name) + "=\"";
    for (std::size_t at = xml.find(start); at != std::string::npos; at = xml.find(start, at))
        xml.erase(at, xml.find('"', at + start.size()) + 1 - at);
    return xml;
}

CheckReport check(const Case& one, bool without_attributes) {
    const std::filesystem::path data = test::shared_data();
    std::string xml = test::read_file(data / one.templates);
    if (without_attributes) xml = without_attribute(without_attribute(std::move(xml), "reset"), "scp:reset");
    Diagnostics diagnostics;
    FastQuestion question{
        .recording = read_recording((data / one.file).string(), test::at_level(3'000, 100'000, 100'000)),
        .templates_file = one.templates,
        .templates_xml = xml,
        .templates = fast::load_templates(xml, one.templates, diagnostics),
        .feeds = {}};
    EXPECT_TRUE(question.templates) << diagnostics.format();
    for (const std::string_view name : framing::preset_names())
        question.feeds.push_back(*framing::load_description(std::string(name), diagnostics));
    return check_fast(question);
}

TEST(FastCheckOnRecordings, FindsTheirFramingResetRuleAndPreset) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Case& one : cases) {
        for (const bool without_attributes : {false, true}) {
            const CheckReport report = check(one, without_attributes);
            ASSERT_EQ(report.outcome, Outcome::found) << one.file << report.data.dump(2);
            EXPECT_EQ(report.data["options"], one.options) << one.file;
            EXPECT_EQ(report.data["confidence"], "high") << one.file;
            EXPECT_EQ(report.data.value("preset", ""), one.preset) << one.file;
        }
    }
}

// 198 of the 312 packets that were recorded; the data set has 208 of them.
TEST(FastCheckOnRecordings, CountsThePacketsThatAMissingResetWouldChange) {
    TICKPATH_NEEDS_SHARED_DATA();
    const CheckReport report = check(cases[1], false);
    const auto& never = report.data["resets"].back();
    EXPECT_EQ(never["options"], "--reset never");
    EXPECT_EQ(never["whole"], 208);
    EXPECT_EQ(never["errors"].size(), 0u);
    EXPECT_GT(never["datagrams_differing"], 100);
}

TEST(FastCheckOnRecordings, CannotTellFromASinglePacket) {
    TICKPATH_NEEDS_SHARED_DATA();
    const Case fastfix = {"fast/fastfix/increfresh.bin", "fast/fastfix/templates.xml", "", ""};
    EXPECT_EQ(check(fastfix, false).outcome, Outcome::cannot_tell);
}

TEST(FastCheckOnRecordings, SaysBadDataWithTheTemplatesOfAnotherVenue) {
    TICKPATH_NEEDS_SHARED_DATA();
    const Case mixed = {"feeds/moex-forts-2013/forts-book5.pcap",
                        "feeds/moex-asts-2017/asts-FIX50SP2-2017-Mar.xml", "", ""};
    EXPECT_EQ(check(mixed, false).outcome, Outcome::bad_data);
}

}  // namespace
}  // namespace tickpath::doctor
