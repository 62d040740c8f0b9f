#include "agent/probe_process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfs.h"

void edge_agent_sample_init(struct edge_agent_sample *sample)
{
    *sample = (struct edge_agent_sample){
        .t_ns = EDGE_UNMEASURED,
        .wall_ns = EDGE_UNMEASURED,
        .cpu_ns = EDGE_UNMEASURED,
        .rss_bytes = EDGE_UNMEASURED,
        .hwm_bytes = EDGE_UNMEASURED,
        .pss_bytes = EDGE_UNMEASURED,
        .threads = EDGE_UNMEASURED,
        .processes = EDGE_UNMEASURED,
        .voluntary_switches = EDGE_UNMEASURED,
        .involuntary_switches = EDGE_UNMEASURED,
        .guest_insns = EDGE_UNMEASURED,
        .guest_syscalls = EDGE_UNMEASURED,
        .machine_busy_ns = EDGE_UNMEASURED,
        .machine_idle_ns = EDGE_UNMEASURED,
        .machine_steal_ns = EDGE_UNMEASURED,
        .temperature_millicelsius = EDGE_UNMEASURED,
        .requested_hz = EDGE_UNMEASURED,
        .measured_hz = EDGE_UNMEASURED,
        .throttle_bits = EDGE_UNMEASURED,
        .cpus_online = EDGE_UNMEASURED,
        .below_max_ns = EDGE_UNMEASURED,
        .swap_bytes = EDGE_UNMEASURED,
        .cpu_pressure_ns = EDGE_UNMEASURED,
        .memory_pressure_ns = EDGE_UNMEASURED,
        .io_pressure_ns = EDGE_UNMEASURED,
        .cgroup_peak_bytes = EDGE_UNMEASURED,
    };
}

void edge_probe_process_init(struct edge_probe_process *probe, const char *root, pid_t pid)
{
    *probe = (struct edge_probe_process){.root = root, .count = 1};
    probe->tree[0].pid = pid;
}

static void sum(uint64_t *total, uint64_t value)
{
    *total = *total == EDGE_UNMEASURED ? value : *total + value;
}

static bool knows(const struct edge_probe_process *probe, pid_t pid)
{
    for (unsigned i = 0; i < probe->count; i++)
        if (probe->tree[i].pid == pid)
            return true;
    return false;
}

// The list grows while it is walked: children of children are found in the same pass.
static void find_descendants(struct edge_probe_process *probe)
{
    for (unsigned i = 0; i < probe->count; i++) {
        char path[64], text[1024];
        int pid = probe->tree[i].pid;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
        if (edge_procfs_read(probe->root, path, text, sizeof text) <= 0)
            continue;
        char *at = text;
        for (char *end; probe->count < EDGE_PROBE_PROCESS_MAX; at = end) {
            long child = strtol(at, &end, 10);
            if (end == at)
                break;
            if (child > 0 && child <= INT_MAX && !knows(probe, (pid_t)child))
                probe->tree[probe->count++] =
                    (struct edge_probe_process_entry){.pid = (pid_t)child};
        }
    }
}

static bool cpu_from_clock(pid_t pid, uint64_t *cpu_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *cpu_ns = (uint64_t)time.tv_sec * EDGE_NS_PER_S + (uint64_t)time.tv_nsec;
    return true;
}

static bool cpu_from_stat(const char *root, pid_t pid, uint64_t *cpu_ns)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (edge_procfs_read(root, path, text, sizeof text) <= 0)
        return false;
    // The program's name may hold blanks and parentheses: fields are counted from the last ')'.
    const char *fields = strrchr(text, ')');
    unsigned long long user, system;
    if (!fields ||
        sscanf(fields + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", // NOLINT(cert-*)
               &user, &system) != 2)
        return false;
    *cpu_ns = (user + system) * (EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    return true;
}

// Drops the processes that have ended, keeping what they had used.
static int read_cpu(struct edge_probe_process *probe, struct edge_agent_sample *sample)
{
    bool live = probe->root[0] == '\0';
    const char *source = live ? "cpu_clock" : "stat";
    pid_t server = probe->tree[0].pid;
    uint64_t total = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < probe->count; i++) {
        struct edge_probe_process_entry entry = probe->tree[i];
        uint64_t cpu_ns;
        bool found = live && cpu_from_clock(entry.pid, &cpu_ns);
        if (!found && (found = cpu_from_stat(probe->root, entry.pid, &cpu_ns)))
            source = "stat";
        if (!found && entry.pid == server)
            return -ESRCH;
        if (!found) {
            probe->gone_cpu_ns += entry.cpu_ns;
            continue;
        }
        entry.cpu_ns = cpu_ns;
        total += cpu_ns;
        probe->tree[kept++] = entry;
    }
    probe->count = kept;
    sample->cpu_ns = total + probe->gone_cpu_ns;
    snprintf(sample->cpu_source, sizeof sample->cpu_source, "%s", source);
    return 0;
}

static void read_switches(const char *text, struct edge_agent_sample *sample)
{
    uint64_t value;
    if (edge_procfs_number(text, "voluntary_ctxt_switches:", &value))
        sum(&sample->voluntary_switches, value);
    if (edge_procfs_number(text, "nonvoluntary_ctxt_switches:", &value))
        sum(&sample->involuntary_switches, value);
}

static void read_thread_switches(const char *root, pid_t pid, struct edge_agent_sample *sample)
{
    char path[PATH_MAX], text[4096];
    snprintf(path, sizeof path, "%s/proc/%d/task", root, (int)pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (struct dirent *task; (task = readdir(tasks));) {
        if (!isdigit((unsigned char)task->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, task->d_name);
        if (edge_procfs_read(root, path, text, sizeof text) > 0)
            read_switches(text, sample);
    }
    closedir(tasks);
}

static void read_status(const char *root, pid_t pid, bool deep, struct edge_agent_sample *sample)
{
    char path[32], text[4096];
    uint64_t value;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (edge_procfs_read(root, path, text, sizeof text) <= 0)
        return;
    if (edge_procfs_number(text, "VmRSS:", &value))
        sum(&sample->rss_bytes, value * 1024);
    if (edge_procfs_number(text, "VmHWM:", &value))
        sum(&sample->hwm_bytes, value * 1024);
    if (edge_procfs_number(text, "Threads:", &value))
        sum(&sample->threads, value);
    if (!deep)
        read_switches(text, sample);
}

static void read_pss(const char *root, pid_t pid, struct edge_agent_sample *sample)
{
    char path[40], text[2048];
    uint64_t value;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (edge_procfs_read(root, path, text, sizeof text) > 0 &&
        edge_procfs_number(text, "Pss:", &value))
        sum(&sample->pss_bytes, value * 1024);
}

int edge_probe_process_sample(struct edge_probe_process *probe, bool deep,
                              struct edge_agent_sample *sample)
{
    find_descendants(probe);
    sample->t_ns = edge_clock_ns();
    sample->wall_ns = edge_clock_wall_ns();
    int error = read_cpu(probe, sample);
    if (error)
        return error;
    sample->processes = probe->count;
    for (unsigned i = 0; i < probe->count; i++) {
        pid_t pid = probe->tree[i].pid;
        read_status(probe->root, pid, deep, sample);
        if (deep) {
            read_thread_switches(probe->root, pid, sample);
            read_pss(probe->root, pid, sample);
        }
    }
    return 0;
}

int edge_probe_process_reset_peak(struct edge_probe_process *probe, struct edge_message *message)
{
    find_descendants(probe);
    for (unsigned i = 0; i < probe->count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/proc/%d/clear_refs", probe->root, (int)probe->tree[i].pid);
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        ssize_t put = fd < 0 ? -1 : write(fd, "5", 1);
        int error = -errno;
        if (fd >= 0)
            close(fd);
        if (put != 1)
            return edge_fail(message, error, "cannot reset the peak memory of process %d: %s: %s",
                             (int)probe->tree[i].pid, path, edge_error_text(error));
    }
    return 0;
}
