// The tables of results that can be compared with each other.
#ifndef EDGE_REPORT_TABLE_H
#define EDGE_REPORT_TABLE_H

#include <stdio.h>

#include "report/row.h"

// Prints `count` >= 1 sorted rows of one key: speed, cost, reasons and errors by kind, board and
// parameters, quotable lines. 0 or -ENOMEM.
int edge_table_print(const struct edge_row *rows, size_t count, FILE *out);

#endif
