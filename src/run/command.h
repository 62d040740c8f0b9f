// `bench-edge run`: the main job.
#ifndef EDGE_RUN_COMMAND_H
#define EDGE_RUN_COMMAND_H

#include <stddef.h>
#include <stdio.h>

#include "run/run_options.h"

// The command. argv[0] is the command's name. `report` prints the result files `paths`, in the
// manner of edge_report_print(); main brings the two rooms together. Returns enum edge_exit.
typedef int edge_run_report(const char *const *paths, size_t count, FILE *out, FILE *err);
int edge_run_command(int argc, char **argv, edge_run_report *report);

#endif
