// Rows as one HTML page: self-contained, works offline, and without scripts but for the plots.
#ifndef EDGE_REPORT_HTML_H
#define EDGE_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "report/columns.h"

// Prints the page. The tables have these columns; with none named, the usual ones. The result files
// are read once more, for what changes over time; with `raw` they are embedded. A file that cannot
// be read again is told of on `err`. 0 or -ENOMEM.
int edge_html_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, bool raw, FILE *out, FILE *err);

#endif
