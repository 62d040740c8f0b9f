// Any command that prints watts. One that ends is started again for the next reading.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/subprocess.h"
#include "power/lines.h"
#include "power/sources.h"

#define CHUNK    4096
#define WAIT_MS  200
#define AGAIN_NS EDGE_NS_PER_S // between two starts
#define GRACE_NS (200 * EDGE_NS_PER_MS)

struct cmd {
    struct edge_subprocess process;
    struct edge_lines lines;
    uint64_t started_ns;
};

static int start(struct edge_power *power, struct edge_message *message)
{
    struct cmd *cmd = power->state;
    const char *argv[] = {"sh", "-c", power->config.argument, NULL};
    struct edge_subprocess_config config = {.argv = argv, .pipe_stdout = true, .own_group = true};
    cmd->started_ns = edge_clock_ns();
    return edge_subprocess_spawn(&config, &cmd->process, message);
}

static int open_cmd(struct edge_power *power, struct edge_message *message)
{
    struct cmd *cmd = calloc(1, sizeof *cmd);
    if (!cmd)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = cmd;
    cmd->process.stdin_fd = cmd->process.stdout_fd = -1;
    edge_lines_init(&cmd->lines);
    snprintf(power->detail, sizeof power->detail, "%.150s", power->config.argument);
    return start(power, message);
}

// Its end: its own failure, or time for the next start. What it printed last may lack a newline.
static int ended(struct edge_power *power, struct edge_reading *reading,
                 struct edge_message *message)
{
    struct cmd *cmd = power->state;
    edge_subprocess_stop(&cmd->process, GRACE_NS);
    int status = cmd->process.status;
    if (status != 0) {
        char text[80];
        edge_buffer_consume(&cmd->lines.input, cmd->lines.input.len);
        return edge_fail(message, EDGE_ERR_FAILED, "the command %s",
                         edge_subprocess_status_text(status, text, sizeof text));
    }
    if (cmd->lines.input.len == 0)
        return -EAGAIN;
    int error = edge_buffer_append(&cmd->lines.input, "\n", 1);
    return error ? edge_fail(message, error, "out of memory")
                 : edge_lines_next(&cmd->lines, reading, message);
}

static int read_cmd(struct edge_power *power, struct edge_reading *reading,
                    struct edge_message *message)
{
    struct cmd *cmd = power->state;
    int result = edge_lines_next(&cmd->lines, reading, message);
    if (result != -EAGAIN)
        return result == 0 ? 1 : result;
    if (cmd->process.pid == 0 || cmd->process.exited) {
        if (edge_clock_ns() < cmd->started_ns + AGAIN_NS)
            return -EAGAIN;
        int error = start(power, message);
        if (error)
            return error;
    }
    struct pollfd ready = {.fd = cmd->process.stdout_fd, .events = POLLIN};
    if (poll(&ready, 1, WAIT_MS) <= 0)
        return -EAGAIN;
    if (edge_buffer_reserve(&cmd->lines.input, CHUNK) != 0)
        return edge_fail(message, -ENOMEM, "out of memory");
    ssize_t got = read(cmd->process.stdout_fd, edge_buffer_tail(&cmd->lines.input), CHUNK);
    if (got == 0)
        result = ended(power, reading, message);
    if (got > 0) {
        cmd->lines.input.len += (size_t)got;
        result = edge_lines_next(&cmd->lines, reading, message);
    }
    return result == 0 ? 1 : result;
}

static void close_cmd(struct edge_power *power)
{
    struct cmd *cmd = power->state;
    if (!cmd)
        return;
    edge_subprocess_stop(&cmd->process, GRACE_NS);
    edge_lines_free(&cmd->lines);
    free(cmd);
}

const struct edge_power_source edge_power_cmd = {
    .name = "cmd",
    .argument = "COMMAND",
    .place = EDGE_POWER_HOST,
    .scope = "as wired",
    .interval_ns = 0, // as the lines have it
    .open = open_cmd,
    .read = read_cmd,
    .close = close_cmd,
    .reads =
        "what a shell command prints: a line `watts` or `unix seconds,watts` for each reading; "
        "one that ends is started again, at most once a second",
    .includes = "what --power-scope says, else `unstated`",
    .permission = "the command's own",
};
