#include "agent/board.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/probe_cpus.h"
#include "agent/probe_userland.h"
#include "base/cpuset.h"
#include "base/procfs.h"

static void read_cpu_name(const char *root, struct edge_board *board)
{
    struct edge_probe_cpus cpus;
    if (edge_probe_cpus_read(root, &cpus) == 0)
        edge_probe_cpus_text(&cpus, board->cpu, sizeof board->cpu);
}

static void read_model(const char *root, struct edge_board *board)
{
    static const struct {
        const char *path, *source;
    } sources[] = {
        {"/proc/device-tree/model", "device_tree"},
        {"/sys/class/dmi/id/product_name", "dmi"},
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (edge_procfs_line(root, sources[i].path, board->model, sizeof board->model) > 0) {
            snprintf(board->model_source, sizeof board->model_source, "%s", sources[i].source);
            return;
        }
    if (board->cpu[0]) {
        snprintf(board->model, sizeof board->model, "%s", board->cpu);
        snprintf(board->model_source, sizeof board->model_source, "cpuinfo");
    }
}

static void read_os(const char *root, struct edge_board *board)
{
    char text[2048];
    if (edge_procfs_read(root, "/etc/os-release", text, sizeof text) <= 0)
        return;
    const char *line = strstr(text, "PRETTY_NAME=");
    if (!line)
        return;
    line += strlen("PRETTY_NAME=");
    line += *line == '"';
    snprintf(board->os, sizeof board->os, "%.*s", (int)strcspn(line, "\"\n"), line);
}

static void add_governor(struct edge_board *board, const char *name)
{
    size_t used = strlen(board->governor), len = strlen(name);
    for (const char *at = board->governor; *at;) {
        size_t one = strcspn(at, ",");
        if (one == len && strncmp(at, name, len) == 0)
            return;
        at += one + (at[one] == ',');
    }
    snprintf(board->governor + used, sizeof board->governor - used, "%s%s", used ? "," : "", name);
}

static void read_governors(const char *root, struct edge_board *board)
{
    char path[PATH_MAX], name[32];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpufreq", root);
    DIR *policies = opendir(path);
    if (!policies)
        return;
    for (struct dirent *policy; (policy = readdir(policies));) {
        if (strncmp(policy->d_name, "policy", 6) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpufreq/%s/scaling_governor",
                 policy->d_name);
        if (edge_procfs_line(root, path, name, sizeof name) > 0)
            add_governor(board, name);
    }
    closedir(policies);
}

// What an emulator answers for /proc/self/exe is the program that it runs; other ways to the same
// link it passes on, and there the kernel names the emulator.
static void find_emulator(const char *root, struct edge_board *board)
{
    char self[PATH_MAX], real[PATH_MAX], tree[64];
    ssize_t self_len = readlink("/proc/self/exe", self, sizeof self - 1);
    ssize_t real_len = readlink("/proc/thread-self/exe", real, sizeof real - 1);
    if (edge_procfs_line(root, "/proc/device-tree/compatible", tree, sizeof tree) > 0 &&
        strcmp(tree, "linux,dummy-virt") == 0)
        snprintf(board->emulator, sizeof board->emulator, "a virtual machine (%.32s)", tree);
    if (self_len < 0 || real_len < 0)
        return;
    self[self_len] = real[real_len] = '\0';
    if (strcmp(self, real) != 0) {
        const char *slash = strrchr(real, '/');
        snprintf(board->emulator, sizeof board->emulator, "%.63s", slash ? slash + 1 : real);
    }
}

// A recorded tree's machine is not this one. Linux >= 6.1 keeps it in a file.
static void read_machine(const char *root, struct edge_board *board)
{
    struct utsname name;
    if (root[0]) {
        edge_procfs_line(root, "/proc/sys/kernel/arch", board->machine, sizeof board->machine);
        return;
    }
    board->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (board->userland_bits == 0) // a board without a shell
        board->userland_bits = sizeof(void *) * CHAR_BIT;
    if (uname(&name) == 0)
        snprintf(board->machine, sizeof board->machine, "%.*s", (int)sizeof board->machine - 1,
                 name.machine);
}

void edge_board_read(const char *root, struct edge_board *board)
{
    *board = (struct edge_board){.userland_bits = edge_probe_userland_bits(root)};
    read_cpu_name(root, board);
    read_model(root, board);
    read_os(root, board);
    read_governors(root, board);
    find_emulator(root, board);

    read_machine(root, board);
    edge_procfs_line(root, "/proc/sys/kernel/osrelease", board->kernel, sizeof board->kernel);

    struct edge_cpuset set;
    char text[4096];
    if (edge_procfs_line(root, "/sys/devices/system/cpu/online", text, sizeof text) > 0 &&
        edge_cpuset_parse(text, &set) == 0)
        board->cores = set.count;
    if (edge_cpuset_allowed(&set) == 0)
        edge_cpuset_text(&set, board->allowed_cpus, sizeof board->allowed_cpus);
    uint64_t kib;
    if (edge_procfs_read(root, "/proc/meminfo", text, sizeof text) > 0 &&
        edge_procfs_number(text, "MemTotal:", &kib))
        board->ram_bytes = kib * 1024;
}
