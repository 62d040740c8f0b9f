// A goal for a figure: "p99<5ms", "req_per_s > 10k", "memory <= 64MiB".
#ifndef EDGE_REPORT_SLO_H
#define EDGE_REPORT_SLO_H

#include "base/error.h"
#include "report/columns.h"

enum edge_slo_relation {
    EDGE_SLO_LESS,
    EDGE_SLO_AT_MOST,
    EDGE_SLO_MORE,
    EDGE_SLO_AT_LEAST,
};

struct edge_slo {
    const struct edge_column *column;
    enum edge_slo_relation relation;
    double limit; // in the column's base unit
};

// Parses COLUMN, one of < <= > >=, and a number with a unit of the column: ns us ms s m h; B KiB
// MiB GiB (k m g); W mW; J mJ uJ; % ; k M G for plain numbers. A latency and an energy need a unit.
// Spaces may stand between. 0 or EDGE_ERR_USAGE.
int edge_slo_parse(const char *text, struct edge_slo *slo, struct edge_message *message);

// The goal in the form that the parser takes. Returns text.
const char *edge_slo_text(const struct edge_slo *slo, char *text, size_t size);

// Whether `value`, a number, keeps it.
bool edge_slo_kept(const struct edge_slo *slo, double value);

// Parses a tolerance such as "5%" to 0.05. 0 or EDGE_ERR_USAGE.
int edge_slo_percent(const char *text, double *fraction, struct edge_message *message);

#endif
