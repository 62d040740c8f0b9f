#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/block.h"
#include "report/grid.h"
#include "report/notes.h"

#define CELL sizeof(((struct edge_grid_row *)0)->cells[0])

// A figure with its unit; a dash where there is none.
static void figure(char *cell, double value, int decimals, const char *unit)
{
    if (isnan(value))
        snprintf(cell, CELL, "-");
    else
        snprintf(cell, CELL, "%.*f%s", decimals, value, unit);
}

static void latency(char *cell, double ns)
{
    if (isnan(ns))
        snprintf(cell, CELL, "-");
    else
        edge_format_latency(ns, cell, CELL);
}

static void name(const struct edge_row *row, char *cell)
{
    edge_row_name(row, cell, CELL);
}

static void rate(const struct edge_row *row, char *cell)
{
    figure(cell, row->rate, row->rate < 100 ? 2 : 0, "");
    if (!isnan(row->rate_ci) && row->rate > 0) {
        size_t len = strlen(cell);
        snprintf(cell + len, CELL - len, " ± %.1f %%", 100 * row->rate_ci / row->rate);
    }
}

static void mean(const struct edge_row *row, char *cell)
{
    latency(cell, row->latency_mean);
}

static void p50(const struct edge_row *row, char *cell)
{
    latency(cell, row->p50);
}

static void p90(const struct edge_row *row, char *cell)
{
    latency(cell, row->p90);
}

static void p95(const struct edge_row *row, char *cell)
{
    latency(cell, row->p95);
}

static void p99(const struct edge_row *row, char *cell)
{
    latency(cell, row->p99);
}

static void p999(const struct edge_row *row, char *cell)
{
    latency(cell, row->p999);
}

static void cpu(const struct edge_row *row, char *cell)
{
    figure(cell, row->cpu_percent, 1, " %");
}

static void memory(const struct edge_row *row, char *cell)
{
    figure(cell, row->memory_bytes / (1 << 20), 2, " MiB");
}

static void verified(const struct edge_row *row, char *cell)
{
    if (row->repeats == 0)
        snprintf(cell, CELL, "-");
    else
        snprintf(cell, CELL, "%" PRIu64, row->verified);
}

// The broken rule, and how many more there are: reasons begin with the rule's id.
static void verdict(const struct edge_row *row, char *cell)
{
    const struct edge_texts *reasons = &row->result->end.reasons;
    if (row->group == EDGE_ROW_CALIBRATION)
        snprintf(cell, CELL, "calibration");
    else if (row->group == EDGE_ROW_RANKED)
        snprintf(cell, CELL, "VALID");
    else if (reasons->count == 0)
        snprintf(cell, CELL, row->emulated ? "emulated" : "not judged");
    else {
        size_t len = strcspn(reasons->at[0], " :");
        snprintf(cell, CELL, "%.*s", len < 20 ? (int)len : 20, reasons->at[0]);
        size_t used = strlen(cell);
        if (reasons->count > 1)
            snprintf(cell + used, CELL - used, " +%u", reasons->count - 1);
    }
}

static void cpu_per_call(const struct edge_row *row, char *cell)
{
    figure(cell, row->cpu_ns_per_call / 1e3, 2, " us");
}

static void peak(const struct edge_row *row, char *cell)
{
    figure(cell, row->peak_bytes / (1 << 20), 2, " MiB");
}

static void watts(const struct edge_row *row, char *cell)
{
    figure(cell, row->watts, 2, " W ");
    if (!isnan(row->watts))
        strncat(cell, row->power_scope, CELL - strlen(cell) - 1);
}

static void rate_per_watt(const struct edge_row *row, char *cell)
{
    figure(cell, row->rate_per_watt, 0, "");
}

static void energy(const struct edge_row *row, char *cell)
{
    figure(cell, 1e3 * row->joule_per_call, 4, "");
}

static void rate_per_mib(const struct edge_row *row, char *cell)
{
    figure(cell, row->rate_per_mib, 0, "");
}

static void instructions(const struct edge_row *row, char *cell)
{
    figure(cell, row->instructions_per_call, 0, "");
    if (!isnan(row->instructions_spread) && row->repeats > 1) {
        size_t len = strlen(cell);
        snprintf(cell + len, CELL - len, " ± %.3f %%", 100 * row->instructions_spread);
    }
}

static void system_calls(const struct edge_row *row, char *cell)
{
    figure(cell, row->system_calls_per_call, 3, "");
}

static void binary(const struct edge_row *row, char *cell)
{
    figure(cell, row->size_bytes / 1024, 0, " KiB");
}

static void emulated_rate(const struct edge_row *row, char *cell)
{
    figure(cell, row->rate, 0, "");
}

struct column {
    const char *title;
    void (*show)(const struct edge_row *row, char *cell);
};

// The columns of grpc_bench under its titles, and how far they can be trusted.
static const struct column speed[] = {
    {"name", name},         {"req/s", rate},      {"avg. latency", mean}, {"90 % in", p90},
    {"95 % in", p95},       {"99 % in", p99},     {"avg. cpu", cpu},      {"avg. memory", memory},
    {"verified", verified}, {"verdict", verdict},
};

static const struct column cost[] = {
    {"name", name},
    {"50 % in", p50},
    {"99.9 % in", p999},
    {"CPU/req", cpu_per_call},
    {"peak memory", peak},
    {"power", watts},
    {"req/s per W", rate_per_watt},
    {"mJ/req", energy},
    {"req/s per MiB", rate_per_mib},
};

// Under an emulator only what does not depend on its speed; that stands last, under its own name.
static const struct column counts[] = {
    {"name", name},
    {"instr/req", instructions},
    {"syscalls/req", system_calls},
    {"binary size", binary},
    {"verified", verified},
    {"verdict", verdict},
    {"req/s (emulated)", emulated_rate},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int print_columns(const struct edge_row *rows, size_t count, const struct column *columns,
                         size_t column_count, FILE *out)
{
    static const char *const sections[] = {NULL, "not ranked", "calibration"};
    // The header, each row, and a divider before each group.
    struct edge_grid_row *grid = calloc(count + 1 + COUNT(sections), sizeof(*grid));
    if (grid == NULL)
        return -ENOMEM;
    for (size_t c = 0; c < column_count; c++)
        snprintf(grid[0].cells[c], CELL, "%s", columns[c].title);
    size_t used = 1;
    enum edge_row_group group = EDGE_ROW_RANKED;
    for (size_t r = 0; r < count; r++) {
        if (rows[r].group != group) {
            group = rows[r].group;
            if (group != EDGE_ROW_NOT_RANKED || !rows[r].emulated) // none of those is ranked
                grid[used++].section = sections[group];
        }
        for (size_t c = 0; c < column_count; c++)
            columns[c].show(&rows[r], grid[used].cells[c]);
        used++;
    }
    edge_grid_print(grid, used, column_count, out);
    free(grid);
    return 0;
}

static void print_count_captions(const struct edge_row *rows, FILE *out)
{
    const char *counting = edge_result_option(rows[0].result, "guest-counters");
    fputs("instr/req, syscalls/req: of the server under load, by verified calls; ± half the range "
          "of the repeats.\n"
          "Counted under an emulator: req/s is the emulator's speed, not the board's, and never "
          "ranked. -: not measured.\n",
          out);
    if (counting != NULL && strcmp(counting, "true") != 0)
        fprintf(out, "Instructions were not counted: %s\n", counting);
}

static void print_captions(const struct edge_row *rows, size_t count, FILE *out)
{
    bool response = false;
    for (size_t i = 0; i < count; i++)
        response = response || rows[i].response;
    fputs("req/s: verified calls in the window, median of the repeats ± half the 95 % confidence "
          "interval of their mean.\n",
          out);
    fprintf(out,
            "Latency: from %s to its end, over the merged histograms of all repeats. CPU: of one "
            "core. -: not measured.\n",
            response ? "when a call was due" : "sending a call");
}

int edge_table_print(const struct edge_row *rows, size_t count, FILE *out)
{
    const struct edge_result *first = rows[0].result;
    fprintf(out, "%s, %s: %s %s\n", first->board.id[0] != '\0' ? first->board.id : "unknown board",
            first->run.target, first->run.scenario, first->run.call);
    // Rows of one key are of one target: all emulated, or none.
    bool emulated = rows[0].emulated;
    int rv = emulated ? print_columns(rows, count, counts, COUNT(counts), out)
                      : print_columns(rows, count, speed, COUNT(speed), out);
    if (!emulated) {
        fputc('\n', out);
        if (rv == 0)
            rv = print_columns(rows, count, cost, COUNT(cost), out);
    }
    if (rv != 0)
        return rv;
    if (emulated)
        print_count_captions(rows, out);
    else
        print_captions(rows, count, out);
    edge_notes_print(rows, count, out);
    fprintf(out, "\n%s\nTo quote\n", rows[0].key);
    for (size_t i = 0; i < count; i++) {
        fputs("  ", out);
        edge_block_quote(&rows[i], out);
    }
    return 0;
}
