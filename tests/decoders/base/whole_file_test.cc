#include "decoders/base/whole_file.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace tickpath {
namespace {

TEST(WholeFile, IsReadToItsLastByte) {
    const test::TemporaryFolder folder;
    for (const std::size_t size : {0u, 1u, 65'535u, 65'536u, 65'537u, 300'000u}) {
        std::string bytes(size, '\0');
        if (size != 0) bytes.back() = 'z';
        const FileContent content = read_whole_file(folder.write("file", bytes), size);
        EXPECT_TRUE(content) << size << ": " << content.why;
        EXPECT_EQ(content.bytes, bytes) << size;
    }
}

TEST(WholeFile, RefusesOneByteTooMany) {
    const test::TemporaryFolder folder;
    for (const std::size_t size : {1u, 65'536u, 200'000u}) {
        const FileContent content = read_whole_file(folder.write("file", std::string(size, 'a')), size - 1);
        EXPECT_EQ(content.error, Errc::limit) << size;
        EXPECT_EQ(content.why, "has more than the " + std::to_string(size - 1) + " bytes that are read");
        EXPECT_TRUE(content.bytes.empty());
    }
}

TEST(WholeFile, RefusesADeviceWithoutEnd) {
    EXPECT_EQ(read_whole_file("/dev/zero", 100'000).error, Errc::limit);
}

TEST(WholeFile, SaysWhatADirectoryIs) {
    const FileContent content = read_whole_file("/", xml_bytes_max);
    EXPECT_EQ(content.error, Errc::io);
    EXPECT_EQ(content.why, "is a directory");
}

TEST(WholeFile, SaysWhyAFileCannotBeRead) {
    const test::TemporaryFolder folder;
    const FileContent content = read_whole_file(folder.file("none"), xml_bytes_max);
    EXPECT_EQ(content.error, Errc::io);
    EXPECT_EQ(content.why, "cannot be read: No such file or directory");
}

}  // namespace
}  // namespace tickpath
