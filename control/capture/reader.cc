#include "control/capture/reader.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <pcap/pcap.h>

#include "decoders/base/bytes.h"

namespace tickpath::capture {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

std::string packets_text(std::uint64_t count) {
    if (count == 0) return "no packet before it was there";
    return count == 1 ? "the packet before it was read"
                      : "the " + std::to_string(count) + " packets before it were read";
}

}  // namespace

bool is_capture_file(const std::string& path) {
    constexpr std::array<std::uint32_t, 5> magics = {0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1,
                                                     0x0A0D0D0A};
    std::ifstream in(path, std::ios::binary);
    std::array<std::byte, 4> first{};
    if (!in.read(reinterpret_cast<char*>(first.data()), first.size())) return false;
    const auto magic = load_little<std::uint32_t>(first.data());
    return std::find(magics.begin(), magics.end(), magic) != magics.end();
}

struct Reader::Handle {
    explicit Handle(pcap_t* opened) : pcap(opened) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { pcap_close(pcap); }
    pcap_t* pcap;
};

Reader::Reader(const std::string& path, Links links) : path_(path) {
    std::array<char, PCAP_ERRBUF_SIZE> why{};
    pcap_t* const pcap =
        pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why.data());
    if (pcap == nullptr) {
        error_ = why.data();
        // libpcap names the file only when it could not be opened.
        if (error_.find(path) == std::string::npos)
            error_ = path + ": not a pcap or pcapng capture (" + error_ + ")";
        return;
    }
    handle_ = std::make_unique<Handle>(pcap);
    const int link_type = pcap_datalink(pcap);
    if (link_type == DLT_EN10MB) return;
    is_erf_ = link_type == DLT_ERF && links == Links::ethernet_or_erf;
    if (is_erf_) return;
    const char* const type_name = pcap_datalink_val_to_name(link_type);
    error_ = path + ": link type " + (type_name != nullptr ? type_name : std::to_string(link_type)) +
             " is not supported (expected an Ethernet capture, EN10MB)";
    handle_.reset();
}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::optional<CapturedFrame> Reader::next() {
    if (!handle_) return std::nullopt;
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    const int outcome = pcap_next_ex(handle_->pcap, &header, &bytes);
    if (outcome == PCAP_ERROR_BREAK) {  // the end of the file
        handle_.reset();
        return std::nullopt;
    }
    if (outcome != 1) {
        error_ = path_ + ": packet " + std::to_string(frames_read_) + ": " + pcap_geterr(handle_->pcap) +
                 "; " + packets_text(frames_read_);
        handle_.reset();
        return std::nullopt;
    }
    return CapturedFrame{
        .number = frames_read_++,
        // With nanosecond precision asked for, libpcap keeps nanoseconds in tv_usec.
        .time_ns = static_cast<std::uint64_t>(header->ts.tv_sec) * ns_per_second +
                   static_cast<std::uint64_t>(header->ts.tv_usec),
        .size_on_wire_bytes = header->len,
        .bytes = {reinterpret_cast<const std::byte*>(bytes), header->caplen},
    };
}

}  // namespace tickpath::capture
