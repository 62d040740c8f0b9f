#include "report/openmetrics.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/series.h"

static void print_sample(const char *name, const struct edge_row *row, double value, FILE *out)
{
    fprintf(out, "%s{", name);
    for (size_t i = 0; i < EDGE_SERIES_LABELS; i++) {
        enum edge_fact fact = edge_series_labels[i];
        fprintf(out, "%s%s=", i > 0 ? "," : "", edge_fact_describe(fact)->name);
        edge_text_quoted(row->facts.at[fact], out);
    }
    fprintf(out, "} %.15g\n", value);
}

// Prometheus' base units: seconds, bytes, ratios, watts, joules.
static const struct {
    const char *name;
    double scale;
} units[EDGE_UNITS] = {
    [EDGE_UNIT_NONE] = {"", 1},       [EDGE_UNIT_NS] = {"seconds", 1e9},
    [EDGE_UNIT_BYTES] = {"bytes", 1}, [EDGE_UNIT_PERCENT] = {"ratio", 100},
    [EDGE_UNIT_WATT] = {"watts", 1},  [EDGE_UNIT_JOULE] = {"joules", 1},
};

static void print_family(const char *name, const char *unit, const char *help, FILE *out)
{
    fprintf(out, "# TYPE %s gauge\n", name);
    if (unit[0] != '\0')
        fprintf(out, "# UNIT %s %s\n", name, unit);
    fprintf(out, "# HELP %s %s\n", name, help);
}

static const char *family_name(const struct edge_column *column, char *text, size_t size)
{
    const char *unit = units[column->unit].name;
    snprintf(text, size, "bench_edge_%s%s%s", column->name, unit[0] != '\0' ? "_" : "", unit);
    for (char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return text;
}

static void print_column(const struct edge_column *column, const struct edge_row *const *rows,
                         size_t count, FILE *out)
{
    char name[96];
    bool begun = false;
    family_name(column, name, sizeof(name));
    for (size_t i = 0; i < count; i++) {
        double value = edge_column_figure(column, rows[i]);
        if (isnan(value) || !edge_column_stands(column, rows[i]))
            continue;
        if (!begun)
            print_family(name, units[column->unit].name, column->help, out);
        begun = true;
        print_sample(name, rows[i], value / units[column->unit].scale, out);
    }
}

static void print_states(const struct edge_row *const *rows, size_t count, FILE *out)
{
    print_family("bench_edge_valid", "", "1 if the latest run is valid, 0 if it is not", out);
    for (size_t i = 0; i < count; i++)
        print_sample("bench_edge_valid", rows[i], rows[i]->group == EDGE_ROW_RANKED, out);
    print_family("bench_edge_started_timestamp_seconds", "seconds",
                 "when the latest run began, since 1970", out);
    for (size_t i = 0; i < count; i++)
        if (edge_series_time(rows[i]) > 0)
            print_sample("bench_edge_started_timestamp_seconds", rows[i],
                         (double)edge_series_time(rows[i]) / 1e9, out);
}

static int compare(const void *a, const void *b)
{
    return edge_series_compare(*(const struct edge_row *const *)a,
                               *(const struct edge_row *const *)b);
}

int edge_openmetrics_print(const struct edge_row *rows, size_t count, FILE *out, FILE *err)
{
    const struct edge_row **latest = calloc(count + 1, sizeof(*latest));
    if (latest == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        latest[i] = &rows[i];
    qsort((void *)latest, count, sizeof(*latest), compare);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || !edge_series_same(latest[i], latest[i + 1]))
            latest[kept++] = latest[i];
    if (kept < count)
        fprintf(err, "%zu runs are older ones of a series, and left out\n", count - kept);
    print_states(latest, kept, out);
    for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++)
        if (c->unit != EDGE_UNIT_TEXT)
            print_column(c, latest, kept, out);
    fputs("# EOF\n", out);
    free((void *)latest);
    return 0;
}
