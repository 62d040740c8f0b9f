// The tables of results that can be compared with each other.
#ifndef EDGE_REPORT_TABLE_H
#define EDGE_REPORT_TABLE_H

#include <stdio.h>

#include "report/columns.h"
#include "report/grid.h"
#include "report/row.h"

// Prints `count` >= 1 sorted rows of one key: speed, cost, reasons and errors by kind, board and
// parameters, quotable lines. If `columns` are named (count > 0), one table with just these.
// 0 or -ENOMEM.
int edge_table_print(const struct edge_row *rows, size_t count,
                     const struct edge_column_list *columns, enum edge_grid_style style, FILE *out);

#endif
