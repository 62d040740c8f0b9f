// `bench-edge run`: the main job.
#ifndef EDGE_RUN_COMMAND_H
#define EDGE_RUN_COMMAND_H

#include "base/option.h"
#include "run/run_options.h"

extern const struct edge_command edge_run_command_options;

// The table's defaults, where those that depend on the target are left open; and the rest, once the
// environment and argv were read: an emulator's counts repeat with few calls in flight, and need no
// long window.
void edge_run_options_begin(struct edge_run_options *options);
void edge_run_options_settle(struct edge_run_options *options);

// What the table alone cannot check: 0, or EDGE_ERR_USAGE with a message.
int edge_run_options_check(const struct edge_run_options *options, struct edge_message *message);

// The command. argv[0] is the command's name. `report` prints the result files `paths`, in the
// manner of edge_report_print(); main brings the two rooms together. Returns enum edge_exit.
typedef int edge_run_report(const char *const *paths, size_t count, FILE *out, FILE *err);
int edge_run_command(int argc, char **argv, edge_run_report *report);

#endif
