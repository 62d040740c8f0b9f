#include "run/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/catalogue.h"

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

// Writes the folder `up` levels above this program's, and `rest` behind it.
static int beside_program(const struct edge_target *target, int up, const char *rest, char *path,
                          size_t size, struct edge_message *message)
{
    size_t len = strlen(target->agent_path);
    for (int i = 0; i <= up; i++)
        while (len > 0 && target->agent_path[--len] != '/')
            ;
    int length = snprintf(path, size, "%.*s/%s", (int)len, target->agent_path, rest);
    if (length < 0 || (size_t)length >= size)
        return edge_fail(message, -ENAMETOOLONG, "the path of %s is too long", rest);
    return 0;
}

// This machine.
static int init_here(struct edge_target *target, uint64_t server_count, uint64_t client_count,
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
    snprintf(target->host, sizeof(target->host), "127.0.0.1");
    target->same_machine = true;
    return edge_target_split(target, &allowed, server_count, client_count, message);
}

static int init_qemu(struct edge_target *target, const char *board_id, uint64_t server_count,
                     uint64_t client_count, struct edge_message *message)
{
    const struct edge_catalogue_board *board = edge_catalogue_find(board_id, message);
    if (!board)
        return EDGE_ERR_NOT_FOUND;
    char plugin[PATH_MAX], servers[128];
    snprintf(servers, sizeof(servers), "%s/servers", board->id);
    snprintf(target->board, sizeof(target->board), "%s", board->id);
    target->board_name = board->name;
    target->emulated = true;
    int error = init_here(target, server_count, client_count, message);
    if (!error)
        error =
            beside_program(target, 1, servers, target->servers, sizeof(target->servers), message);
    if (!error)
        error = beside_program(target, 0, "qemu/insn_count.so", plugin, sizeof(plugin), message);
    if (!error)
        error = edge_emulator_init(&target->emulator, board->id, board->qemu, board->qemu_cpu,
                                   plugin, message);
    if (!error && access(target->servers, F_OK) != 0)
        return edge_fail(message, EDGE_ERR_FAILED,
                         "nothing is built for %s: expected servers in %s; scripts/build.sh %s "
                         "builds them",
                         board->id, target->servers, board->id);
    return error;
}

bool edge_target_is_emulated(const char *name)
{
    return strncmp(name, "qemu:", strlen("qemu:")) == 0;
}

int edge_target_init(struct edge_target *target, const char *name, uint64_t server_count,
                     uint64_t client_count, struct edge_message *message)
{
    *target = (struct edge_target){.shared = false};
    snprintf(target->name, sizeof(target->name), "%s", name);
    if (edge_target_is_emulated(name))
        return init_qemu(target, name + strlen("qemu:"), server_count, client_count, message);
    snprintf(target->board, sizeof(target->board), "host");
    if (strcmp(name, "local") == 0) {
        int error = init_here(target, server_count, client_count, message);
        return error ? error
                     : beside_program(target, 0, "servers", target->servers,
                                      sizeof(target->servers), message);
    }
    return edge_fail(message, EDGE_ERR_USAGE,
                     "--target: expected \"local\" or \"qemu:BOARD\", found \"%s\"", name);
}

void edge_target_free(struct edge_target *target)
{
    edge_emulator_free(&target->emulator);
}
