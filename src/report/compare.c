#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "report/collect.h"

int edge_compare_prices(struct edge_compare *compare, const struct edge_option_list *list,
                        struct edge_message *message)
{
    for (unsigned i = 0; i < list->count; i++) {
        const char *equals = strrchr(list->at[i], '=');
        struct edge_compare_price *price = &compare->prices[compare->price_count++];
        const char *rest = NULL;
        if (equals != NULL && equals > list->at[i])
            rest = edge_number_parse(equals + 1, &price->amount);
        if (rest == NULL || *rest != '\0' || !(price->amount > 0))
            return edge_fail(message, EDGE_ERR_USAGE,
                             "--price: expected BOARD=AMOUNT such as rpi4=35, found \"%.80s\"",
                             list->at[i]);
        price->board = list->at[i];
        price->board_len = (size_t)(equals - list->at[i]);
    }
    return 0;
}

static double price_of(const struct edge_compare *compare, const struct edge_row *row)
{
    const char *board = row->facts.at[EDGE_FACT_BOARD];
    for (size_t i = 0; i < compare->price_count; i++) {
        const struct edge_compare_price *price = &compare->prices[i];
        if (strlen(board) == price->board_len &&
            strncmp(board, price->board, price->board_len) == 0)
            return price->amount;
    }
    return NAN;
}

static bool same(const struct edge_row *a, const struct edge_row *b, enum edge_fact fact)
{
    return strcmp(a->facts.at[fact], b->facts.at[fact]) == 0;
}

// The counterpart of `base` on a side; NULL if there is none, or more than one.
static const struct edge_measured *counterpart(const struct edge_compare *compare,
                                               const struct edge_measured *base, size_t index,
                                               FILE *err)
{
    const struct edge_measured_list *side = &compare->sides[index];
    const struct edge_measured *found = NULL;
    size_t matches = 0;
    if (side->count == 1 && compare->sides[0].count == 1)
        return &side->at[0];
    for (size_t i = 0; i < side->count; i++) {
        const struct edge_row *row = &side->at[i].row;
        if (!same(row, &base->row, EDGE_FACT_SERVER) ||
            !same(row, &base->row, EDGE_FACT_SCENARIO) || !same(row, &base->row, EDGE_FACT_CALL))
            continue;
        found = &side->at[i];
        matches++;
    }
    if (matches == 1)
        return found;
    char line[1200];
    snprintf(line, sizeof(line), "%s: %s in %c%s", base->row.path,
             matches == 0 ? "no counterpart" : "more than one counterpart", (int)('A' + index),
             matches == 0 ? "" : ": name the files to compare");
    edge_collect_tell(line, err);
    return NULL;
}

// ---- one pair

// Which figures can be compared: those that both have, of one power scope, and under an emulator
// only those that stand.
static bool comparable(const struct edge_column *column, const struct edge_row *a,
                       const struct edge_row *b)
{
    if (column->unit == EDGE_UNIT_TEXT || column->better == EDGE_BETTER_NEITHER)
        return false;
    if (column->power && !same(a, b, EDGE_FACT_POWER_SCOPE))
        return false;
    if ((a->emulated || b->emulated) && !column->stands)
        return false;
    return !isnan(edge_column_figure(column, a)) && !isnan(edge_column_figure(column, b));
}

static const char *reading(const struct edge_column *column, const struct edge_ratio *ratio,
                           char letter, char *text, size_t size)
{
    if (isnan(ratio->ratio))
        snprintf(text, size, "no ratio of zero");
    else if (isnan(ratio->low))
        snprintf(text, size, "no interval: needs 2 repeats");
    else if (ratio->low <= 1 && ratio->high >= 1)
        snprintf(text, size, "no difference shown");
    else {
        bool higher = ratio->ratio > 1;
        bool better = higher == (column->better == EDGE_BETTER_HIGHER);
        snprintf(text, size, "%c is better", better ? letter : 'A');
    }
    return text;
}

static int print_pair(const struct edge_measured *a, const struct edge_measured *b, char letter,
                      enum edge_grid_style style, FILE *out)
{
    struct edge_grid grid = {.columns = 6};
    const char name[] = {letter, '\0'};
    const char quotient[] = {letter, ' ', '/', ' ', 'A', '\0'};
    const char *const head[] = {"figure", "A", name, quotient, "95 % interval", "reading"};
    char text[128];
    for (size_t i = 0; i < 6; i++)
        edge_grid_add(&grid, head[i]);
    for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++) {
        if (!comparable(c, &a->row, &b->row))
            continue;
        struct edge_ratio ratio = edge_measured_ratio(c, a, b);
        edge_grid_add(&grid, c->title);
        edge_grid_add(&grid,
                      edge_column_show(c, edge_column_figure(c, &a->row), text, sizeof(text)));
        edge_grid_add(&grid,
                      edge_column_show(c, edge_column_figure(c, &b->row), text, sizeof(text)));
        edge_grid_add(&grid, edge_measured_ratio_text(&ratio, text, sizeof(text)));
        edge_grid_add(&grid, edge_measured_interval_text(&ratio, text, sizeof(text)));
        edge_grid_add(&grid, reading(c, &ratio, letter, text, sizeof(text)));
    }
    int rv = edge_grid_print(&grid, style, out);
    edge_grid_free(&grid);
    return rv;
}

// ---- one comparison: a base and its counterparts

struct sides {
    const struct edge_measured *at[EDGE_COMPARE_SIDES]; // NULL: not compared
    size_t count;
};

static void print_sides(const struct edge_compare *compare, const struct sides *sides, FILE *out)
{
    char work[512];
    const struct edge_row *base = &sides->at[0]->row;
    fprintf(out, "%s\n", edge_facts_work(&base->facts, work, sizeof(work)));
    for (size_t i = 0; i < sides->count; i++) {
        if (sides->at[i] == NULL)
            continue;
        const struct edge_row *row = &sides->at[i]->row;
        fprintf(out, "  %c: %s on %s, %zu repeat%s, %s\n", (int)('A' + i),
                row->facts.at[EDGE_FACT_SERVER], row->facts.at[EDGE_FACT_BOARD], row->repeats,
                row->repeats == 1 ? "" : "s", row->verdict);
        edge_identity spite = edge_identity_differences(base, row, false) & compare->allowed;
        if (i > 0 && spite != 0) {
            fprintf(out, "     compared with A in spite of: ");
            edge_identity_print(spite, base, row, out);
            fputc('\n', out);
        }
        edge_identity background = edge_identity_background(base, row);
        if (i > 0 && background != 0) {
            fprintf(out, "     differs from A in ");
            edge_identity_print(background, NULL, NULL, out);
            fputc('\n', out);
        }
    }
    fputc('\n', out);
}

static const char *const efficiency[] = {"req_per_s",      "power",  "req_per_s_per_w",
                                         "energy_per_req", "memory", "req_per_s_per_mib"};
#define EFFICIENCY (sizeof(efficiency) / sizeof(efficiency[0]))

static void add_price(struct edge_grid *grid, double price, double rate)
{
    char text[64];
    snprintf(text, sizeof(text), isnan(price) ? "-" : "%.2f", price);
    edge_grid_add(grid, text);
    snprintf(text, sizeof(text), isnan(rate / price) ? "-" : "%.1f", rate / price);
    edge_grid_add(grid, text);
}

static int print_efficiency(const struct edge_compare *compare, const struct sides *sides,
                            FILE *out)
{
    bool priced = compare->price_count > 0;
    struct edge_grid grid = {.columns = 2 + EFFICIENCY + (priced ? 2 : 0)};
    char text[128];
    edge_grid_add(&grid, "side");
    edge_grid_add(&grid, "board");
    for (size_t i = 0; i < EFFICIENCY; i++)
        edge_grid_add(&grid, edge_columns_find(efficiency[i], NULL)->title);
    if (priced) {
        edge_grid_add(&grid, "price");
        edge_grid_add(&grid, "req/s per price unit");
    }
    for (size_t s = 0; s < sides->count; s++) {
        if (sides->at[s] == NULL)
            continue;
        const struct edge_row *row = &sides->at[s]->row;
        const char name[] = {(char)('A' + s), '\0'};
        edge_grid_add(&grid, name);
        edge_grid_add(&grid, row->facts.at[EDGE_FACT_BOARD]);
        for (size_t i = 0; i < EFFICIENCY; i++)
            edge_grid_add(&grid, edge_column_text(edge_columns_find(efficiency[i], NULL), row, text,
                                                  sizeof(text)));
        if (priced)
            add_price(&grid, price_of(compare, row), row->rate);
    }
    fputs("\nEfficiency\n", out);
    if (compare->style == EDGE_GRID_MARKDOWN)
        fputc('\n', out);
    int rv = edge_grid_print(&grid, compare->style, out);
    edge_grid_free(&grid);
    return rv;
}

static int print_comparison(const struct edge_compare *compare, const struct sides *sides,
                            FILE *out)
{
    const struct edge_measured *base = sides->at[0];
    bool markdown = compare->style == EDGE_GRID_MARKDOWN;
    fputs(markdown ? "```text\n" : "", out);
    print_sides(compare, sides, out);
    fputs(markdown ? "```\n" : "", out);
    int rv = 0;
    for (size_t i = 1; rv == 0 && i < sides->count; i++)
        if (sides->at[i] != NULL)
            rv = print_pair(base, sides->at[i], (char)('A' + i), compare->style, out);
    if (rv == 0 && !base->row.emulated)
        rv = print_efficiency(compare, sides, out);
    fputs(
        "\nRatio: geometric mean over the repeats, by that of A. Interval: 95 %, Welch's t on the "
        "logarithms of the repeats.\n"
        "No difference shown: the interval covers 1. A and others are the figures of their "
        "tables, over all repeats.\n",
        out);
    return rv;
}

static void refuse(const struct edge_row *a, const struct edge_row *b, char letter,
                   edge_identity set, FILE *err)
{
    fprintf(err, "A and %c are not compared, for they differ in ", letter);
    edge_identity_print(set, a, b, err);
    fputs(": to compare them all the same, give --allow ", err);
    for (unsigned i = 0, first = 1; i <= EDGE_FACTS; i++)
        if ((set & UINT64_C(1) << i) != 0) {
            fputs(first ? "" : ",", err);
            edge_identity_print(UINT64_C(1) << i, NULL, NULL, err);
            first = 0;
        }
    fprintf(err, "\n  A: %s\n  %c: %s\n", a->facts.at[EDGE_FACT_FILE], letter,
            b->facts.at[EDGE_FACT_FILE]);
}

int edge_compare_print(const struct edge_compare *compare, size_t *refused, FILE *out, FILE *err)
{
    int printed = 0;
    *refused = 0;
    for (size_t i = 0; i < compare->sides[0].count; i++) {
        struct sides sides = {.count = compare->side_count};
        const struct edge_measured *base = &compare->sides[0].at[i];
        size_t others = 0;
        sides.at[0] = base;
        for (size_t s = 1; s < compare->side_count; s++) {
            const struct edge_measured *other = counterpart(compare, base, s, err);
            if (other == NULL)
                continue;
            edge_identity set =
                edge_identity_differences(&base->row, &other->row, false) & ~compare->allowed;
            if (set != 0) {
                refuse(&base->row, &other->row, (char)('A' + s), set, err);
                ++*refused;
                continue;
            }
            sides.at[s] = other;
            others++;
        }
        if (others == 0)
            continue;
        fputs(printed > 0 ? "\n\n" : "", out);
        if (print_comparison(compare, &sides, out) != 0)
            return -ENOMEM;
        printed++;
    }
    return printed;
}
