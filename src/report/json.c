#include "report/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report/notes.h"

static json_t *number(double value)
{
    if (isnan(value))
        return json_null();
    bool whole = fabs(value) < 9e15 && value <= floor(value);
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static void append_line(const char *line, void *array)
{
    json_array_append_new(array, json_string(line));
}

static json_t *lines(const char *text)
{
    json_t *array = json_array();
    edge_notes_each(text, append_line, array);
    return array;
}

static json_t *curve(const struct edge_row *row)
{
    json_t *array = json_array();
    for (size_t i = 0; i < EDGE_ROW_CURVE; i++)
        if (!isnan(row->curve[i]))
            json_array_append_new(array, json_pack("[o, o]", number(edge_row_curve_percents[i]),
                                                   number(row->curve[i])));
    return array;
}

static void add_columns(json_t *facts, json_t *figures, const struct edge_row *row,
                        const struct edge_column_list *columns)
{
    char key[64];
    char text[1024];
    for (size_t i = 0; i < columns->count; i++) {
        const struct edge_column *column = columns->at[i];
        edge_column_key(column, key, sizeof(key));
        if (column->unit != EDGE_UNIT_TEXT)
            json_object_set_new(figures, key, number(edge_column_figure(column, row)));
        else if (column->fact < EDGE_FACTS)
            json_object_set_new(facts, key,
                                text_or_null(edge_column_plain(column, row, text, sizeof(text))));
    }
}

static json_t *row_object(const struct edge_row *row, const struct edge_column_list *columns)
{
    json_t *facts = json_object();
    json_t *figures = json_object();
    add_columns(facts, figures, row, columns);
    return json_pack("{s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:o, s:o, s:s}", "valid",
                     row->group == EDGE_ROW_RANKED, "verdict", row->verdict, "group",
                     row->group == EDGE_ROW_RANKED       ? "ranked"
                     : row->group == EDGE_ROW_NOT_RANKED ? "not ranked"
                                                         : "calibration",
                     "reasons", lines(row->reasons), "worth_knowing", lines(row->doubts),
                     "failed_calls", lines(row->failures), "facts", facts, "figures", figures,
                     "repeats", (json_int_t)row->repeats, "latency_from_due", row->response,
                     "lower_bounds_from_percent", number(row->bounds_from), "percentiles_ns",
                     curve(row), "quote", row->quote);
}

int edge_json_print(const struct edge_row *rows, size_t count,
                    const struct edge_column_list *columns, FILE *out)
{
    struct edge_column_list all = {.count = 0};
    if (columns->count == 0) {
        for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++)
            all.at[all.count++] = c;
        columns = &all;
    }
    fprintf(out, "{\"format\":\"bench-edge-report\",\"major\":%d,\"minor\":%d,\"rows\":[",
            EDGE_REPORT_JSON_MAJOR, EDGE_REPORT_JSON_MINOR);
    for (size_t i = 0; i < count; i++) {
        json_t *object = row_object(&rows[i], columns);
        fputs(i > 0 ? ",\n" : "\n", out);
        int rv =
            object != NULL ? json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) : -1;
        json_decref(object);
        if (rv != 0)
            return ferror(out) != 0 ? 0 : -ENOMEM; // the stream's errors are told by its closer
    }
    fputs("\n]}\n", out);
    return 0;
}
