#include "report/select.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

static bool matches(const struct edge_row *row, const struct edge_select *select)
{
    const struct {
        const char *pattern;
        enum edge_fact fact;
    } filters[] = {{select->board, EDGE_FACT_BOARD},
                   {select->server, EDGE_FACT_SERVER},
                   {select->scenario, EDGE_FACT_SCENARIO},
                   {select->call, EDGE_FACT_CALL}};
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        if (filters[i].pattern != NULL &&
            fnmatch(filters[i].pattern, row->facts.at[filters[i].fact], 0) != 0)
            return false;
    return true;
}

void edge_select_rows(struct edge_collection *collection, const struct edge_select *select)
{
    size_t kept = 0;
    for (size_t i = 0; i < collection->count; i++) {
        if (matches(&collection->rows[i], select))
            collection->rows[kept++] = collection->rows[i];
        else
            edge_row_free(&collection->rows[i]);
    }
    collection->count = kept;
}

int edge_select_order_parse(const char *text, struct edge_select_order *order,
                            struct edge_message *message)
{
    *order = (struct edge_select_order){NULL, false};
    if (text == NULL)
        return 0;
    order->reverse = text[0] == '-';
    order->column = edge_columns_find(text + order->reverse, message);
    return order->column != NULL ? 0 : EDGE_ERR_USAGE;
}

// What was not measured goes last, whichever way round.
static int by_column(const struct edge_row *a, const struct edge_row *b, const void *context)
{
    const struct edge_select_order *order = context;
    const struct edge_column *column = order->column;
    int turn = order->reverse ? -1 : 1;
    if (column->unit == EDGE_UNIT_TEXT) {
        char left[512];
        char right[512];
        int by_text = strcmp(edge_column_plain(column, a, left, sizeof(left)),
                             edge_column_plain(column, b, right, sizeof(right)));
        return order->reverse ? -by_text : by_text;
    }
    double x = edge_column_figure(column, a);
    double y = edge_column_figure(column, b);
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    if (column->better == EDGE_BETTER_LOWER)
        turn = -turn;
    return turn * ((x < y) - (x > y));
}

int edge_select_sort(struct edge_collection *collection, const struct edge_select_order *order,
                     bool flat)
{
    struct edge_row_order how = {.context = order, .flat = flat};
    if (order->column != NULL)
        how.compare = by_column;
    return edge_row_sort(collection->rows, collection->count, &how);
}
