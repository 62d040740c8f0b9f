// Goals (base/goal.h) for the columns of a report.
#ifndef EDGE_REPORT_SLO_H
#define EDGE_REPORT_SLO_H

#include "base/goal.h"
#include "report/columns.h"

struct edge_slo {
    const struct edge_column *column;
    struct edge_goal goal; // `name` is the column's
};

// Parses a goal for a column, by its name or its key. 0 or EDGE_ERR_USAGE.
int edge_slo_parse(const char *text, struct edge_slo *slo, struct edge_message *message);

// Parses a tolerance such as "5%" to 0.05. 0 or EDGE_ERR_USAGE.
int edge_slo_percent(const char *text, double *fraction, struct edge_message *message);

#endif
