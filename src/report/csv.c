#include "report/csv.h"

#include <string.h>

#include "base/text.h"

// Who, doing what, with which verdict; then the figures; then the rest.
static bool leads(const struct edge_column *column)
{
    return column->unit == EDGE_UNIT_TEXT && column->fact < EDGE_FACTS &&
           edge_fact_describe(column->fact)->role <= EDGE_FACT_WORK;
}

static void add_where(struct edge_column_list *list, bool leading, bool figures)
{
    for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++)
        if (leads(c) == leading && (c->unit != EDGE_UNIT_TEXT) == figures &&
            strcmp(c->name, "name") != 0) // the server's, as a terminal has room for it
            list->at[list->count++] = c;
}

void edge_csv_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, FILE *out)
{
    struct edge_column_list all = {.count = 0};
    char cell[8192];
    if (columns->count == 0) {
        add_where(&all, true, false);
        add_where(&all, false, true);
        add_where(&all, false, false);
        columns = &all;
    }
    for (size_t c = 0; c < columns->count; c++)
        fprintf(out, "%s%s", c > 0 ? "," : "", edge_column_key(columns->at[c], cell, sizeof(cell)));
    fputs("\r\n", out);
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < columns->count; c++) {
            fputs(c > 0 ? "," : "", out);
            edge_text_csv(edge_column_plain(columns->at[c], &rows[r], cell, sizeof(cell)), out);
        }
        fputs("\r\n", out);
    }
}
