#include "control/capture/writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <pcap/pcap.h>

namespace tickpath::capture {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

}  // namespace

struct Writer::Handle {
    Handle(pcap_t* format_of, pcap_dumper_t* opened) : format(format_of), dumper(opened) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        pcap_dump_close(dumper);
        pcap_close(format);
    }
    pcap_t* format;  // libpcap keeps link type, snaplen and precision in a "dead" capture
    pcap_dumper_t* dumper;
};

Writer::Writer(const std::string& path) : path_(path) {
    pcap_t* const format = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, static_cast<int>(frame_bytes_max),
                                                                PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t* const dumper = pcap_dump_open(format, path.c_str());
    if (dumper == nullptr) {
        error_ = pcap_geterr(format);  // names the file
        pcap_close(format);
        return;
    }
    handle_ = std::make_unique<Handle>(format, dumper);
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

bool Writer::write(std::uint64_t time_ns, std::span<const std::byte> frame) {
    if (!handle_ || !error_.empty()) return false;
    pcap_pkthdr header{};
    header.ts.tv_sec = static_cast<time_t>(time_ns / ns_per_second);
    header.ts.tv_usec = static_cast<suseconds_t>(time_ns % ns_per_second);  // nanoseconds, as the format says
    header.len = static_cast<bpf_u_int32>(frame.size());
    header.caplen = static_cast<bpf_u_int32>(std::min(frame.size(), frame_bytes_max));
    pcap_dump(reinterpret_cast<u_char*>(handle_->dumper), &header,
              reinterpret_cast<const u_char*>(frame.data()));
    if (std::ferror(pcap_dump_file(handle_->dumper)) != 0) {
        error_ =
            path_ + ": " + std::strerror(errno) + " after " + std::to_string(frames_written_) + " packets";
        return false;
    }
    ++frames_written_;
    return true;
}

bool Writer::close() {
    if (handle_ && error_.empty() && pcap_dump_flush(handle_->dumper) != 0)
        error_ =
            path_ + ": " + std::strerror(errno) + " after " + std::to_string(frames_written_) + " packets";
    handle_.reset();
    return error_.empty();
}

}  // namespace tickpath::capture
