// `bench-edge compare`: boards, or servers, side by side.
#ifndef EDGE_REPORT_COMPARE_COMMAND_H
#define EDGE_REPORT_COMPARE_COMMAND_H

#include "base/option.h"

extern const struct edge_command edge_compare_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit: FAILED if something could not
// be read or was refused, or there was nothing to compare; USAGE.
int edge_compare_command(int argc, char **argv);

#endif
