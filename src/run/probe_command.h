// `bench-edge probe`: what a board is, what it can tell, and what would make a run there invalid.
#ifndef EDGE_RUN_PROBE_COMMAND_H
#define EDGE_RUN_PROBE_COMMAND_H

#include "base/option.h"

extern const struct edge_command edge_probe_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit.
int edge_probe_command(int argc, char **argv);

#endif
