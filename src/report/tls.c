#include "report/tls.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/grid.h"

static const char *const titles[] = {
    "name", "TLS", "full/s", "CPU/full", "resumed/s", "CPU/resumed", "KiB per connection"};
#define COLUMNS (sizeof(titles) / sizeof(titles[0]))

struct sums {
    double handshakes, length_ns;         // of all
    double cpu_ns, cpu_handshakes;        // of those with CPU time
    double connection_bytes, connections; // and how often that was measured
};

static void add_interval(struct sums *sums, const struct edge_record_interval *interval)
{
    if (interval->connection_bytes != EDGE_UNMEASURED) {
        sums->connection_bytes += (double)interval->connection_bytes;
        sums->connections++;
    }
    if (interval->ok == EDGE_UNMEASURED)
        return;
    sums->handshakes += (double)interval->ok;
    sums->length_ns += (double)(interval->stop_ns - interval->start_ns);
    if (interval->server_cpu_ns == EDGE_UNMEASURED)
        return;
    sums->cpu_ns += (double)interval->server_cpu_ns;
    sums->cpu_handshakes += (double)interval->ok;
}

static struct sums sum_up(const struct edge_result_repeat *repeats, size_t count, const char *name)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < repeats[i].interval_count; j++)
            if (strcmp(repeats[i].intervals[j].name, name) == 0)
                add_interval(&sums, &repeats[i].intervals[j]);
    return sums;
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

void edge_tls_measure(struct edge_row_tls *tls, const struct edge_result_repeat *repeats,
                      size_t count)
{
    const struct sums full = sum_up(repeats, count, "handshakes_full");
    const struct sums resumed = sum_up(repeats, count, "handshakes_resumed");
    const struct sums connected = sum_up(repeats, count, "connected");
    *tls = (struct edge_row_tls){
        .full = {1e9 * quotient(full.handshakes, full.length_ns),
                 quotient(full.cpu_ns, full.cpu_handshakes)},
        .resumed = {1e9 * quotient(resumed.handshakes, resumed.length_ns),
                    quotient(resumed.cpu_ns, resumed.cpu_handshakes)},
        .connection_bytes = quotient(connected.connection_bytes, connected.connections),
    };
}

static bool has_some(const struct edge_row_tls *tls)
{
    return !isnan(tls->full.rate) || !isnan(tls->resumed.rate) || !isnan(tls->connection_bytes);
}

static void add(struct edge_grid *grid, double value, int decimals, const char *unit)
{
    char cell[48] = "-";
    if (!isnan(value))
        snprintf(cell, sizeof(cell), "%.*f%s", decimals, value, unit);
    edge_grid_add(grid, cell);
}

static void add_row(struct edge_grid *grid, const struct edge_row *row)
{
    char name[64];
    edge_grid_add(grid, edge_row_name(row, name, sizeof(name)));
    edge_grid_add(grid, row->facts.at[EDGE_FACT_TLS]);
    add(grid, row->tls.full.rate, 0, "");
    add(grid, row->tls.full.cpu_ns / 1e6, 3, " ms");
    add(grid, row->tls.resumed.rate, 0, "");
    add(grid, row->tls.resumed.cpu_ns / 1e6, 3, " ms");
    add(grid, row->tls.connection_bytes / 1024, 1, "");
}

int edge_tls_print(const struct edge_row *rows, size_t count, FILE *out)
{
    struct edge_grid grid = {.columns = COLUMNS};
    size_t found = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        edge_grid_add(&grid, titles[c]);
    for (size_t i = 0; i < count; i++)
        if (has_some(&rows[i].tls)) {
            add_row(&grid, &rows[i]);
            found++;
        }
    int rv = 0;
    if (found > 0) {
        fputs("\nTLS handshakes, opened and closed one after the other, and memory of connections\n"
              "without a call. CPU: of the server; the rate is also the generator's, which shares "
              "the\nwork.\n",
              out);
        rv = edge_grid_print(&grid, EDGE_GRID_TEXT, out);
    }
    edge_grid_free(&grid);
    return rv;
}
