#include "report/series.h"

#include <string.h>
#include <time.h>

const enum edge_fact edge_series_labels[EDGE_SERIES_LABELS] = {
    EDGE_FACT_BOARD,       EDGE_FACT_SERVER, EDGE_FACT_SCENARIO,    EDGE_FACT_CALL,
    EDGE_FACT_MESSAGES,    EDGE_FACT_TLS,    EDGE_FACT_CONNECTIONS, EDGE_FACT_CONCURRENCY,
    EDGE_FACT_RPS,         EDGE_FACT_CODEC,  EDGE_FACT_SERVER_CPUS, EDGE_FACT_EMULATED,
    EDGE_FACT_POWER_SCOPE,
};

uint64_t edge_series_time(const struct edge_row *row)
{
    struct tm utc = {0};
    const char *end = strptime(row->facts.at[EDGE_FACT_STARTED], "%Y-%m-%dT%H:%M:%SZ", &utc);
    time_t seconds = end != NULL && *end == '\0' ? timegm(&utc) : 0;
    return seconds > 0 ? (uint64_t)seconds * UINT64_C(1000000000) : 0;
}

static int compare_labels(const struct edge_row *a, const struct edge_row *b)
{
    for (size_t i = 0; i < EDGE_SERIES_LABELS; i++) {
        enum edge_fact fact = edge_series_labels[i];
        int order = strcmp(a->facts.at[fact], b->facts.at[fact]);
        if (order != 0)
            return order;
    }
    return 0;
}

bool edge_series_same(const struct edge_row *a, const struct edge_row *b)
{
    return compare_labels(a, b) == 0;
}

int edge_series_compare(const struct edge_row *a, const struct edge_row *b)
{
    int order = compare_labels(a, b);
    return order != 0 ? order
                      : strcmp(a->facts.at[EDGE_FACT_STARTED], b->facts.at[EDGE_FACT_STARTED]);
}
