#include "run/ssh_target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/procfs.h"
#include "run/ask.h"

#define CLOSE_NS (3 * EDGE_NS_PER_S)
#define START_NS (20 * EDGE_NS_PER_S) // for programs to say their versions

// --- Which build ---

static bool has_build(const char *folder)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/bench-edge", folder);
    return length > 0 && (size_t)length < sizeof(path) && access(path, R_OK) == 0;
}

// build/<id> beside build/host, or dist's bench-edge-<version>-<id>.
static bool find_build(const struct edge_ssh_target_config *config, const char *id, char *folder,
                       size_t size)
{
    snprintf(folder, size, "%s/../%s", config->programs, id);
    if (has_build(folder))
        return true;
    snprintf(folder, size, "%s/../bench-edge-%s-%s", config->programs, edge_build_info()->version,
             id);
    return has_build(folder);
}

// The board's own build, or that of another board with the same compiler and flags.
static int find_programs(struct edge_ssh_target *target,
                         const struct edge_ssh_target_config *config,
                         const struct edge_catalogue_board *board, struct edge_message *message)
{
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    if (find_build(config, board->id, target->programs, sizeof(target->programs)))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(boards[i].toolchain, board->toolchain) == 0 &&
            strcmp(boards[i].cpu_flags, board->cpu_flags) == 0 &&
            find_build(config, boards[i].id, target->programs, sizeof(target->programs)))
            return 0;
    return edge_fail(message, EDGE_ERR_FAILED,
                     "%.160s; nothing is built for it: expected %.128s/../%s/bench-edge; "
                     "scripts/build.sh %s builds it",
                     target->told, config->programs, board->id, board->id);
}

// A machine like this one takes the programs that run here.
static bool is_like_here(const struct edge_ssh_board *board)
{
    struct utsname name;
    return uname(&name) == 0 && strcmp(name.machine, board->facts.machine) == 0;
}

static void set_board(struct edge_ssh_target *target, const struct edge_catalogue_board *board)
{
    snprintf(target->id, sizeof(target->id), "%s", board->id);
    snprintf(target->name, sizeof(target->name), "%s", board->name);
}

static int choose(struct edge_ssh_target *target, const struct edge_ssh_target_config *config,
                  struct edge_message *message)
{
    const struct edge_recognise_facts *facts = &target->board.facts;
    struct edge_recognised found;
    if (config->board) {
        const struct edge_catalogue_board *board = edge_catalogue_find(config->board, message);
        if (!board)
            return EDGE_ERR_NOT_FOUND;
        set_board(target, board);
        snprintf(target->told, sizeof(target->told), "%s, as --board says", board->name);
        return find_programs(target, config, board, message);
    }
    edge_recognise(facts, &found);
    if (found.board)
        set_board(target, found.board);
    else
        snprintf(target->id, sizeof(target->id), "%s",
                 edge_ssh_is_plain(facts->machine) ? facts->machine : "unknown");
    snprintf(target->told, sizeof(target->told), "%s (%s)%s%s",
             found.board ? found.board->name : "not a board of the catalogue", found.why,
             found.build_why[0] ? "; " : "", found.build_why);
    if (found.build)
        return find_programs(target, config, found.build, message);
    if (is_like_here(&target->board)) {
        snprintf(target->told, sizeof(target->told), "%s like this one (%s): it gets this build",
                 facts->machine, found.why);
        snprintf(target->programs, sizeof(target->programs), "%s", config->programs);
        return 0;
    }
    return edge_fail(message, EDGE_ERR_FAILED, "%.300s; say which board it is with --board",
                     target->told);
}

// --- Where it is ---

static bool is_number(const char *address)
{
    unsigned char bytes[16];
    char plain[64];
    snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(address, "%"), address); // fe80::1%eth0
    return inet_pton(AF_INET, address, bytes) == 1 || inet_pton(AF_INET6, plain, bytes) == 1;
}

// What ssh's configuration makes of the host.
static void resolve(const struct edge_ssh_name *name, char *host, size_t size)
{
    const char *argv[] = {"ssh", "-G", "--", name->host, NULL};
    char text[8192];
    struct edge_message ignored; // then the name as it is
    snprintf(host, size, "%s", name->host);
    if (edge_ask(argv, false, text, sizeof(text), NULL, 0, &ignored) != 0)
        return;
    const char *line = strstr(text, "\nhostname ");
    if (line)
        snprintf(host, size, "%.*s", (int)strcspn(line + 10, "\n"), line + 10);
}

// The generator needs a number: names are not looked up here. A host that is given by name is where
// its ssh server says that it was reached.
static int locate(struct edge_ssh_target *target, struct edge_message *message)
{
    char host[256], here[40];
    resolve(&target->ssh.name, host, sizeof(host));
    snprintf(target->listen, sizeof(target->listen), "%s",
             is_number(target->board.address) ? target->board.address : "0.0.0.0");
    if (is_number(host))
        snprintf(target->address, sizeof(target->address), "%.63s", host);
    else if (is_number(target->board.address))
        snprintf(target->address, sizeof(target->address), "%s", target->board.address);
    else
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "the board does not tell the address that it was reached at: give its "
                         "number in place of %.128s",
                         host);
    target->same_machine =
        edge_procfs_line("", "/proc/sys/kernel/random/boot_id", here, sizeof(here)) > 0 &&
        strcmp(here, target->board.boot_id) == 0;
    return 0;
}

// --- Programs ---

// Two builds that were made from different sources may still work together.
static void note_other_build(struct edge_ssh_target *target, const char *version)
{
    size_t used = strlen(target->told);
    if (!strstr(version, edge_build_info()->git))
        snprintf(target->told + used, sizeof(target->told) - used,
                 "; WARNING: what runs there is of another commit: %.*s",
                 (int)strcspn(version, "\n"), version);
}

static int copy_self(struct edge_ssh_target *target, struct edge_message *message)
{
    char path[PATH_MAX + 16], command[192], out[256];
    snprintf(path, sizeof(path), "%s/bench-edge", target->programs);
    int error = edge_ssh_copy_file(&target->copy, path, "bench-edge", 0755, message);
    if (error)
        return error;
    struct edge_ssh_output output = {.out = out, .out_size = sizeof(out)};
    snprintf(command, sizeof(command), "exec %s/bench-edge --version", target->dir);
    error = edge_ssh_run(&target->ssh, command, -1, START_NS, &output, message);
    if (!error && output.status == 0)
        note_other_build(target, out);
    if (error || output.status == 0)
        return error;
    return edge_fail(message, EDGE_ERR_FAILED,
                     "the bench-edge that was copied does not start on the board (machine %s, exit "
                     "code %d): %.160s; is %s of another kind of board, or is %s mounted noexec? "
                     "See --board and --board-dir",
                     target->board.facts.machine, output.status,
                     output.words[0] ? output.words : "it said nothing", path, target->dir);
}

int edge_ssh_target_open(struct edge_ssh_target *target,
                         const struct edge_ssh_target_config *config, struct edge_message *message)
{
    struct edge_ssh_name name;
    *target = (struct edge_ssh_target){.same_machine = false};
    int error = edge_ssh_parse(config->name, &name, message);
    if (error)
        return error;
    if (!edge_ssh_is_plain(config->dir) || strlen(config->dir) >= sizeof(target->dir))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--board-dir: expected a path of letters, digits and / . _ + -, found "
                         "\"%.128s\"",
                         config->dir);
    snprintf(target->dir, sizeof(target->dir), "%s", config->dir);
    snprintf(target->command, sizeof(target->command), "exec %s/bench-edge agent", target->dir);
    error = edge_ssh_open(&target->ssh, &name, config->interrupt, message);
    if (!error)
        error = edge_ssh_board_ask(&target->ssh, target->dir, &target->board, message);
    if (!error && target->board.folder[0])
        error = edge_fail(message, EDGE_ERR_FAILED,
                          "cannot write to %s on the board: %s; another folder can be given with "
                          "--board-dir",
                          target->dir, target->board.folder);
    if (!error)
        error = choose(target, config, message);
    if (!error)
        error = locate(target, message);
    target->copy =
        (struct edge_ssh_copy){.ssh = &target->ssh, .board = &target->board, .dir = target->dir};
    if (!error)
        error = copy_self(target, message);
    if (error)
        edge_ssh_target_close(target);
    return error;
}

// "N=first line of --version", for each server. One that gives none in two seconds is ended.
static const char ask_one[] = "{ %s --version </dev/null 2>/dev/null & it=$!\n"
                              "  { sleep 2; kill -9 $it; } >/dev/null 2>&1 & late=$!\n"
                              "  wait $it; kill $late; } 2>/dev/null | sed -n '1s/^/%zu=/p'\n";

static int ask_versions(struct edge_ssh_target *target, struct edge_servers *servers,
                        struct edge_message *message)
{
    const size_t size = 1024 * (servers->count + 1);
    char *script = calloc(1, size), *out = calloc(1, size);
    size_t used = 0;
    int error = script && out ? 0 : edge_fail(message, -ENOMEM, "out of memory");
    for (size_t i = 0; !error && i < servers->count; i++)
        if (!servers->at[i].problem[0])
            used += (size_t)snprintf(script + used, size - used, ask_one, servers->at[i].path, i);
    struct edge_ssh_output output = {.out = out, .out_size = size};
    if (!error)
        error = edge_ssh_script(&target->ssh, script, START_NS + servers->count * 3 * EDGE_NS_PER_S,
                                &output, message);
    char *rest = NULL;
    for (char *line = error ? NULL : strtok_r(out, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value;
        unsigned long index = strtoul(line, &value, 10);
        if (*value == '=' && index < servers->count)
            edge_servers_set_version(&servers->at[index], value + 1);
    }
    free(script);
    free(out);
    return error;
}

int edge_ssh_target_bring(struct edge_ssh_target *target, struct edge_servers *servers,
                          struct edge_message *message)
{
    for (size_t i = 0; i < servers->count; i++) {
        struct edge_server_entry *server = &servers->at[i];
        char name[160];
        if (server->problem[0])
            continue;
        snprintf(name, sizeof(name), "servers/%s", server->name);
        int error = edge_ssh_copy_file(&target->copy, server->path, name, 0755, message);
        if (error == EDGE_ERR_USAGE || error == EDGE_ERR_FAILED)
            snprintf(server->problem, sizeof(server->problem), "%s", message->text);
        else if (error)
            return error;
        snprintf(server->path, sizeof(server->path), "%s/%s", target->dir, name);
    }
    return ask_versions(target, servers, message);
}

int edge_ssh_target_bring_tls(struct edge_ssh_target *target, const char **cert, const char **key,
                              struct edge_message *message)
{
    struct edge_ssh_copy copy = target->copy; // they are not counted as programs
    snprintf(target->cert, sizeof(target->cert), "%s/cert.pem", target->dir);
    snprintf(target->key, sizeof(target->key), "%s/key.pem", target->dir);
    int error = edge_ssh_copy_file(&copy, *cert, "cert.pem", 0600, message);
    if (!error)
        error = edge_ssh_copy_file(&copy, *key, "key.pem", 0600, message);
    *cert = target->cert;
    *key = target->key;
    return error;
}

static void remove_tls(struct edge_ssh_target *target)
{
    char command[400], out[16];
    struct edge_message ignored;  // without a connection they stay
    target->ssh.interrupt = NULL; // Ctrl-C is no reason to leave them
    struct edge_ssh_output output = {.out = out, .out_size = sizeof(out)};
    snprintf(command, sizeof(command), "rm -f %s %s", target->cert, target->key);
    edge_ssh_run(&target->ssh, command, -1, CLOSE_NS, &output, &ignored);
    target->cert[0] = '\0';
}

void edge_ssh_target_close(struct edge_ssh_target *target)
{
    if (target->cert[0])
        remove_tls(target);
    edge_ssh_close(&target->ssh);
}
