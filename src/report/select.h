// Which rows are shown, and in which order.
#ifndef EDGE_REPORT_SELECT_H
#define EDGE_REPORT_SELECT_H

#include "base/error.h"
#include "report/collect.h"
#include "report/columns.h"

// Shell patterns ("c_nghttp2_*"); NULL: any.
struct edge_select {
    const char *board, *server, *scenario, *call;
};

// Drops the rows that do not match.
void edge_select_rows(struct edge_collection *collection, const struct edge_select *select);

struct edge_select_order {
    const struct edge_column *column; // NULL: the standard order
    bool reverse;
};

// Parses --sort: a column, best first (texts ascending); with a '-' before it, the other way round.
// NULL is the standard order. 0 or EDGE_ERR_USAGE.
int edge_select_order_parse(const char *text, struct edge_select_order *order,
                            struct edge_message *message);

// Sorts; `flat` as in struct edge_row_order. 0 or -ENOMEM.
int edge_select_sort(struct edge_collection *collection, const struct edge_select_order *order,
                     bool flat);

#endif
