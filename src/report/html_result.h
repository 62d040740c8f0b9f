// One result of an HTML report: what it is, how it went over time, and its file.
#ifndef EDGE_REPORT_HTML_RESULT_H
#define EDGE_REPORT_HTML_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/row.h"

// Prints a section with the id "r<number>". Reads the row's file once more; if it cannot be read,
// or is not the same any more, says so on `err` and in the page. 0 or -ENOMEM.
int edge_html_result(const struct edge_row *row, size_t number, bool raw, FILE *out, FILE *err);

#endif
