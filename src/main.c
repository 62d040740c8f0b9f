// bench-edge: the table of sub-commands.
#include <stdio.h>
#include <string.h>

#include "agent/command.h"
#include "base/build_info.h"
#include "base/nearest.h"
#include "load/command.h"
#include "report/boards.h"
#include "report/check_command.h"
#include "report/command.h"
#include "report/compare_command.h"
#include "run/command.h"
#include "run/probe_command.h"

static int run(int argc, char **argv)
{
    return edge_run_command(argc, argv, edge_report_print);
}

static const struct {
    const struct edge_command *options;
    int (*main)(int argc, char **argv);
} commands[] = {
    {&edge_run_command_options, run},
    {&edge_load_command_options, edge_load_command},
    {&edge_probe_command_options, edge_probe_command},
    {&edge_agent_command_options, edge_agent_command},
    {&edge_report_command_options, edge_report_command},
    {&edge_boards_command_options, edge_boards_command},
    {&edge_compare_command_options, edge_compare_command},
    {&edge_check_command_options, edge_check_command},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

// "run" of "bench-edge run".
static const char *name_of(size_t index)
{
    return strrchr(commands[index].options->name, ' ') + 1;
}

static void print_help(FILE *out)
{
    fprintf(out, "usage: bench-edge COMMAND [OPTION...] [OPERAND...]\n\n"
                 "How much gRPC can this board serve?\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", name_of(i), commands[i].options->summary);
    fprintf(out, "\nbench-edge COMMAND --help tells more. "
                 "Exit codes: 0 ok, 1 failed, 2 usage, 3 invalid result, 4 goal missed.\n");
}

static int print_version(void)
{
    const struct edge_build_info *build = edge_build_info();
    printf("bench-edge %s (%s), %s, %s, %s\n", build->version, build->git, build->compiler,
           build->build, build->target);
    return EDGE_EXIT_OK;
}

static int unknown(const char *name)
{
    size_t best = EDGE_NEAREST_FAR, nearest = COMMANDS;
    for (size_t i = 0; i < COMMANDS; i++) {
        size_t distance = edge_nearest_distance(name, name_of(i));
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    fprintf(stderr, "bench-edge: unknown command \"%s\"", name);
    if (nearest < COMMANDS)
        fprintf(stderr, "; did you mean %s?", name_of(nearest));
    fprintf(stderr, " (bench-edge --help lists all)\n");
    return EDGE_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EDGE_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return EDGE_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], name_of(i)) == 0)
            return commands[i].main(argc - 1, argv + 1);
    return unknown(argv[1]);
}
