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

int edge_target_split_apart(struct edge_target *target, const struct edge_cpuset *board,
                            const struct edge_cpuset *here, uint64_t server_count,
                            uint64_t client_count, struct edge_message *message)
{
    char text[256];
    const struct {
        const char *option, *where;
        uint64_t asked;
        const struct edge_cpuset *found;
    } sides[] = {{"--server-cpus", "the board", server_count, board},
                 {"--client-cpus", "this machine", client_count, here}};
    for (size_t i = 0; i < 2; i++)
        if (sides[i].asked > sides[i].found->count)
            return edge_fail(message, EDGE_ERR_USAGE, "%s %llu: %s has %u that may be used (%s)",
                             sides[i].option, (unsigned long long)sides[i].asked, sides[i].where,
                             sides[i].found->count,
                             edge_cpuset_text(sides[i].found, text, sizeof(text)));
    target->shared = false;
    take(&target->server_cpus, board, 0, (unsigned)server_count);
    take(&target->client_cpus, here, 0, (unsigned)client_count);
    target->other_cpus = *here;
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

static int find_cpus(struct edge_cpuset *allowed, struct edge_message *message)
{
    int error = edge_cpuset_allowed(allowed);
    if (error)
        edge_fail(message, error, "cannot find out which CPUs may be used: %s",
                  edge_error_text(error));
    return error;
}

// This machine.
static int init_here(struct edge_target *target, const struct edge_target_config *config,
                     struct edge_message *message)
{
    struct edge_cpuset allowed;
    int error = find_cpus(&allowed, message);
    if (!error)
        error = find_self(target->agent_path, sizeof(target->agent_path), message);
    if (error)
        return error;
    target->agent_argv[0] = target->agent_path;
    target->agent_argv[1] = "agent";
    if (config->root) {
        target->agent_argv[2] = "--root";
        target->agent_argv[3] = config->root;
        snprintf(target->board, sizeof(target->board), "recorded");
    }
    snprintf(target->host, sizeof(target->host), "127.0.0.1");
    snprintf(target->listen, sizeof(target->listen), "127.0.0.1");
    target->same_machine = true;
    return edge_target_split(target, &allowed, config->server_cpus, config->client_cpus, message);
}

static int init_qemu(struct edge_target *target, const char *board_id,
                     const struct edge_target_config *config, struct edge_message *message)
{
    const struct edge_catalogue_board *board = edge_catalogue_find(board_id, message);
    if (!board)
        return EDGE_ERR_NOT_FOUND;
    char plugin[PATH_MAX], servers[128];
    snprintf(servers, sizeof(servers), "%s/servers", board->id);
    snprintf(target->board, sizeof(target->board), "%s", board->id);
    target->board_name = board->name;
    target->emulated = true;
    int error = init_here(target, config, message);
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

// Another kernel has CPUs of its own; behind ssh may also be a container here.
static int split_remote(struct edge_target *target, const struct edge_target_config *config,
                        struct edge_message *message)
{
    struct edge_cpuset here;
    int error = find_cpus(&here, message);
    if (error)
        return error;
    target->same_machine = target->ssh.same_machine;
    if (target->same_machine)
        return edge_target_split(target, &here, config->server_cpus, config->client_cpus, message);
    return edge_target_split_apart(target, &target->ssh.board.cpus, &here, config->server_cpus,
                                   config->client_cpus, message);
}

static int init_ssh(struct edge_target *target, const struct edge_target_config *config,
                    struct edge_message *message)
{
    char programs[PATH_MAX];
    int error = find_self(target->agent_path, sizeof(target->agent_path), message);
    if (!error)
        error = beside_program(target, 0, ".", programs, sizeof(programs), message);
    if (error)
        return error;
    struct edge_ssh_target_config ssh = {
        .name = config->name,
        .board = config->board,
        .dir = config->board_dir ? config->board_dir : ".cache/bench-edge",
        .programs = programs,
        .interrupt = config->interrupt,
    };
    error = edge_ssh_target_open(&target->ssh, &ssh, message);
    if (error)
        return error;
    target->remote = true;
    snprintf(target->board, sizeof(target->board), "%s", target->ssh.id);
    target->board_name = target->ssh.name[0] ? target->ssh.name : NULL;
    snprintf(target->host, sizeof(target->host), "%s", target->ssh.address);
    snprintf(target->listen, sizeof(target->listen), "%s", target->ssh.listen);
    edge_ssh_argv(&target->ssh.ssh, target->ssh.command, target->agent_argv);
    if (snprintf(target->servers, sizeof(target->servers), "%s/servers", target->ssh.programs) >=
        (int)sizeof(target->servers))
        return edge_fail(message, -ENAMETOOLONG, "the path of the servers is too long");
    return split_remote(target, config, message);
}

bool edge_target_is_emulated(const char *name)
{
    return strncmp(name, "qemu:", strlen("qemu:")) == 0;
}

bool edge_target_is_remote(const char *name)
{
    return strncmp(name, "ssh:", strlen("ssh:")) == 0;
}

int edge_target_init(struct edge_target *target, const struct edge_target_config *config,
                     struct edge_message *message)
{
    const char *name = config->name;
    *target = (struct edge_target){.shared = false};
    snprintf(target->name, sizeof(target->name), "%s", name);
    if (edge_target_is_emulated(name))
        return init_qemu(target, name + strlen("qemu:"), config, message);
    if (edge_target_is_remote(name))
        return init_ssh(target, config, message);
    snprintf(target->board, sizeof(target->board), "host");
    if (strcmp(name, "local") == 0) {
        int error = init_here(target, config, message);
        return error ? error
                     : beside_program(target, 0, "servers", target->servers,
                                      sizeof(target->servers), message);
    }
    return edge_fail(
        message, EDGE_ERR_USAGE,
        "--target: expected \"local\", \"qemu:BOARD\" or \"ssh://[user@]host[:port]\", "
        "found \"%s\"",
        name);
}

int edge_target_bring(struct edge_target *target, struct edge_servers *servers,
                      struct edge_message *message)
{
    if (target->remote) {
        int error = edge_ssh_target_bring(&target->ssh, servers, message);
        edge_servers_sort(servers);
        return error;
    }
    edge_servers_ask(servers, target->emulated ? &target->emulator : NULL);
    return 0;
}

int edge_target_bring_tls(struct edge_target *target, const char **cert, const char **key,
                          struct edge_message *message)
{
    if (!target->remote || !*cert)
        return 0;
    return edge_ssh_target_bring_tls(&target->ssh, cert, key, message);
}

bool edge_target_is_lost(struct edge_target *target, char *why, size_t size)
{
    return target->remote && edge_ssh_is_lost(&target->ssh.ssh, why, size);
}

void edge_target_free(struct edge_target *target)
{
    edge_emulator_free(&target->emulator);
    edge_ssh_target_close(&target->ssh);
    target->remote = false;
}
