// What TLS costs beside the calls, as a table: handshakes, and memory of connections.
#ifndef EDGE_REPORT_TLS_H
#define EDGE_REPORT_TLS_H

#include <stdio.h>

#include "report/row.h"

// Computes it over `count` repeats; NAN where nothing was measured.
void edge_tls_measure(struct edge_row_tls *tls, const struct edge_result_repeat *repeats,
                      size_t count);

// Prints those rows that have some; nothing if none has. 0 or -ENOMEM.
int edge_tls_print(const struct edge_row *rows, size_t count, FILE *out);

#endif
