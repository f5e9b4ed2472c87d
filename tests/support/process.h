// Runs a program to its end and keeps what it said. With a deadline, so that a test cannot hang on it.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tickpath::test {

struct Ran {
    int exit_code = -1;  ///< 128 + signal when a signal ended it
    std::string out;
    std::string err;
};

namespace detail {

class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    [[nodiscard]] int read_end() const { return ends_[0]; }
    [[nodiscard]] int write_end() const { return ends_[1]; }
    void close_write_end() { close_end(1); }

private:
    void close_end(std::size_t end) {
        if (ends_[end] >= 0) ::close(ends_[end]);
        ends_[end] = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

}  // namespace detail

/// Runs `words[0]`, found in PATH, and waits for it; kills it when `limit` has passed, which shows as exit
/// code 137.
inline Ran run(std::vector<std::string> words, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    detail::Pipe out;
    detail::Pipe err;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
    pid_t pid = 0;
    const int failure = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error(words[0] + ": " + std::strerror(failure));
    out.close_write_end();
    err.close_write_end();

    Ran ran;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 2> waiting = {{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            ::kill(pid, SIGKILL);
            break;
        }
        if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <= 0) continue;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].revents == 0) continue;
            std::array<char, 4096> buffer;
            const ssize_t count = ::read(waiting[i].fd, buffer.data(), buffer.size());
            if (count > 0)
                (i == 0 ? ran.out : ran.err).append(buffer.data(), static_cast<std::size_t>(count));
            else
                waiting[i].fd = -1;  // poll ignores it
        }
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
}

}  // namespace tickpath::test
