#include "report/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/curve.h"
#include "report/notes.h"
#include "report/text.h"
#include "report/tls.h"

// The columns of grpc_bench under its titles, and how far they can be trusted.
static const char speed[] = "name,req_per_s,latency_mean,p90,p95,p99,cpu,memory,verified,verdict";
static const char cost[] = "name,p50,p99.9,cpu_per_req,peak_memory,power,req_per_s_per_w,"
                           "energy_per_req,req_per_s_per_mib";
// Under an emulator only what does not depend on its speed; that stands last, under its own name.
static const char counts[] =
    "name,instr_per_req,syscalls_per_req,binary,verified,verdict,req_per_s";

static const char *title_of(const struct edge_column *column, bool emulated)
{
    if (emulated && strcmp(column->name, "req_per_s") == 0)
        return "req/s (emulated)";
    return column->title;
}

static int print_columns(const struct edge_row *rows, size_t count,
                         const struct edge_column_list *columns, enum edge_grid_style style,
                         FILE *out)
{
    static const char *const sections[] = {NULL, "not ranked", "calibration"};
    struct edge_grid grid = {.columns = columns->count};
    char cell[512];
    for (size_t c = 0; c < columns->count; c++)
        edge_grid_add(&grid, title_of(columns->at[c], rows[0].emulated));
    enum edge_row_group group = EDGE_ROW_RANKED;
    for (size_t r = 0; r < count; r++) {
        // A divider before each group; under an emulator no row is ranked.
        if (rows[r].group != group && columns->count > 1 &&
            (rows[r].group != EDGE_ROW_NOT_RANKED || !rows[r].emulated))
            edge_grid_section(&grid, sections[rows[r].group]);
        group = rows[r].group;
        for (size_t c = 0; c < columns->count; c++)
            edge_grid_add(&grid, edge_column_text(columns->at[c], &rows[r], cell, sizeof(cell)));
    }
    int rv = edge_grid_print(&grid, style, out);
    edge_grid_free(&grid);
    return rv;
}

static int print_standard(const struct edge_row *rows, size_t count, const char *names,
                          enum edge_grid_style style, FILE *out)
{
    struct edge_column_list columns;
    struct edge_message message;
    int rv = edge_columns_parse(names, &columns, &message);
    return rv != 0 ? rv : print_columns(rows, count, &columns, style, out);
}

static void print_count_captions(const struct edge_row *rows, FILE *out)
{
    const char *counting = rows[0].facts.at[EDGE_FACT_COUNTERS];
    fputs("instr/req, syscalls/req: of the server under load, by verified calls; ± half the range "
          "of the repeats.\n"
          "Counted under an emulator: req/s is the emulator's speed, not the board's, and never "
          "ranked. -: not measured.\n",
          out);
    if (counting[0] != '\0' && strcmp(counting, "true") != 0)
        fprintf(out, "Instructions were not counted: %s\n", counting);
}

static void print_captions(const struct edge_row *rows, size_t count, FILE *out)
{
    bool response = false;
    bool two = false;
    for (size_t i = 0; i < count; i++) {
        response = response || rows[i].response;
        two = two || rows[i].repeats == 2;
    }
    fprintf(
        out,
        "req/s: verified calls in the window, median of the repeats ± half the 95 %% confidence "
        "interval of their mean%s.\n",
        two ? " (of 2 repeats it is wide: --repeat 3 or more tells more)" : "");
    fprintf(out,
            "Latency: from %s to its end, over the merged histograms of all repeats. CPU: of one "
            "core. -: not measured.\n",
            response ? "when a call was due" : "sending a call");
}

static void print_heading(const struct edge_row *row, enum edge_grid_style style, FILE *out)
{
    char heading[640];
    const char *board = row->facts.at[EDGE_FACT_BOARD];
    snprintf(heading, sizeof(heading), "%s, %s: %s %s", board[0] != '\0' ? board : "unknown board",
             row->facts.at[EDGE_FACT_TARGET], row->facts.at[EDGE_FACT_SCENARIO],
             row->facts.at[EDGE_FACT_CALL]);
    if (style == EDGE_GRID_MARKDOWN) {
        fputs("## ", out);
        edge_text_markdown(heading, out);
        fputs("\n\n", out);
    } else {
        fprintf(out, "%s\n", heading);
    }
}

static int print_tables(const struct edge_row *rows, size_t count,
                        const struct edge_column_list *columns, enum edge_grid_style style,
                        FILE *out)
{
    if (columns->count > 0)
        return print_columns(rows, count, columns, style, out);
    // Rows of one key are of one target: all emulated, or none.
    if (rows[0].emulated)
        return print_standard(rows, count, counts, style, out);
    int rv = print_standard(rows, count, speed, style, out);
    fputc('\n', out);
    return rv != 0 ? rv : print_standard(rows, count, cost, style, out);
}

int edge_table_print(const struct edge_row *rows, size_t count,
                     const struct edge_column_list *columns, enum edge_grid_style style, FILE *out)
{
    bool markdown = style == EDGE_GRID_MARKDOWN;
    print_heading(&rows[0], style, out);
    int rv = print_tables(rows, count, columns, style, out);
    if (rv != 0)
        return rv;
    if (markdown) // the words as they are: they hold names of anybody's choice
        fputs("\n```text\n", out);
    if (rows[0].emulated)
        print_count_captions(rows, out);
    else
        print_captions(rows, count, out);
    rv = edge_curve_print(rows, count, out);
    if (rv == 0)
        rv = edge_tls_print(rows, count, out);
    if (rv != 0)
        return rv;
    edge_notes_print(rows, count, out);
    fprintf(out, "\n%s\nTo quote\n", rows[0].key);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %s\n", rows[i].quote);
    if (markdown)
        fputs("```\n", out);
    return 0;
}
