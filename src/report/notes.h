// What stands under a table: why rows are not ranked, what else is worth knowing, errors by kind.
#ifndef EDGE_REPORT_NOTES_H
#define EDGE_REPORT_NOTES_H

#include <stdio.h>

#include "report/row.h"

// Fills the row's reasons, doubts and failures. 0 or -ENOMEM.
int edge_notes_init(struct edge_row *row, const struct edge_result *result);

// Prints the sections that have something to say.
void edge_notes_print(const struct edge_row *rows, size_t count, FILE *out);

// Calls `print` for each line of `lines` (which end in a newline), without its newline.
void edge_notes_each(const char *lines, void (*print)(const char *line, void *context),
                     void *context);

#endif
