// Starts DPDK and all ports, once per process. Cold.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <sched.h>
#include <unistd.h>

#include "dataplane/core/cpu.h"
#include "dataplane/port/dpdk_impl.h"
#include "dataplane/port/dpdk_port.h"

namespace tickpath::port {
namespace {

std::atomic_flag was_started = ATOMIC_FLAG_INIT;

// Keeps what DPDK logs while it starts: of interest only when something fails, and then part of our own
// sentence.
class LogTap {
public:
    explicit LogTap(bool is_shown) : is_shown_(is_shown) {
        cookie_io_functions_t functions{};
        functions.write = [](void* tap, const char* text, std::size_t size) -> ssize_t {
            static_cast<LogTap*>(tap)->write({text, size});
            return static_cast<ssize_t>(size);
        };
        stream_ = ::fopencookie(this, "w", functions);
        std::setvbuf(stream_, nullptr, _IOLBF, 0);
        rte_openlog_stream(stream_);
    }
    LogTap(const LogTap&) = delete;
    LogTap& operator=(const LogTap&) = delete;
    ~LogTap() {
        rte_openlog_stream(stderr);
        std::fclose(stream_);
    }

    /// The last lines, joined: " (DPDK: …; …)", or nothing.
    [[nodiscard]] std::string words() {
        std::fflush(stream_);
        constexpr std::size_t lines_shown = 4;
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            if (end > at) lines.push_back(text_.substr(at, end - at));
            at = end + 1;
        }
        std::string joined;
        for (std::size_t i = lines.size() - std::min(lines_shown, lines.size()); i < lines.size(); ++i)
            joined += (joined.empty() ? "" : "; ") + lines[i];
        return joined.empty() ? joined : " (DPDK: " + joined + ')';
    }

private:
    void write(std::string_view text) {
        text_ += text;
        // A panic ends the process before anybody can ask for words().
        if (is_shown_ || text.find("PANIC") != std::string_view::npos)
            std::fwrite(text.data(), 1, text.size(), stderr);
    }

    std::string text_;
    std::FILE* stream_ = nullptr;
    bool is_shown_;
};

// DPDK binds the calling thread to its main lcore.
class AffinityKeeper {
public:
    AffinityKeeper() { is_known_ = ::sched_getaffinity(0, sizeof set_, &set_) == 0; }
    AffinityKeeper(const AffinityKeeper&) = delete;
    AffinityKeeper& operator=(const AffinityKeeper&) = delete;
    ~AffinityKeeper() {
        if (is_known_) ::sched_setaffinity(0, sizeof set_, &set_);
    }

private:
    cpu_set_t set_{};
    bool is_known_ = false;
};

// The files of pcap devices by descriptor: a path may contain commas, which device arguments cannot.
class CaptureFiles {
public:
    explicit CaptureFiles(const std::vector<PlannedPort>& ports) {
        for (const PlannedPort& port : ports) {
            const bool is_capture = port.plan.device.kind == DeviceKind::pcap;
            const int fd = is_capture ? ::open(port.plan.device.argument.c_str(), O_RDONLY | O_CLOEXEC) : -1;
            descriptors_.push_back(fd);
            paths_.push_back(fd < 0 ? std::string() : "/proc/self/fd/" + std::to_string(fd));
        }
    }
    CaptureFiles(const CaptureFiles&) = delete;
    CaptureFiles& operator=(const CaptureFiles&) = delete;
    ~CaptureFiles() {
        for (const int fd : descriptors_)
            if (fd >= 0) ::close(fd);
    }
    [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

private:
    std::vector<int> descriptors_;
    std::vector<std::string> paths_;
};

std::string extra_arguments(std::span<const PortSettings> settings) {
    std::string all;
    for (const PortSettings& port : settings)
        if (!port.eal_extra.empty()) all += port.eal_extra + ' ';
    return all;
}

bool start_dpdk(std::vector<std::string> arguments, std::string& why_not) {
    std::vector<char*> argv;
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    if (rte_eal_init(static_cast<int>(arguments.size()), argv.data()) >= 0) return true;
    why_not = std::string("DPDK does not start: ") + rte_strerror(rte_errno);
    return false;
}

}  // namespace

std::unique_ptr<Environment> Environment::open(std::span<const PortSettings> settings,
                                               Diagnostics& diagnostics) {
    if (settings.empty()) {
        diagnostics.error({}, 0, "no port is configured");
        return nullptr;
    }
    auto plan = plan_ports(settings, diagnostics);
    if (!plan) return nullptr;
    return open(settings, std::move(*plan), diagnostics);
}

std::unique_ptr<Environment> Environment::open(std::span<const PortSettings> settings, PortPlan plan,
                                               Diagnostics& diagnostics) {
    if (was_started.test_and_set()) {
        diagnostics.error({}, 0, "DPDK was started before in this process and cannot be again", Errc::io);
        return nullptr;
    }
    const AffinityKeeper affinity;
    const CaptureFiles files(plan.ports);
    const std::string extra = extra_arguments(settings);
    LogTap log(!extra.empty());
    std::string why_not;
    if (!start_dpdk(eal_arguments(plan.mode, plan.devices(), files.paths(), core::allowed_cpus(), extra),
                    why_not)) {
        report(diagnostics, settings.front(), Severity::error, why_not + log.words());
        return nullptr;
    }
    std::unique_ptr<Environment> environment(new Environment);
    bool are_all_up = true;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        auto impl =
            start_device(settings[i], std::move(plan.ports[i]), static_cast<std::uint16_t>(i), why_not);
        if (impl == nullptr) {
            report(diagnostics, settings[i], Severity::error,
                   "device " + settings[i].device + " did not come up: " + why_not + log.words());
            are_all_up = false;
            continue;
        }
        environment->ports_.push_back(std::make_unique<DpdkPort>(std::move(impl)));
    }
    if (!are_all_up) return nullptr;
    return environment;
}

Environment::~Environment() {
    ports_.clear();
    rte_eal_cleanup();
}

bool Environment::register_this_thread() noexcept {
    return rte_lcore_id() != LCORE_ID_ANY || rte_thread_register() == 0;
}

void Environment::unregister_this_thread() noexcept {
    if (rte_lcore_id() != rte_get_main_lcore()) rte_thread_unregister();
}

}  // namespace tickpath::port
