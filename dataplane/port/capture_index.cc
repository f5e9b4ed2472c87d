#include "dataplane/port/capture_index.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoders/base/bytes.h"

namespace tickpath::port {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;
constexpr std::uint32_t link_type_ethernet = 1;
constexpr std::uint32_t captured_bytes_max = 262'144;        // libpcap's MAXIMUM_SNAPLEN for Ethernet
constexpr std::uint32_t block_bytes_max = 16 * 1024 * 1024;  // libpcap's bound of a pcapng block

// A file read-only in memory for as long as this lives.
class MappedFile {
public:
    MappedFile(int fd, std::size_t bytes)
        : size_(bytes), memory_(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0)) {}
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() {
        if (is_mapped()) ::munmap(memory_, size_);
    }
    [[nodiscard]] bool is_mapped() const { return memory_ != MAP_FAILED; }
    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(memory_), size_};
    }

private:
    std::size_t size_;
    void* memory_;
};

// Reads integers from the front of a span in the file's byte order. Callers check the size.
class Fields {
public:
    Fields(std::span<const std::byte> bytes, bool is_big_endian)
        : bytes_(bytes), is_big_endian_(is_big_endian) {}

    template <class T>
    [[nodiscard]] T take() {
        const std::byte* const at = bytes_.data();
        bytes_ = bytes_.subspan(sizeof(T));
        return is_big_endian_ ? load_big<T>(at) : load_little<T>(at);
    }
    void skip(std::size_t count) { bytes_ = bytes_.subspan(count); }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
    bool is_big_endian_;
};

class Indexer {
public:
    Indexer(std::span<const std::byte> file, std::uint64_t times_max) : rest_(file), times_max_(times_max) {}

    [[nodiscard]] CaptureIndex run() {
        if (!read_pcap() && !read_pcapng())
            index_.error = "is not a capture (expected a pcap or pcapng file with Ethernet frames)";
        if (index_.times_ns.size() != index_.frame_count) index_.times_ns = {};
        return std::move(index_);
    }

private:
    // --- pcap: a file header, then records (draft-ietf-opsawg-pcap) ---

    static constexpr std::size_t pcap_header_bytes = 24;
    static constexpr std::size_t pcap_record_header_bytes = 16;

    bool read_pcap() {
        if (rest_.size() < pcap_header_bytes) return false;
        const auto magic = load_little<std::uint32_t>(rest_.data());
        const bool is_micro = magic == 0xA1B2C3D4u || magic == 0xD4C3B2A1u;
        const bool is_nano = magic == 0xA1B23C4Du || magic == 0x4D3CB2A1u;
        if (!is_micro && !is_nano) return false;
        is_big_endian_ = magic == 0xD4C3B2A1u || magic == 0x4D3CB2A1u;
        Fields header(rest_.first(pcap_header_bytes), is_big_endian_);
        header.skip(20);
        // The upper bits of the word say whether frames end with an FCS and how long it is.
        if (!accept_link_type(header.take<std::uint32_t>() & 0x03FF'FFFFu)) return true;
        rest_ = rest_.subspan(pcap_header_bytes);
        while (!rest_.empty() && read_pcap_record(is_nano ? 1 : 1000)) {
        }
        return true;
    }

    bool read_pcap_record(std::uint64_t ns_per_tick) {
        if (rest_.size() < pcap_record_header_bytes) return defect("is cut");
        Fields record(rest_, is_big_endian_);
        const std::uint64_t seconds = record.take<std::uint32_t>();
        const std::uint64_t ticks = record.take<std::uint32_t>();
        const std::uint32_t captured_bytes = record.take<std::uint32_t>();
        if (captured_bytes > captured_bytes_max) return defect("claims an impossible length");
        if (rest_.size() - pcap_record_header_bytes < captured_bytes) return defect("is cut");
        add(seconds * ns_per_second + ticks * ns_per_tick);
        rest_ = rest_.subspan(pcap_record_header_bytes + captured_bytes);
        return true;
    }

    // --- pcapng: blocks in sections (draft-ietf-opsawg-pcapng) ---

    static constexpr std::uint32_t section_header = 0x0A0D0D0A;
    static constexpr std::uint32_t section_magic = 0x1A2B3C4D;
    static constexpr std::uint32_t section_magic_swapped = 0x4D3C2B1A;
    static constexpr std::uint32_t interface_description = 1;
    static constexpr std::uint32_t obsolete_packet = 2;
    static constexpr std::uint32_t simple_packet = 3;
    static constexpr std::uint32_t enhanced_packet = 6;
    static constexpr std::size_t block_frame_bytes = 12;  // type and length before the body, length after

    struct Interface {
        std::uint64_t ticks_per_second = 1'000'000;
        std::uint64_t offset_s = 0;
    };

    bool read_pcapng() {
        if (rest_.size() < 28 || load_little<std::uint32_t>(rest_.data()) != section_header) return false;
        is_big_endian_ = load_little<std::uint32_t>(rest_.data() + 8) == section_magic_swapped;
        for (bool is_first = true; !rest_.empty() && read_block(is_first); is_first = false) {
        }
        if (!has_interface_ && index_.error.empty())
            index_.error = "is a pcapng file that describes no interface";
        return true;
    }

    bool read_block(bool is_first) {
        if (rest_.size() < block_frame_bytes) return defect("is cut");
        const auto type_bytes = rest_.first(4);
        if (load_little<std::uint32_t>(type_bytes.data()) == section_header && !start_section()) return false;
        Fields head(rest_, is_big_endian_);
        const auto type = head.take<std::uint32_t>();
        const auto block_bytes = head.take<std::uint32_t>();
        if (block_bytes < block_frame_bytes || block_bytes > block_bytes_max || block_bytes % 4 != 0)
            return defect("lies in a block with an impossible length");
        if (rest_.size() < block_bytes) return defect("is cut");
        Fields tail(rest_.subspan(block_bytes - 4, 4), is_big_endian_);
        // libpcap believes the file's first header without a look at its end.
        if (!is_first && tail.take<std::uint32_t>() != block_bytes)
            return defect("lies in a block with two lengths");
        const std::span<const std::byte> body = rest_.subspan(8, block_bytes - block_frame_bytes);
        rest_ = rest_.subspan(block_bytes);
        if (type == section_header) return read_section(body);
        if (type == interface_description) return read_interface(body);
        if (type == enhanced_packet) return read_enhanced(body);
        if (type == obsolete_packet) return read_obsolete(body);
        if (type == simple_packet) return read_simple();
        return true;
    }

    // libpcap does not read sections of different byte orders, so neither do we.
    bool start_section() {
        const auto magic = load_little<std::uint32_t>(rest_.data() + 8);
        if (magic != (is_big_endian_ ? section_magic_swapped : section_magic))
            return defect("lies in a section of another byte order");
        interfaces_.clear();
        return true;
    }

    bool read_section(std::span<const std::byte> body) {
        if (body.size() < 16) return defect("lies in a section with a cut header");
        Fields fields(body.subspan(4), is_big_endian_);
        const auto major = fields.take<std::uint16_t>();
        const auto minor = fields.take<std::uint16_t>();
        if (major == 1 && (minor == 0 || minor == 2)) return true;
        return defect("lies in a section of an unknown version");
    }

    bool read_interface(std::span<const std::byte> body) {
        if (body.size() < 8) return defect("follows a cut interface description");
        Fields fields(body, is_big_endian_);
        if (!accept_link_type(fields.take<std::uint16_t>())) return false;
        fields.skip(2);
        if (!accept_snapshot_length(fields.take<std::uint32_t>())) return false;
        Interface interface;
        if (!read_options(fields, interface))
            return defect("follows an interface description with a bad option");
        interfaces_.push_back(interface);
        has_interface_ = true;
        return true;
    }

    // libpcap reads frames of one bound only.
    bool accept_snapshot_length(std::uint32_t bytes) {
        if (bytes == 0 || bytes > captured_bytes_max) bytes = captured_bytes_max;
        if (!has_interface_) frame_bytes_max_ = bytes;
        return bytes == frame_bytes_max_ || defect("follows an interface of another snapshot length");
    }

    [[nodiscard]] static bool read_options(Fields fields, Interface& interface) {
        bool has_resolution = false;
        bool has_offset = false;
        while (fields.size() >= 4) {
            const auto code = fields.take<std::uint16_t>();
            const std::size_t length = fields.take<std::uint16_t>();
            const std::size_t padded = (length + 3) / 4 * 4;
            if (code == 0) return length == 0;
            if (fields.size() < padded) return false;
            Fields value = fields;
            if (code == 9) {
                if (length != 1 || std::exchange(has_resolution, true)) return false;
                interface.ticks_per_second = resolution(value.take<std::uint8_t>());
                if (interface.ticks_per_second == 0) return false;
            } else if (code == 14) {
                if (length != 8 || std::exchange(has_offset, true)) return false;
                interface.offset_s = value.take<std::uint64_t>();
            }
            fields.skip(padded);
        }
        return fields.size() == 0;
    }

    // if_tsresol: a negative power of ten, or of two when the highest bit is set; 0 when it is too fine.
    [[nodiscard]] static std::uint64_t resolution(std::uint8_t code) {
        const unsigned power = code & 0x7Fu;
        if ((code & 0x80u) != 0) return power < 64 ? std::uint64_t{1} << power : 0;
        if (power > 19) return 0;
        std::uint64_t ticks = 1;
        for (unsigned i = 0; i < power; ++i)
            ticks *= 10;
        return ticks;
    }

    bool read_enhanced(std::span<const std::byte> body) {
        if (body.size() < 20) return defect("lies in a cut block");
        Fields fields(body, is_big_endian_);
        const auto interface = fields.take<std::uint32_t>();
        return read_packet(interface, fields);
    }

    bool read_obsolete(std::span<const std::byte> body) {
        if (body.size() < 20) return defect("lies in a cut block");
        Fields fields(body, is_big_endian_);
        const auto interface = fields.take<std::uint16_t>();
        fields.skip(2);  // drops count
        return read_packet(interface, fields);
    }

    bool read_simple() {
        if (interfaces_.empty()) return defect("names an interface that is not described");
        add(0);  // carries no time
        return true;
    }

    // `fields` stands before the time, in which high and low halves are separate words.
    bool read_packet(std::uint32_t interface, Fields fields) {
        if (interface >= interfaces_.size()) return defect("names an interface that is not described");
        const std::uint64_t high = fields.take<std::uint32_t>();
        const std::uint64_t ticks = (high << 32) | fields.take<std::uint32_t>();
        const auto captured_bytes = fields.take<std::uint32_t>();
        fields.skip(4);  // length on the wire
        if (captured_bytes > fields.size()) return defect("is longer than its block");
        if (captured_bytes > frame_bytes_max_) return defect("claims an impossible length");
        add(to_ns(interfaces_[interface], ticks));
        return true;
    }

    [[nodiscard]] static std::uint64_t to_ns(const Interface& interface, std::uint64_t ticks) {
        const std::uint64_t seconds = ticks / interface.ticks_per_second;
        __extension__ using Wide = unsigned __int128;
        const Wide fraction = ticks % interface.ticks_per_second;
        const auto fraction_ns =
            static_cast<std::uint64_t>(fraction * ns_per_second / interface.ticks_per_second);
        return (seconds + interface.offset_s) * ns_per_second + fraction_ns;
    }

    // --- common ---

    bool accept_link_type(std::uint32_t link_type) {
        if (link_type == link_type_ethernet) return true;
        index_.error = "has link type " + std::to_string(link_type) +
                       " (expected 1, Ethernet); capture on an Ethernet interface";
        return false;
    }

    void add(std::uint64_t time_ns) {
        if (++index_.frame_count <= times_max_) index_.times_ns.push_back(time_ns);
        if (index_.frame_count == 1) index_.first_ns = time_ns;
        index_.latest_ns = std::max(index_.latest_ns, time_ns);
    }

    // Always false, so that readers can end with it.
    bool defect(const char* what) {
        index_.warning = "packet " + std::to_string(index_.frame_count) + ' ' + what + "; the " +
                         std::to_string(index_.frame_count) + " before it are replayed";
        return false;
    }

    std::span<const std::byte> rest_;
    std::uint64_t times_max_;
    bool is_big_endian_ = false;
    std::vector<Interface> interfaces_;  // of the section
    bool has_interface_ = false;         // in any section
    std::uint32_t frame_bytes_max_ = 0;  // the snapshot length of all interfaces
    CaptureIndex index_;
};

CaptureIndex failed(std::string why) {
    CaptureIndex index;
    index.error = std::move(why);
    return index;
}

}  // namespace

CaptureIndex index_capture(const std::string& path, std::uint64_t times_max) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(std::string("cannot be read: ") + std::strerror(errno));
    struct stat info {};
    const bool is_regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (!is_regular || info.st_size == 0) {
        ::close(fd);
        return failed(is_regular ? "is empty" : "is not a regular file; write the capture into a file first");
    }
    const MappedFile file(fd, static_cast<std::size_t>(info.st_size));
    ::close(fd);
    if (!file.is_mapped()) return failed(std::string("cannot be mapped: ") + std::strerror(errno));
    return Indexer(file.bytes(), times_max).run();
}

}  // namespace tickpath::port
