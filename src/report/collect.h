// Reads result files into rows.
#ifndef EDGE_REPORT_COLLECT_H
#define EDGE_REPORT_COLLECT_H

#include <stddef.h>
#include <stdio.h>

#include "report/row.h"

struct edge_collection {
    struct edge_row *rows;
    size_t count;
    size_t failures; // paths and files that could not be read
};

// Reads every file that `paths` stand for (files.h). What cannot be read is told on `err` with file
// and line, and counted; a file with the same bytes as one before is told of and left out. The
// caller frees the collection, after an error too. 0 or -ENOMEM (told on `err`, too).
int edge_collect(struct edge_collection *collection, const char *const *paths, size_t count,
                 FILE *err);

// Frees the rows. Safe twice.
void edge_collection_free(struct edge_collection *collection);

// Prints a message that may hold a path, so that it cannot disturb a terminal.
void edge_collect_tell(const char *text, FILE *err);

#endif
