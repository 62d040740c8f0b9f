// `bench-edge check`: goals and baselines, with an exit code.
#ifndef EDGE_REPORT_CHECK_COMMAND_H
#define EDGE_REPORT_CHECK_COMMAND_H

#include "base/option.h"

extern const struct edge_command edge_check_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit: MISSED if a goal was missed
// or a figure got worse, FAILED if something could not be read or has no baseline, INVALID if a run
// is not valid, in this order; USAGE.
int edge_check_command(int argc, char **argv);

#endif
