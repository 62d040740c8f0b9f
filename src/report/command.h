// `bench-edge report`: shows results.
#ifndef EDGE_REPORT_COMMAND_H
#define EDGE_REPORT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/option.h"

extern const struct edge_command edge_report_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit: FAILED if a file could not be
// read (the others are still shown) or there was nothing to show, USAGE.
int edge_report_command(int argc, char **argv);

// Reads the result files `paths` (a folder stands for the *.jsonl files in it, and in its
// sub-folders one level down) and prints tables, parameters, boards and quotable lines to `out`;
// what cannot be read is told on `err`, with file and line. Returns enum edge_exit as above.
int edge_report_print(const char *const *paths, size_t count, FILE *out, FILE *err);

// What the commands of this room do alike: takes argv, answers --help and the like. `config` has
// the defaults. Returns -1 to go on, with *operands set, or enum edge_exit.
int edge_report_arguments(const struct edge_command *command, void *config, int argc, char **argv,
                          int *operands);

// Whether all that was printed to `out` has arrived. If not, `err` is told: "cannot write WHAT:
// ...".
bool edge_report_written(FILE *out, const char *what, FILE *err);

#endif
