// Prints the option tables of every command, for docs/options.md (scripts/docs.sh).
#include <stdio.h>

#include "agent/command.h"
#include "load/command.h"
#include "report/boards.h"
#include "report/check_command.h"
#include "report/command.h"
#include "report/compare_command.h"
#include "run/probe_command.h"
#include "run/run_options.h"

int main(void)
{
    const struct edge_command *const commands[] = {
        &edge_run_command_options,   &edge_probe_command_options,  &edge_load_command_options,
        &edge_agent_command_options, &edge_report_command_options, &edge_compare_command_options,
        &edge_check_command_options, &edge_boards_command_options,
    };
    printf(
        "# Options\n\nGenerated from the option tables by scripts/docs.sh: do not edit.\n\n"
        "Every command and server also knows `--help`, `--version` and `--show-config`. What is\n"
        "given on the command line comes before the environment, and that before the default.\n\n");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        edge_options_markdown(commands[i], stdout);
    return 0;
}
