#include "agent/ram_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/procfs.h"
#include "result/record.h"

static int write_text(const char *folder, const char *file, const char *text)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
    close(fd);
    return error;
}

// The folder of the agent's own cgroup, from the "0::" line of /proc/self/cgroup.
static int find_home(const char *root, char *home, size_t size, size_t *mount_len)
{
    static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char text[4096], controllers[512];
    if (edge_procfs_read(root, "/proc/self/cgroup", text, sizeof text) <= 0)
        return -ENOENT;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return -ENOENT;
    line += *line == '\n';
    line += strlen("0::");
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        snprintf(home, size, "%s/cgroup.controllers", mounts[i]);
        if (edge_procfs_read(root, home, controllers, sizeof controllers) < 0)
            continue;
        int length =
            snprintf(home, size, "%s%s%.*s", root, mounts[i], (int)strcspn(line, "\n"), line);
        if (length < 0 || (size_t)length >= size)
            return -ENAMETOOLONG;
        *mount_len = strlen(root) + strlen(mounts[i]);
        return 0;
    }
    return -ENOENT;
}

// Makes a child of `parent` with the limit. 0, or a negated errno: then nothing is left behind.
static int make_group(struct edge_ram_limit *limit, const char *parent, uint64_t bytes)
{
    char text[24];
    int length =
        snprintf(limit->group, sizeof limit->group, "%s/bench-edge-%d", parent, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof limit->group)
        return -ENAMETOOLONG;
    if (mkdir(limit->group, 0755) != 0)
        return -errno;
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    int error = write_text(limit->group, "memory.max", text);
    if (error) {
        rmdir(limit->group);
        return error;
    }
    // Absent where the kernel has no swap accounting; memory.max alone still holds.
    write_text(limit->group, "memory.swap.max", "0");
    return 0;
}

static int find_group(struct edge_ram_limit *limit, const char *root, uint64_t bytes)
{
    size_t mount_len;
    int error = find_home(root, limit->home, sizeof limit->home, &mount_len);
    if (error)
        return error;
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", limit->home);
    for (;;) {
        size_t len = strlen(parent);
        while (len > mount_len && parent[len - 1] == '/')
            parent[--len] = '\0';
        error = make_group(limit, parent, bytes);
        if (!error || len <= mount_len)
            return error;
        *strrchr(parent, '/') = '\0';
    }
}

void edge_ram_limit_init(struct edge_ram_limit *limit, const char *root, uint64_t bytes)
{
    *limit = (struct edge_ram_limit){.data_bytes = 0};
    if (bytes == 0) {
        snprintf(limit->how, sizeof limit->how, "none: no limit was asked for");
        return;
    }
    int error = find_group(limit, root, bytes);
    if (!error) {
        snprintf(limit->how, sizeof limit->how, "cgroup memory.max");
        return;
    }
    limit->group[0] = '\0';
    limit->data_bytes = bytes;
    snprintf(limit->how, sizeof limit->how, "RLIMIT_DATA (no cgroup v2 with a memory limit: %s)",
             edge_error_text(error));
}

static int move_self(const char *folder, struct edge_message *message)
{
    int error = write_text(folder, "cgroup.procs", "0");
    if (error)
        return edge_fail(message, error, "cannot move into cgroup %s: %s", folder,
                         edge_error_text(error));
    return 0;
}

int edge_ram_limit_enter(const struct edge_ram_limit *limit, struct edge_message *message)
{
    return limit->group[0] ? move_self(limit->group, message) : 0;
}

int edge_ram_limit_leave(const struct edge_ram_limit *limit, struct edge_message *message)
{
    return limit->group[0] ? move_self(limit->home, message) : 0;
}

uint64_t edge_ram_limit_kills(const struct edge_ram_limit *limit)
{
    char text[512];
    uint64_t kills = 0;
    if (limit->group[0] && edge_procfs_read(limit->group, "/memory.events", text, sizeof text) > 0)
        edge_procfs_number(text, "oom_kill ", &kills);
    return kills;
}

uint64_t edge_ram_limit_peak(const struct edge_ram_limit *limit)
{
    int64_t bytes;
    if (!limit->group[0] || edge_procfs_integer(limit->group, "/memory.peak", &bytes) != 0)
        return EDGE_UNMEASURED;
    return (uint64_t)bytes;
}

void edge_ram_limit_free(struct edge_ram_limit *limit)
{
    // A process that was killed leaves its group a moment after it has been waited for.
    for (int i = 0; limit->group[0] && rmdir(limit->group) != 0 && errno == EBUSY && i < 100; i++)
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    limit->group[0] = '\0';
}
