// The load-to-power curve of --profile graduated.
#ifndef EDGE_REPORT_CURVE_H
#define EDGE_REPORT_CURVE_H

#include <stddef.h>
#include <stdio.h>

#include "report/row.h"

// The sum of the rates of all levels over the sum of their watts, idle included, as server
// benchmarks have it. NAN if there are no levels, or the watts of any are missing.
double edge_curve_score(const struct edge_row *row);

// Prints the curves of the rows that have one, as text. 0 or -ENOMEM.
int edge_curve_print(const struct edge_row *rows, size_t count, FILE *out);

#endif
