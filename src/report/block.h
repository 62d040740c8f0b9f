// The words around a table: where and with what the rows were measured.
#ifndef EDGE_REPORT_BLOCK_H
#define EDGE_REPORT_BLOCK_H

#include "report/row.h"

// Board and parameters of a result as they are printed. Results with the same text share a table.
// The caller frees it. NULL: out of memory.
char *edge_block_text(const struct edge_result *result);

// One line that can be quoted on its own: versions, server, board, compiler and flags, codec, TLS,
// connections, payload, figure, verdict. `row` has its facts and figures. The caller frees it.
// NULL: out of memory.
char *edge_block_quote(const struct edge_row *row, const struct edge_result *result);

#endif
