#include "power/vcgencmd.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/subprocess.h"

#define ANSWER_NS (2 * EDGE_NS_PER_S)
#define GRACE_NS  (100 * EDGE_NS_PER_MS)

// Reads until the other end is closed.
static int read_all(int fd, char *text, size_t size, struct edge_message *message)
{
    uint64_t until_ns = edge_clock_ns() + ANSWER_NS;
    size_t have = 0;
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        uint64_t now_ns = edge_clock_ns();
        if (now_ns >= until_ns)
            return edge_fail(message, -ETIMEDOUT, "vcgencmd gave no answer within 2 s");
        if (have == size - 1)
            return edge_fail(message, EDGE_ERR_LIMIT, "vcgencmd printed more than %zu bytes", have);
        if (poll(&ready, 1, (int)((until_ns - now_ns) / EDGE_NS_PER_MS + 1)) <= 0)
            continue;
        ssize_t got = read(fd, text + have, size - 1 - have);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return edge_fail(message, -errno, "vcgencmd: %s", edge_error_text(-errno));
        if (got == 0)
            break;
        if (got > 0)
            have += (size_t)got;
    }
    text[have] = '\0';
    return 0;
}

int edge_vcgencmd_run(const char *command, char *text, size_t size, struct edge_message *message)
{
    const char *const argv[] = {"vcgencmd", command, NULL};
    struct edge_subprocess_config config = {
        .argv = argv, .pipe_stdout = true, .own_group = true, .die_with_parent = true};
    struct edge_subprocess process;
    char status[64];
    int error = edge_subprocess_spawn(&config, &process, message);
    if (error)
        return error;
    error = read_all(process.stdout_fd, text, size, message);
    // It has closed its output: it is about to end, and need not be asked to.
    for (int i = 0; !error && i < 100 && !edge_subprocess_poll(&process); i++)
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    edge_subprocess_stop(&process, GRACE_NS);
    if (!error && process.status != 0)
        error = edge_fail(message, EDGE_ERR_FAILED, "vcgencmd %s: %s", command,
                          edge_subprocess_status_text(process.status, status, sizeof status));
    return error;
}
