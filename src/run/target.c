#include "run/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take(struct edge_cpuset *set, const struct edge_cpuset *from, unsigned first,
                 unsigned count)
{
    *set = (struct edge_cpuset){.count = count};
    for (size_t i = 0; i < count; i++)
        set->cpus[i] = from->cpus[first + i];
}

int edge_target_split(struct edge_target *target, const struct edge_cpuset *allowed,
                      uint64_t server_count, uint64_t client_count, struct edge_message *message)
{
    target->shared = allowed->count == 1 && server_count == 1 && client_count == 1;
    if (target->shared) {
        target->server_cpus = target->client_cpus = target->other_cpus = *allowed;
        return 0;
    }
    // Each alone first: the sum of two large numbers may wrap.
    if (server_count > allowed->count || client_count > allowed->count ||
        server_count + client_count > allowed->count) {
        char text[256];
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--server-cpus %llu and --client-cpus %llu need that many CPUs together, "
                         "found %u that may be used (%s): lower one of them",
                         (unsigned long long)server_count, (unsigned long long)client_count,
                         allowed->count, edge_cpuset_text(allowed, text, sizeof(text)));
    }
    unsigned servers = (unsigned)server_count;
    take(&target->server_cpus, allowed, 0, servers);
    take(&target->client_cpus, allowed, servers, (unsigned)client_count);
    take(&target->other_cpus, allowed, servers, allowed->count - servers);
    return 0;
}

// How this program is started again. An emulator's script says so itself: /proc/self/exe is the
// emulated binary, which this machine cannot start.
static int find_self(char *path, size_t size, struct edge_message *message)
{
    const char *script = getenv("BENCH_EDGE_PROGRAM");
    if (script && strlen(script) < size) {
        snprintf(path, size, "%s", script);
        return 0;
    }
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0) {
        int error = -errno;
        return edge_fail(message, error, "cannot find this program by /proc/self/exe: %s",
                         edge_error_text(error));
    }
    path[length] = '\0';
    return 0;
}

static int init_local(struct edge_target *target, uint64_t server_count, uint64_t client_count,
                      struct edge_message *message)
{
    struct edge_cpuset allowed;
    int error = edge_cpuset_allowed(&allowed);
    if (error)
        return edge_fail(message, error, "cannot find out which CPUs may be used: %s",
                         edge_error_text(error));
    error = find_self(target->agent_path, sizeof(target->agent_path), message);
    if (error)
        return error;
    target->agent_argv[0] = target->agent_path;
    target->agent_argv[1] = "agent";
    snprintf(target->board, sizeof(target->board), "host");
    snprintf(target->host, sizeof(target->host), "127.0.0.1");
    target->same_machine = true;
    return edge_target_split(target, &allowed, server_count, client_count, message);
}

int edge_target_init(struct edge_target *target, const char *name, uint64_t server_count,
                     uint64_t client_count, struct edge_message *message)
{
    *target = (struct edge_target){.shared = false};
    snprintf(target->name, sizeof(target->name), "%s", name);
    if (strcmp(name, "local") == 0)
        return init_local(target, server_count, client_count, message);
    return edge_fail(message, EDGE_ERR_USAGE, "--target: expected \"local\", found \"%s\"", name);
}
