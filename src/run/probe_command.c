#include "run/probe_command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "run/agent_client.h"
#include "run/probe_check.h"
#include "run/probe_print.h"
#include "run/target.h"

#define LOOK_NS    EDGE_NS_PER_S        // at what the machine does
#define REQUEST_NS (30 * EDGE_NS_PER_S) // a meter may be slow

struct probe_options {
    const char *target;
    const char *root;
    const char *board;
    const char *board_dir;
    unsigned format;
};

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = {"text", "json", NULL};

static const struct edge_option options[] = {
    {EDGE_OPT_STRING(struct probe_options, target), .name = "target", .argument = "TARGET",
     .fallback = "local", .help = "What to look at: as in bench-edge run."},
    {EDGE_OPT_STRING(struct probe_options, root), .name = "root", .argument = "DIR",
     .help = "Look for what the board tells (/sys, /proc, /etc, /dev) below this folder."},
    {EDGE_OPT_STRING(struct probe_options, board), .name = "board", .argument = "ID",
     .help = "Which board of the catalogue an ssh target is, where it is not recognised."},
    {EDGE_OPT_STRING(struct probe_options, board_dir), .name = "board-dir", .argument = "DIR",
     .fallback = ".cache/bench-edge",
     .help = "Where programs go on an ssh target, below the home folder unless it begins with /."},
    {EDGE_OPT_CHOICE(struct probe_options, format), .name = "format", .letter = 'f',
     .argument = "FORMAT", .fallback = "text", .choices = formats,
     .help = "text, or json: docs/probe.md tells its members."},
    {.name = NULL},
};

const struct edge_command edge_probe_command_options = {
    .name = "bench-edge probe",
    .operands = "",
    .summary = "Tell what a board is, what it can measure, and what would make a run invalid.",
    .epilog = "It looks at what else the machine does for one second.\n\n"
              "Exit codes: 0 nothing speaks against a run, 1 it could not be probed, 2 usage, 3 a\n"
              "run would not be valid as things are.",
    .options = options,
};

static int fail(const struct edge_message *message, int exit_code)
{
    fprintf(stderr, "bench-edge probe: %s\n", message->text);
    return exit_code;
}

static int check(const struct probe_options *config, struct edge_message *message)
{
    struct stat folder;
    if (config->board && !edge_target_is_remote(config->target))
        return edge_fail(message, EDGE_ERR_USAGE,
                         "--board %s: expected with --target ssh://..., found --target %s",
                         config->board, config->target);
    if (!config->root)
        return 0;
    if (strcmp(config->target, "local") != 0)
        return edge_fail(message, EDGE_ERR_USAGE, "--root is read here: leave --target %s out",
                         config->target);
    if (stat(config->root, &folder) != 0 || !S_ISDIR(folder.st_mode))
        return edge_fail(message, EDGE_ERR_USAGE, "--root: expected a folder, found \"%s\"",
                         config->root);
    return 0;
}

// Asks the agent, and adds what only the host knows.
static int ask(const struct probe_options *config, struct edge_target *target,
               struct edge_agent_client *agent, json_t **probe, struct edge_message *message)
{
    json_t *answer = NULL;
    json_int_t for_ns = config->root ? 0 : (json_int_t)LOOK_NS; // a tree does not change
    json_t *request = json_pack("{ss sI}", "op", "probe", "for_ns", for_ns);
    int error = edge_agent_client_call(agent, request, REQUEST_NS, &answer, message);
    if (error)
        return error;
    json_t *facts = json_object_get(answer, "probe");
    json_t *rules = edge_probe_check(facts, target, config->root != NULL);
    char others[512];
    *probe = json_pack(
        "{ss si si ss ss so so sO so ss sb}", "format", "bench-edge probe", "major", 1, "minor", 0,
        "version", edge_build_info()->version, "target", target->name, "root",
        config->root ? json_string(config->root) : json_null(), "emulated_board",
        target->emulated ? json_string(target->board_name) : json_null(), "facts", facts, "rules",
        rules, "rules_of_a_run", edge_probe_check_others(rules, others, sizeof others), "valid",
        edge_probe_check_passes(rules));
    json_decref(answer);
    return *probe ? 0 : edge_fail(message, -ENOMEM, "out of memory");
}

static int probe_target(const struct probe_options *config, struct edge_target *target,
                        struct edge_agent_client *agent, json_t **probe,
                        struct edge_message *message)
{
    int error = check(config, message);
    const struct edge_target_config how = {
        .name = config->target,
        .root = config->root,
        .board = config->board,
        .board_dir = config->board_dir,
        .server_cpus = 1,
        .client_cpus = 1,
    };
    if (!error)
        error = edge_target_init(target, &how, message);
    if (!error)
        error = edge_agent_client_start(agent, target->agent_argv, NULL, message);
    return error ? error : ask(config, target, agent, probe, message);
}

static int print(const struct probe_options *config, const json_t *probe)
{
    errno = 0;
    if (config->format == FORMAT_JSON) {
        json_dumpf(probe, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
        putchar('\n');
    } else {
        edge_probe_print(probe, stdout);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return errno ? -errno : -EIO;
}

static int execute(const struct probe_options *config)
{
    struct edge_message message;
    struct edge_target target = {.shared = false};
    struct edge_agent_client agent = {.process = {.stdin_fd = -1, .stdout_fd = -1}};
    json_t *probe = NULL;
    int error = probe_target(config, &target, &agent, &probe, &message);
    edge_agent_client_stop(&agent);
    edge_target_free(&target);
    if (error == EDGE_ERR_USAGE || error == EDGE_ERR_NOT_FOUND)
        return fail(&message, EDGE_EXIT_USAGE);
    if (error)
        return fail(&message, EDGE_EXIT_FAILED);
    error = print(config, probe);
    bool valid = json_is_true(json_object_get(probe, "valid"));
    json_decref(probe);
    if (error) {
        edge_fail(&message, error, "cannot write what was found (is the disk full?): %s",
                  edge_error_text(error));
        return fail(&message, EDGE_EXIT_FAILED);
    }
    return valid ? EDGE_EXIT_OK : EDGE_EXIT_INVALID;
}

int edge_probe_command(int argc, char **argv)
{
    struct probe_options config;
    struct edge_message message;
    int operands = 0;
    edge_options_defaults(&edge_probe_command_options, &config);
    int asked = edge_options_env(&edge_probe_command_options, &config, &message);
    if (asked >= 0)
        asked = edge_options_argv(&edge_probe_command_options, &config, argc, argv, &operands,
                                  &message);
    if (asked < 0)
        return fail(&message, EDGE_EXIT_USAGE);
    switch (asked) {
    case EDGE_ARGV_HELP:
        edge_options_help(&edge_probe_command_options, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(&edge_probe_command_options, &config, stdout);
        return EDGE_EXIT_OK;
    default:
        break;
    }
    signal(SIGPIPE, SIG_IGN);
    return execute(&config);
}
