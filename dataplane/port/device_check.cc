#include "dataplane/port/device_check.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <utility>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::port {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t frames_per_block = ring_block_bytes / ring_frame_bytes;

std::uint64_t read_number(const fs::path& path) {
    std::uint64_t value = 0;
    std::ifstream(path) >> value;
    return value;
}

std::string interface_names() {
    std::string names;
    struct if_nameindex* const all = ::if_nameindex();
    if (all == nullptr) return "none";
    for (const struct if_nameindex* at = all; at->if_name != nullptr; ++at)
        names += (names.empty() ? "" : ", ") + std::string(at->if_name);
    ::if_freenameindex(all);
    return names.empty() ? "none" : names;
}

bool is_up(const std::string& interface) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    const bool known = ::ioctl(fd, SIOCGIFFLAGS, &request) == 0;
    ::close(fd);
    return !known || (request.ifr_flags & IFF_UP) != 0;
}

// Root in a user namespace has none of the rights that af_xdp wants. Only the first namespace maps every
// number.
bool is_root_of_the_machine() {
    std::uint64_t inside = 0;
    std::uint64_t outside = 0;
    std::uint64_t count = 0;
    std::ifstream("/proc/self/uid_map") >> inside >> outside >> count;
    return ::geteuid() == 0 && count == 0xFFFF'FFFFu;
}

bool may_open_packet_sockets() {
    const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // protocol 0: receives nothing
    if (fd < 0) return false;
    ::close(fd);
    return true;
}

// The kernel's own check, with the kernel's own idea of privilege: a mapping that would be locked. Without
// access rights nothing is populated.
bool may_lock(std::uint64_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
    if (memory == MAP_FAILED) return false;
    ::munmap(memory, bytes);
    return true;
}

std::uint64_t locked_bytes_now() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "VmLck:" && status >> kibibytes) return kibibytes * 1024;
    }
    return 0;
}

CheckOutcome failed(std::string error) {
    return {.error = std::move(error), .warning = {}};
}

constexpr std::uint64_t ring_bytes(std::uint64_t frames, std::size_t ring_count) {
    return 2 * frames * ring_frame_bytes * ring_count;  // receive and transmit direction
}

}  // namespace

CheckOutcome check_interface(const Device& device) {
    const std::string& interface = device.argument;
    if (::if_nametoindex(interface.c_str()) == 0)
        return failed("interface " + interface + " does not exist here (there are: " + interface_names() +
                      "); name one of these, or make it: ip link add " + interface + " type veth peer name " +
                      interface + "p");
    if (device.kind == DeviceKind::af_xdp && !is_root_of_the_machine())
        return failed("af_xdp on " + interface +
                      " needs root outside of user namespaces: run with sudo, or use the device af_packet:" +
                      interface);
    if (!may_open_packet_sockets())
        return failed("no permission to open packet sockets on " + interface +
                      " (CAP_NET_RAW): run with sudo, or once: sudo setcap cap_net_raw,cap_ipc_lock+ep "
                      "build/tickpath, or in a namespace of your own: unshare -Urn");
    if (!is_up(interface))
        return {.error = {},
                .warning = "interface " + interface + " is down, no frame will come: ip link set " +
                           interface + " up"};
    return {};
}

CheckOutcome check_pci(std::string_view address, const std::string& devices, const std::string& vfio) {
    const std::string text(address);
    const fs::path device = fs::path(devices) / text;
    std::error_code error;
    if (!fs::exists(device, error))
        return failed("there is no PCI device " + text +
                      "; see the addresses with: dpdk-devbind.py --status");
    const std::string driver = fs::read_symlink(device / "driver", error).filename().string();
    const bool is_uio = driver == "uio_pci_generic" || driver == "igb_uio";
    if (!is_uio && driver != "vfio-pci")
        return failed("PCI device " + text + " is bound to " + (driver.empty() ? "no driver" : driver) +
                      "; hand it to user space: sudo dpdk-devbind.py --bind=vfio-pci " + text);
    if (is_uio && ::geteuid() != 0)
        return failed("PCI device " + text + " is bound to " + driver +
                      ", which only root may use: run with sudo");
    if (is_uio) return {};
    const fs::path group = fs::path(vfio) / fs::read_symlink(device / "iommu_group", error).filename();
    if (::access(group.c_str(), R_OK | W_OK) == 0) return {};
    return failed("PCI device " + text + " cannot be opened through " + group.string() +
                  ": run with sudo, or: sudo chown $USER " + group.string());
}

CheckOutcome check_hugepages(std::size_t megabytes) {
    std::uint64_t free_bytes = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/sys/kernel/mm/hugepages", error)) {
        std::string kibibytes = entry.path().filename().string();  // "hugepages-2048kB"
        std::erase_if(kibibytes, [](unsigned char c) { return std::isdigit(c) == 0; });
        if (!kibibytes.empty())
            free_bytes += read_number(entry.path() / "free_hugepages") * std::stoull(kibibytes) * 1024;
    }
    if (free_bytes >= megabytes * 1024 * 1024) return {};
    const std::uint64_t pages = megabytes / 2 + 1;
    return failed("hugepages: " + std::to_string(megabytes) + " MiB are needed, " +
                  std::to_string(free_bytes / 1024 / 1024) + " MiB are free: sudo sysctl vm.nr_hugepages=" +
                  std::to_string(pages) + ", or use mode laptop");
}

RingSize ring_size_within(std::uint32_t frames_wanted, std::size_t ring_count,
                          std::uint64_t limit_bytes) noexcept {
    const std::uint64_t wanted =
        std::uint64_t{frames_wanted + frames_per_block - 1} / frames_per_block * frames_per_block;
    if (ring_bytes(wanted, ring_count) <= limit_bytes) return {static_cast<std::uint32_t>(wanted), 0};
    const std::uint64_t fitting = limit_bytes / ring_bytes(frames_per_block, ring_count) * frames_per_block;
    return {fitting < ring_frames_min ? 0 : static_cast<std::uint32_t>(fitting), limit_bytes};
}

RingSize ring_size_allowed(std::uint32_t frames_wanted, std::size_t ring_count) {
    constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    if (may_lock(ring_bytes(frames_wanted + frames_per_block, ring_count)))
        return ring_size_within(frames_wanted, ring_count, unlimited);
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    const std::uint64_t locked = locked_bytes_now();
    RingSize size =
        ring_size_within(frames_wanted, ring_count, limit.rlim_cur > locked ? limit.rlim_cur - locked : 0);
    if (size.limit_bytes != 0 || size.frames == 0) size.limit_bytes = limit.rlim_cur;
    return size;
}

CheckOutcome describe_ring(const RingSize& size, std::uint32_t frames_wanted, std::size_t ring_count) {
    if (size.frames != 0 && size.limit_bytes == 0) return {};
    const std::string limit = "RLIMIT_MEMLOCK is " + std::to_string(size.limit_bytes / 1024) + " KiB";
    const std::string remedy = ": ulimit -l " + std::to_string(ring_bytes(frames_wanted, ring_count) / 1024) +
                               " before the start, or sudo prlimit --memlock=unlimited --pid $$";
    if (size.frames == 0)
        return failed(limit + ", not enough for an af_packet ring of " + std::to_string(ring_frames_min) +
                      " frames (framecnt)" + remedy);
    return {.error = {},
            .warning = "its af_packet ring has " + std::to_string(size.frames) +
                       " frames (framecnt) instead of " + std::to_string(frames_wanted) + " because " +
                       limit + remedy};
}

}  // namespace tickpath::port
