#include "report/influx.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/collect.h"
#include "report/series.h"

static void print_point(const struct edge_row *row, uint64_t time_ns, FILE *out)
{
    char text[4096];
    fputs("bench_edge", out);
    for (size_t i = 0; i < EDGE_SERIES_LABELS; i++) {
        const char *value = row->facts.at[edge_series_labels[i]];
        if (value[0] == '\0')
            continue;
        fprintf(out, ",%s=", edge_fact_describe(edge_series_labels[i])->name);
        edge_text_influx_tag(value, out);
    }
    fprintf(out, " valid=%s,verdict=", row->group == EDGE_ROW_RANKED ? "true" : "false");
    edge_text_quoted(row->verdict, out);
    fprintf(out, ",repeats=%zui", row->repeats);
    for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++) {
        double value = edge_column_figure(c, row);
        if (!isnan(value) && edge_column_stands(c, row)) {
            fprintf(out, ",%s=", edge_column_key(c, text, sizeof(text)));
            fputs(edge_column_plain(c, row, text, sizeof(text)), out);
        }
    }
    fprintf(out, " %" PRIu64 "\n", time_ns);
}

void edge_influx_print(const struct edge_row *rows, size_t count, FILE *out, FILE *err)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t time_ns = edge_series_time(&rows[i]);
        char line[1200];
        if (time_ns > 0) {
            print_point(&rows[i], time_ns, out);
            continue;
        }
        snprintf(line, sizeof(line), "%s: left out: it does not say when it began", rows[i].path);
        edge_collect_tell(line, err);
    }
}
