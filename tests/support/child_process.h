// A program that a test starts, talks to by signals and reads to its end.
#pragma once

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tickpath::test {

/// stdout and stderr of the child arrive in one stream. Killed when the test leaves it behind.
class ChildProcess {
public:
    explicit ChildProcess(const std::vector<std::string>& command) {
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        std::vector<char*> arguments;
        for (const std::string& argument : command)
            arguments.push_back(const_cast<char*>(argument.c_str()));
        arguments.push_back(nullptr);
        const int failure = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_ = ends[0];
        if (failure != 0) {
            pid_ = -1;
            throw std::runtime_error("cannot start " + command[0]);
        }
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        ::close(output_);
    }

    /// Reads until `text` has come; all that was read so far, without it after the time-out.
    std::string wait_for(const std::string& text, int timeout_ms = 10'000) {
        while (seen_.find(text) == std::string::npos && read_more(timeout_ms)) {
        }
        return seen_;
    }

    void signal(int number) const { ::kill(pid_, number); }

    /// Waits for the end and returns the exit code, or minus the signal; `output()` is complete then.
    int finish() {
        while (read_more(20'000)) {
        }
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    [[nodiscard]] const std::string& output() const { return seen_; }

private:
    bool read_more(int timeout_ms) {
        pollfd waiting{.fd = output_, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, timeout_ms) <= 0) return false;
        char buffer[4'096];
        const ssize_t count = ::read(output_, buffer, sizeof buffer);
        if (count <= 0) return false;
        seen_.append(buffer, static_cast<std::size_t>(count));
        return true;
    }

    pid_t pid_ = -1;
    int output_ = -1;
    std::string seen_;
};

/// A TCP port that was free a moment ago, for programs that cannot choose one themselves.
[[nodiscard]] inline std::uint16_t free_port() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(descriptor);
    return ntohs(address.sin_port);
}

}  // namespace tickpath::test
