// Rows as CSV (RFC 4180, UTF-8): one line each, a header first, base units named in it.
#ifndef EDGE_REPORT_CSV_H
#define EDGE_REPORT_CSV_H

#include <stdio.h>

#include "report/columns.h"

// Prints these columns; with none named, all of them. What was not measured is an empty field.
void edge_csv_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, FILE *out);

#endif
