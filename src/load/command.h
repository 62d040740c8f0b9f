// `bench-edge load`: the load generator on its own.
#ifndef EDGE_LOAD_COMMAND_H
#define EDGE_LOAD_COMMAND_H

#include "base/option.h"

// The options; its rows write into a struct that only the command knows.
extern const struct edge_command edge_load_command_options;

// argv[0] is the command's name. Prints results on stdout (or --output), all else on stderr.
// Returns enum edge_exit: OK; FAILED: nothing could be measured, no reply was right, an output
// could not be written, or the books do not balance; USAGE; MISSED: a goal was missed, or
// --find-max found no rate.
int edge_load_command(int argc, char **argv);

#endif
