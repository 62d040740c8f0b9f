// Rows as one JSON document, for programs.
#ifndef EDGE_REPORT_JSON_H
#define EDGE_REPORT_JSON_H

#include <stdio.h>

#include "report/columns.h"

#define EDGE_REPORT_JSON_MAJOR 1
#define EDGE_REPORT_JSON_MINOR 0

// Prints {"format": ..., "rows": [...]}, a row a line. Figures of these columns; with none named,
// all of them. What was not measured is null. 0 or -ENOMEM.
int edge_json_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, FILE *out);

#endif
