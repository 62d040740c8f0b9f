// A file of "unix seconds,watts" that another program has written, or still writes.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "power/lines.h"
#include "power/sources.h"

#define CHUNK 4096

struct csv {
    int fd;
    struct edge_lines lines;
};

static int open_csv(struct edge_power *power, struct edge_message *message)
{
    const char *path = power->config.argument;
    struct csv *csv = calloc(1, sizeof *csv);
    if (!csv)
        return edge_fail(message, -ENOMEM, "out of memory");
    power->state = csv;
    csv->lines.timed = true;
    edge_lines_init(&csv->lines);
    csv->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (csv->fd < 0)
        return edge_fail(message, -errno, "cannot read %s: %s", path, edge_error_text(-errno));
    snprintf(power->detail, sizeof power->detail, "%.150s", path);
    return 0;
}

static int read_csv(struct edge_power *power, struct edge_reading *reading,
                    struct edge_message *message)
{
    struct csv *csv = power->state;
    for (;;) {
        int result = edge_lines_next(&csv->lines, reading, message);
        if (result != -EAGAIN)
            return result == 0 ? 1 : result;
        if (edge_buffer_reserve(&csv->lines.input, CHUNK) != 0)
            return edge_fail(message, -ENOMEM, "out of memory");
        ssize_t got = read(csv->fd, edge_buffer_tail(&csv->lines.input), CHUNK);
        if (got < 0 && errno != EINTR)
            return edge_fail(message, -errno, "%s", edge_error_text(-errno));
        if (got == 0)
            return -EAGAIN; // it may grow
        if (got > 0)
            csv->lines.input.len += (size_t)got;
    }
}

static void close_csv(struct edge_power *power)
{
    struct csv *csv = power->state;
    if (!csv)
        return;
    if (csv->fd >= 0)
        close(csv->fd);
    edge_lines_free(&csv->lines);
    free(csv);
}

const struct edge_power_source edge_power_csv = {
    .name = "csv",
    .argument = "FILE",
    .place = EDGE_POWER_HOST,
    .scope = "as wired",
    .interval_ns = 0, // as the lines have it
    .open = open_csv,
    .read = read_csv,
    .close = close_csv,
    .reads = "a file of lines `unix seconds,watts`; it may grow while the run goes on",
    .includes = "what --power-scope says, else `unstated`",
    .permission = "none",
};
