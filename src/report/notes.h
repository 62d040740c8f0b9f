// What stands under a table: why rows are not ranked, what else is worth knowing, errors by kind.
#ifndef EDGE_REPORT_NOTES_H
#define EDGE_REPORT_NOTES_H

#include <stdio.h>

#include "report/row.h"

// Prints the sections that have something to say.
void edge_notes_print(const struct edge_row *rows, size_t count, FILE *out);

#endif
