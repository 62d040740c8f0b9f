// `bench-edge boards`: the catalogue.
#ifndef EDGE_REPORT_BOARDS_H
#define EDGE_REPORT_BOARDS_H

#include <stdio.h>

#include "base/catalogue.h"
#include "base/option.h"

extern const struct edge_command edge_boards_command_options;

// The command. argv[0] is the command's name. Returns enum edge_exit; an unknown board is USAGE.
int edge_boards_command(int argc, char **argv);

enum edge_boards_format { EDGE_BOARDS_TABLE, EDGE_BOARDS_JSON, EDGE_BOARDS_MARKDOWN };

// Prints the one board, or all if `board` is NULL. 0 or -ENOMEM.
int edge_boards_print(const struct edge_catalogue_board *board, enum edge_boards_format format,
                      FILE *out);

#endif
