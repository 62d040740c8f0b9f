#include "run/command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/clock.h"
#include "run/repeat.h"
#include "run/results_folder.h"
#include "run/run_tls.h"

// A run in preparation: what has to be given back at its end.
struct run {
    struct edge_run_options options;
    struct edge_payload payload;
    struct edge_target target;
    struct edge_servers servers;
    struct edge_agent_client agent;
    struct edge_meters meters;
    struct edge_run_tls tls;
    struct edge_interrupt interrupt;
    struct edge_progress progress;
    struct edge_recorder_facts facts;
    struct edge_recorder *recorders;
    char (*paths)[PATH_MAX]; // of result files, one per server
    char folder[PATH_MAX];
};

static int fail(const struct edge_message *message, int exit_code)
{
    fprintf(stderr, "bench-edge run: %s\n", message->text);
    return exit_code;
}

static int find_servers(struct run *run, char *const *operands, size_t count,
                        struct edge_message *message)
{
    struct edge_target *target = &run->target;
    int error = edge_servers_find(&run->servers, target->servers, operands, count, message);
    if (!error)
        error = edge_target_bring(target, &run->servers, message);
    for (size_t i = 0; !error && i < run->servers.count; i++)
        if (run->servers.at[i].problem[0])
            fprintf(stderr, "bench-edge run: %s: %s\n", run->servers.at[i].name,
                    run->servers.at[i].problem);
    return error;
}

static size_t usable(const struct edge_servers *servers)
{
    size_t count = 0;
    for (size_t i = 0; i < servers->count; i++)
        count += servers->at[i].problem[0] == '\0';
    return count;
}

static int open_files(struct run *run, struct edge_message *message)
{
    int error =
        edge_results_folder_make(run->options.results_dir, edge_clock_wall_ns(), run->target.board,
                                 run->folder, sizeof(run->folder), message);
    if (error)
        return error;
    run->recorders = calloc(run->servers.count, sizeof(*run->recorders));
    run->paths = calloc(run->servers.count, sizeof(*run->paths));
    if (!run->recorders || !run->paths)
        return edge_fail(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < run->servers.count; i++)
        run->recorders[i].writer.fd = -1;
    for (size_t i = 0; i < run->servers.count && !error; i++) {
        const struct edge_server_entry *server = &run->servers.at[i];
        if (server->problem[0])
            continue;
        error = edge_results_folder_file(run->folder, server->name, run->payload.scenario,
                                         run->payload.call, run->paths[i], sizeof(run->paths[i]),
                                         message);
        if (!error)
            error =
                edge_recorder_open(&run->recorders[i], run->paths[i], &run->facts, server, message);
    }
    return error;
}

static void warn_about_cpus(const struct run *run)
{
    if (run->target.shared)
        fprintf(stderr, "bench-edge run: there is one CPU only: server and generator share it, and "
                        "the result will not be valid\n");
    else // this program keeps off the server's CPUs
        edge_cpuset_pin(0, &run->target.other_cpus);
}

// Makes the target ready, and tells what it is.
static int prepare_target(struct run *run, struct edge_message *message)
{
    const struct edge_run_options *asked = &run->options;
    const struct edge_target_config config = {
        .name = asked->target,
        .root = asked->root,
        .board = asked->board,
        .board_dir = asked->board_dir,
        .server_cpus = asked->server_cpus,
        .client_cpus = asked->client_cpus,
        .interrupt = &run->interrupt,
    };
    int error = edge_target_init(&run->target, &config, message);
    if (!error && run->target.remote)
        fprintf(stderr, "board: %s\n", run->target.ssh.told);
    return error;
}

static void tell_copies(const struct edge_target *target)
{
    const struct edge_ssh_copy *copy = &target->ssh.copy;
    if (target->remote && copy->files > 0)
        fprintf(stderr, "copied %u files, %" PRIu64 " KiB, to %s on the board\n", copy->files,
                copy->bytes / 1024, target->ssh.dir);
    else if (target->remote)
        fprintf(stderr, "nothing to copy: %s on the board is current\n", target->ssh.dir);
}

// All up to where the agent is started.
static int prepare(struct run *run, char *const *operands, size_t count,
                   struct edge_message *message)
{
    struct edge_run_options *config = &run->options;
    int error = edge_run_options_check(config, message);
    if (!error)
        error = edge_payload_load(&run->payload, config->scenario, config->call, config->messages,
                                  message);
    if (!error && !config->call)
        config->call = run->payload.call; // the one in effect, for the records
    if (!error) {
        error = edge_interrupt_init(&run->interrupt);
        if (error)
            return edge_fail(message, error, "cannot catch Ctrl-C: %s", edge_error_text(error));
    }
    if (!error)
        error = prepare_target(run, message);
    if (!error)
        error = edge_run_tls_init(&run->tls, config, run->target.host, message);
    if (!error)
        error = edge_target_bring_tls(&run->target, &run->tls.cert, &run->tls.key, message);
    if (!error)
        error = find_servers(run, operands, count, message);
    if (!error)
        tell_copies(&run->target);
    return error;
}

// Which sources there are is told once; that there are none, by the table.
static int open_meters(struct run *run, struct edge_message *message)
{
    const struct edge_run_options *config = &run->options;
    const char *scope = config->power_scope > 0 ? edge_power_scopes[config->power_scope - 1] : NULL;
    const char *power = run->target.emulated ? "none" : config->power;
    int error = edge_meters_open(&run->meters, power, scope, &run->agent, message);
    for (unsigned i = 0; i < run->meters.count; i++) {
        const struct edge_record_source *facts = &run->meters.at[i].facts;
        fprintf(stderr, "power: %s, %s (%s)%s%s\n", facts->name, facts->detail, facts->scope,
                facts->warning[0] ? "; WARNING: " : "", facts->warning);
    }
    return error;
}

// The programs may run below an emulator that was not asked for.
static void note_emulation(struct run *run)
{
    struct edge_target *target = &run->target;
    if (target->emulated || !run->agent.board.emulator[0])
        return;
    target->emulated = true;
    snprintf(target->emulator.not_counted, sizeof(target->emulator.not_counted),
             "the emulator is not started from here");
    fprintf(stderr, "bench-edge run: the servers run below %s: nothing here is a board's speed\n",
            run->agent.board.emulator);
}

static int start(struct run *run, struct edge_message *message)
{
    warn_about_cpus(run);
    if (run->target.emulator.not_counted[0])
        fprintf(stderr, "bench-edge run: instructions are not counted: %s\n",
                run->target.emulator.not_counted);
    int error =
        edge_agent_client_start(&run->agent, run->target.agent_argv,
                                run->target.shared ? NULL : &run->target.other_cpus, message);
    note_emulation(run);
    run->facts = (struct edge_recorder_facts){
        &edge_run_command_options, &run->options, &run->target, &run->payload,
        &run->agent.board,         &run->meters};
    if (!error)
        error = open_meters(run, message);
    return error ? error : open_files(run, message);
}

// Ends every file. `failure`: why it could not go on, or NULL. Returns the exit code that the
// results alone give.
static int conclude(struct run *run, const struct edge_message *failure)
{
    int exit_code = EDGE_EXIT_OK;
    const char *interrupted = failure               ? failure->text
                              : run->interrupt.seen ? "the run was stopped before its last repeat"
                                                    : NULL;
    for (size_t i = 0; i < run->servers.count; i++) {
        struct edge_recorder *recorder = &run->recorders[i];
        struct edge_message message;
        if (run->servers.at[i].problem[0]) {
            exit_code = EDGE_EXIT_FAILED;
            continue;
        }
        if (edge_recorder_end(recorder, interrupted, &message) < 0) {
            fprintf(stderr, "bench-edge run: %s\n", message.text);
            exit_code = EDGE_EXIT_FAILED;
        }
        if (recorder->verified == 0)
            exit_code = EDGE_EXIT_FAILED;
        else if (!recorder->sound && !recorder->calibration && exit_code == EDGE_EXIT_OK)
            exit_code = EDGE_EXIT_INVALID;
    }
    return run->interrupt.seen ? EDGE_EXIT_FAILED : exit_code;
}

static int print(const struct run *run, edge_run_report *report)
{
    const char **paths = calloc(run->servers.count, sizeof(*paths));
    if (!paths)
        return EDGE_EXIT_FAILED;
    size_t count = 0;
    for (size_t i = 0; i < run->servers.count; i++)
        if (run->paths[i][0])
            paths[count++] = run->paths[i];
    int exit_code = report(paths, count, stdout, stderr);
    free((void *)paths);
    fprintf(stderr, "results: %s\n", run->folder);
    return exit_code;
}

static int measure(struct run *run, edge_run_report *report)
{
    struct edge_message message;
    struct edge_repeat_plan plan = {
        .sequence = {.options = &run->options,
                     .target = &run->target,
                     .payload = &run->payload,
                     .agent = &run->agent,
                     .meters = &run->meters,
                     .tls = &run->tls,
                     .interrupt = &run->interrupt,
                     .progress = &run->progress},
        .servers = &run->servers,
        .recorders = run->recorders,
        .repeats = run->options.repeat,
    };
    edge_progress_init(&run->progress);
    int error = edge_repeat_run(&plan, &message);
    edge_progress_end(&run->progress);
    if (error)
        fail(&message, EDGE_EXIT_FAILED);
    edge_agent_client_stop(&run->agent); // and with it any server: before the table, not after
    int exit_code = conclude(run, error ? &message : NULL);
    if (print(run, report) != EDGE_EXIT_OK && exit_code == EDGE_EXIT_OK)
        exit_code = EDGE_EXIT_FAILED;
    return error ? EDGE_EXIT_FAILED : exit_code;
}

static void give_back(struct run *run)
{
    for (size_t i = 0; run->recorders && i < run->servers.count; i++)
        edge_recorder_free(&run->recorders[i]);
    free(run->recorders);
    free(run->paths);
    edge_meters_free(&run->meters);
    edge_run_tls_free(&run->tls);
    edge_agent_client_stop(&run->agent);
    edge_interrupt_free(&run->interrupt);
    edge_servers_free(&run->servers);
    edge_target_free(&run->target);
    edge_payload_free(&run->payload);
}

static int execute(struct run *run, char *const *operands, size_t count, edge_run_report *report)
{
    struct edge_message message;
    int error = prepare(run, operands, count, &message);
    if (error == EDGE_ERR_USAGE || error == EDGE_ERR_FORMAT || error == EDGE_ERR_NOT_FOUND)
        return fail(&message, EDGE_EXIT_USAGE);
    if (error)
        return fail(&message, EDGE_EXIT_FAILED);
    if (usable(&run->servers) == 0)
        return EDGE_EXIT_FAILED; // each has been told of
    if (start(run, &message) < 0)
        return fail(&message, EDGE_EXIT_FAILED);
    return measure(run, report);
}

int edge_run_command(int argc, char **argv, edge_run_report *report)
{
    struct run run = {.interrupt = {.fd = -1},
                      .agent = {.process = {.stdin_fd = -1, .stdout_fd = -1}}};
    struct edge_message message;
    int operands;
    edge_run_options_begin(&run.options);
    int asked = edge_options_env(&edge_run_command_options, &run.options, &message);
    if (asked >= 0)
        asked = edge_options_argv(&edge_run_command_options, &run.options, argc, argv, &operands,
                                  &message);
    if (asked < 0)
        return fail(&message, EDGE_EXIT_USAGE);
    edge_run_options_settle(&run.options);
    switch (asked) {
    case EDGE_ARGV_HELP:
        edge_options_help(&edge_run_command_options, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(&edge_run_command_options, &run.options, stdout);
        return EDGE_EXIT_OK;
    default:
        break;
    }
    signal(SIGPIPE, SIG_IGN); // an agent or a server that is gone shows as an error of write
    int exit_code = execute(&run, argv, (size_t)operands, report);
    give_back(&run);
    return exit_code;
}
