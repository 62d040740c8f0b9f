#include "agent/command.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/build_info.h"

struct agent_options {
    const char *root;
};

static const struct edge_option options[] = {
    {EDGE_OPT_STRING(struct agent_options, root), .name = "root", .argument = "DIR",
     .help =
         "Look for what the board tells (/sys, /proc, /etc, /dev) below this folder: for tests on "
         "recorded trees. The server and its CPU time stay those of this machine."},
    {.name = NULL},
};

const struct edge_command edge_agent_command_options = {
    .name = "bench-edge agent",
    .operands = "",
    .summary = "Run on the board: start the server and measure it, told by JSON lines on stdin.",
    .epilog =
        "`bench-edge run` starts the agent by itself. When its stdin closes it ends, and takes\n"
        "the server along.",
    .options = options,
};

int edge_agent_command(int argc, char **argv)
{
    struct agent_options config;
    struct edge_message message;
    int operands = 0;
    edge_options_defaults(&edge_agent_command_options, &config);
    int result = edge_options_env(&edge_agent_command_options, &config, &message);
    if (result >= 0)
        result = edge_options_argv(&edge_agent_command_options, &config, argc, argv, &operands,
                                   &message);
    if (result < 0) {
        fprintf(stderr, "bench-edge agent: %s\n", message.text);
        return EDGE_EXIT_USAGE;
    }
    switch (result) {
    case EDGE_ARGV_HELP:
        edge_options_help(&edge_agent_command_options, stdout);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_VERSION:
        printf("bench-edge %s\n", edge_build_info()->version);
        return EDGE_EXIT_OK;
    case EDGE_ARGV_SHOW:
        edge_options_show(&edge_agent_command_options, &config, stdout);
        return EDGE_EXIT_OK;
    default:
        break;
    }
    signal(SIGPIPE, SIG_IGN);
    struct edge_agent_config agent = {config.root, STDIN_FILENO, STDOUT_FILENO};
    if (edge_agent_run(&agent, &message) < 0) {
        fprintf(stderr, "bench-edge agent: %s\n", message.text);
        return EDGE_EXIT_FAILED;
    }
    return EDGE_EXIT_OK;
}
