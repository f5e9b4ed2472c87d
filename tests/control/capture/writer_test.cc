#include "control/capture/writer.h"

#include <string>

#include <gtest/gtest.h>

#include "control/capture/reader.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::capture {
namespace {

using test::Bytes;

constexpr std::uint64_t t0_ns = 1'400'000'000'123'456'789;

TEST(CaptureWriter, WritesTheBytesOfTheFormat) {
    const test::TemporaryFolder folder;
    const Bytes frame = test::build_frame({.payload = test::bytes_of("hello")});
    {
        Writer writer(folder.file("a.pcap"));
        EXPECT_TRUE(writer.write(t0_ns, frame));
        EXPECT_TRUE(writer.write(t0_ns + 1, frame));
        EXPECT_EQ(writer.frames_written(), 2u);
        EXPECT_TRUE(writer.close()) << writer.error();
    }
    EXPECT_EQ(test::read_file(folder.file("a.pcap")),
              test::pcap_header() + test::pcap_record(t0_ns, frame) + test::pcap_record(t0_ns + 1, frame));
}

TEST(CaptureWriter, CutsFramesLongerThanTheSnaplen) {
    const test::TemporaryFolder folder;
    Writer writer(folder.file("a.pcap"));
    EXPECT_TRUE(writer.write(t0_ns, Bytes(frame_bytes_max + 10)));
    EXPECT_TRUE(writer.close());
    Reader reader(folder.file("a.pcap"));
    const auto frame = reader.next();
    ASSERT_TRUE(frame) << reader.error();
    EXPECT_EQ(frame->bytes.size(), frame_bytes_max);
    EXPECT_EQ(frame->size_on_wire_bytes, frame_bytes_max + 10);
}

TEST(CaptureWriter, NamesAFolderThatDoesNotExist) {
    const test::TemporaryFolder folder;
    Writer writer(folder.file("none/a.pcap"));
    EXPECT_EQ(writer.error(), folder.file("none/a.pcap") + ": No such file or directory");
    EXPECT_FALSE(writer.write(t0_ns, Bytes(60)));
    EXPECT_EQ(writer.frames_written(), 0u);
}

TEST(CaptureWriter, TellsWhenTheDiskIsFull) {
    Writer writer("/dev/full");
    for (int i = 0; i < 1000 && writer.write(t0_ns, Bytes(1000)); ++i) {
    }
    EXPECT_FALSE(writer.close());
    EXPECT_NE(writer.error().find("/dev/full: No space left on device"), std::string::npos) << writer.error();
}

}  // namespace
}  // namespace tickpath::capture
