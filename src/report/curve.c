#include "report/curve.h"

#include <inttypes.h>
#include <math.h>

#include "report/grid.h"

static const char *const titles[] = {"load",     "req/s due", "req/s",
                                     "avg. cpu", "power",     "req/s per W"};
#define COLUMNS (sizeof(titles) / sizeof(titles[0]))

double edge_curve_score(const struct edge_row *row)
{
    double rates = 0;
    double watts = 0;
    for (size_t i = 0; i < row->level_count; i++) {
        rates += row->levels[i].rate;
        watts += row->levels[i].watts; // NAN stays
    }
    return watts > 0 ? rates / watts : (double)NAN;
}

static void add(struct edge_grid *grid, double value, int decimals, const char *unit)
{
    char cell[48] = "-";
    if (!isnan(value))
        snprintf(cell, sizeof(cell), "%.*f%s", decimals, value, unit);
    edge_grid_add(grid, cell);
}

static void add_level(struct edge_grid *grid, const struct edge_row_level *level)
{
    char load[32] = "idle";
    if (level->load_percent > 0)
        snprintf(load, sizeof(load), "%" PRIu64 " %%", level->load_percent);
    edge_grid_add(grid, load);
    add(grid, level->target, 0, "");
    add(grid, level->rate, 0, "");
    add(grid, level->cpu_percent, 1, " %");
    add(grid, level->watts, 2, " W");
    add(grid, level->watts > 0 ? level->rate / level->watts : (double)NAN, 0, "");
}

static int print_one(const struct edge_row *row, FILE *out)
{
    struct edge_grid grid = {.columns = COLUMNS};
    const char *scope = row->facts.at[EDGE_FACT_POWER_SCOPE];
    char name[64];
    for (size_t c = 0; c < COLUMNS; c++)
        edge_grid_add(&grid, titles[c]);
    for (size_t i = 0; i < row->level_count; i++)
        add_level(&grid, &row->levels[i]);
    fprintf(out, "\nLoad and power: %s%s%s\n", edge_row_name(row, name, sizeof(name)),
            scope[0] != '\0' ? ", " : "", scope);
    int rv = edge_grid_print(&grid, EDGE_GRID_TEXT, out);
    edge_grid_free(&grid);
    double score = edge_curve_score(row);
    if (isnan(score))
        fputs("Overall, sum of req/s over sum of watts: -\n", out);
    else
        fprintf(out, "Overall, sum of req/s over sum of watts: %.0f req/s per W\n", score);
    return rv;
}

int edge_curve_print(const struct edge_row *rows, size_t count, FILE *out)
{
    int rv = 0;
    for (size_t i = 0; i < count && rv == 0; i++)
        if (rows[i].level_count > 0)
            rv = print_one(&rows[i], out);
    return rv;
}
