#include "agent/probe_busy.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfs.h"

static bool read_entry(const char *number, struct edge_probe_busy_entry *entry)
{
    char path[48], text[1024], *end;
    long pid = strtol(number, &end, 10);
    if (end == number || *end)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (edge_procfs_read("", path, text, sizeof text) <= 0)
        return false; // it has ended meanwhile
    // The name may hold blanks and parentheses: fields are counted from the last ')'.
    const char *name = strchr(text, '('), *fields = strrchr(text, ')');
    unsigned long long user, system;
    if (!name || !fields ||
        sscanf(fields + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", // NOLINT(cert-*)
               &user, &system) != 2)
        return false;
    entry->pid = (pid_t)pid;
    entry->cpu_ns = (user + system) * (EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    snprintf(entry->name, sizeof entry->name, "%.*s", (int)(fields - name - 1), name + 1);
    return true;
}

static int by_pid(const void *one, const void *other)
{
    pid_t a = ((const struct edge_probe_busy_entry *)one)->pid;
    pid_t b = ((const struct edge_probe_busy_entry *)other)->pid;
    return (a > b) - (a < b);
}

int edge_probe_busy_begin(struct edge_probe_busy *busy)
{
    size_t room = 0;
    *busy = (struct edge_probe_busy){.count = 0};
    DIR *folder = opendir("/proc");
    if (!folder)
        return -errno;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (busy->count == room) {
            room = room ? 2 * room : 256;
            void *larger = reallocarray(busy->before, room, sizeof *busy->before);
            if (!larger) {
                closedir(folder);
                edge_probe_busy_free(busy);
                return -ENOMEM;
            }
            busy->before = larger;
        }
        busy->count += read_entry(entry->d_name, &busy->before[busy->count]);
    }
    closedir(folder);
    if (busy->count > 0)
        qsort(busy->before, busy->count, sizeof *busy->before, by_pid);
    return 0;
}

static void keep(struct edge_probe_busy_entry *top, size_t *count,
                 const struct edge_probe_busy_entry *entry)
{
    size_t at = 0;
    while (at < *count && top[at].cpu_ns >= entry->cpu_ns)
        at++;
    if (at == EDGE_PROBE_BUSY_TOP)
        return;
    if (*count < EDGE_PROBE_BUSY_TOP)
        ++*count;
    memmove(top + at + 1, top + at, (*count - at - 1) * sizeof *top);
    top[at] = *entry;
}

size_t edge_probe_busy_end(struct edge_probe_busy *busy,
                           struct edge_probe_busy_entry top[EDGE_PROBE_BUSY_TOP])
{
    size_t count = 0;
    DIR *folder = busy->count > 0 ? opendir("/proc") : NULL;
    if (folder) {
        for (struct dirent *file; (file = readdir(folder));) {
            struct edge_probe_busy_entry entry;
            if (!read_entry(file->d_name, &entry) || entry.pid == getpid())
                continue;
            const struct edge_probe_busy_entry *before =
                bsearch(&entry, busy->before, busy->count, sizeof entry, by_pid);
            uint64_t used_ns = before ? before->cpu_ns : 0; // one that is new began at 0
            entry.cpu_ns = entry.cpu_ns > used_ns ? entry.cpu_ns - used_ns : 0;
            if (entry.cpu_ns > 0)
                keep(top, &count, &entry);
        }
        closedir(folder);
    }
    edge_probe_busy_free(busy);
    return count;
}

void edge_probe_busy_free(struct edge_probe_busy *busy)
{
    free(busy->before);
    *busy = (struct edge_probe_busy){.count = 0};
}
