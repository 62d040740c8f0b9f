// Results side by side: ratios with confidence intervals, and what a watt, a MiB and a coin buy.
#ifndef EDGE_REPORT_COMPARE_H
#define EDGE_REPORT_COMPARE_H

#include "report/grid.h"
#include "report/identity.h"
#include "report/measured.h"

#define EDGE_COMPARE_SIDES 26 // A to Z

struct edge_compare_price {
    const char *board; // borrowed
    size_t board_len;
    double amount;
};

struct edge_compare {
    struct edge_measured_list sides[EDGE_COMPARE_SIDES]; // the first is what others are measured by
    size_t side_count;
    edge_identity allowed;
    struct edge_compare_price prices[EDGE_OPTION_LIST_MAX];
    size_t price_count;
    enum edge_grid_style style;
};

// Parses --price BOARD=AMOUNT, given once or more. 0 or EDGE_ERR_USAGE.
int edge_compare_prices(struct edge_compare *compare, const struct edge_option_list *list,
                        struct edge_message *message);

// Compares each result of the first side with its counterparts: the only one of the other side, or
// the one of the same server, scenario and call. What is refused, and what has no counterpart, is
// told on `err`. Returns how many comparisons were printed, or -ENOMEM; *refused says how many were
// refused.
int edge_compare_print(const struct edge_compare *compare, size_t *refused, FILE *out, FILE *err);

#endif
