// One immutable Templates, decoders of their own on several threads. A program by itself, so that the thread
// sanitizer can run it alone.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/test_level.h"

namespace tickpath::fast {
namespace {

constexpr const char* refresh = R"(
    <template name="Refresh" id="1">
      <uInt32 name="MsgSeqNum"><increment/></uInt32>
      <string name="Symbol"><delta value="A"/></string>
      <sequence name="MDEntries">
        <decimal name="MDEntryPx"><delta/></decimal>
        <uInt64 name="MDEntrySize" presence="optional"><copy/></uInt64>
        <templateRef/>
      </sequence>
    </template>
    <template name="Inner" id="2" dictionary="template"><uInt32 name="x"><default value="5"/></uInt32></template>)";

// Dictionaries are the decoder's, so each thread must see what a decoder alone sees.
TEST(FastTemplates, AreSharedByDecodersOnManyThreads) {
    constexpr std::size_t thread_count = 4;
    const std::uint64_t rounds = test::at_level(300, 3'000, 30'000);
    const std::shared_ptr<const Templates> templates = load_all(refresh);
    const std::string hex =
        "e0 81 85 80 c2 82 fe 8a 83 c0 82 80 81 80 c0  80 80 c3 81 80 85 80 c0 "
        "ff";
    const auto decode = [&] {
        Decoder decoder(templates, {.reset = ResetRule::datagram});
        return decode_hex(decoder, hex);
    };
    const std::string expected = decode();
    ASSERT_NE(expected.find("\"MsgSeqNum\":5"), std::string::npos) << expected;

    std::vector<std::uint64_t> different(thread_count);
    {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < thread_count; ++i)
            threads.emplace_back([&, i] {
                for (std::uint64_t round = 0; round < rounds; ++round)
                    different[i] += decode() == expected ? 0 : 1;
            });
        for (std::thread& thread : threads)
            thread.join();
    }
    for (std::size_t i = 0; i < thread_count; ++i)
        EXPECT_EQ(different[i], 0u) << "thread " << i;
}

}  // namespace
}  // namespace tickpath::fast
