#include "control/cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "control/cli/talk.h"

namespace tickpath::cli {

void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0) continue;
        // open() returns the lowest free number, and those below are taken by now. The mode is the one in
        // which nobody uses the stream. Where even /dev/null is not there, the stream stays closed.
        static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

bool finish_standard_output() {
    errno = 0;
    std::cout.flush();
    const bool is_written = std::fflush(stdout) == 0;
    const int why = errno;
    if (is_written && std::cout.good() && std::ferror(stdout) == 0) return true;
    // An earlier write failed and took its reason with it; a write of nothing fails in the same way on a
    // device that is full.
    const bool is_known = why != 0 || ::write(STDOUT_FILENO, "", 0) < 0;
    say("standard output: " +
        (is_known ? std::string(std::strerror(why != 0 ? why : errno)) + "; the output is not complete"
                  : "a write failed; the output is not complete"));
    return false;
}

}  // namespace tickpath::cli
