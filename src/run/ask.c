#include "run/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/subprocess.h"

#define ANSWER_NS (2 * EDGE_NS_PER_S)
#define GRACE_NS  (EDGE_NS_PER_S / 2)

// Reads up to the end, the first newline if `line`, or `until_ns`.
static void read_text(int fd, bool line, uint64_t until_ns, char *text, size_t size)
{
    size_t len = 0;
    while (len < size - 1) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        uint64_t now = edge_clock_ns();
        int left_ms = now < until_ns ? (int)((until_ns - now) / EDGE_NS_PER_MS) + 1 : 0;
        int ready = poll(&poll_fd, 1, left_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t got = ready > 0 ? read(fd, text + len, size - 1 - len) : 0;
        if (got <= 0)
            break;
        len += (size_t)got;
        if (line && memchr(text, '\n', len))
            break;
    }
    text[len] = '\0';
}

int edge_ask(const char *const *argv, bool line, char *out, size_t out_size, char *err,
             size_t err_size, struct edge_message *message)
{
    out[0] = '\0';
    // A file: a program that says much on stderr is not held up, nor does it hold us up.
    int err_fd =
        err ? memfd_create("stderr", MFD_CLOEXEC) : open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct edge_subprocess_config config = {
        .argv = argv, .pipe_stdout = true, .own_group = true, .stderr_fd = err_fd};
    struct edge_subprocess process;
    int error = edge_subprocess_spawn(&config, &process, message);
    if (!error) {
        read_text(process.stdout_fd, line, edge_clock_ns() + ANSWER_NS, out, out_size);
        edge_subprocess_stop(&process, GRACE_NS);
    }
    if (err) {
        ssize_t got = err_fd >= 0 ? pread(err_fd, err, err_size - 1, 0) : 0;
        err[got > 0 ? got : 0] = '\0';
    }
    if (err_fd >= 0)
        close(err_fd);
    return error;
}
