// The columns of every output: one table gives a figure its name, unit and direction, for tables,
// files, --sort, --columns, goals of `check` and the rows of `compare`.
#ifndef EDGE_REPORT_COLUMNS_H
#define EDGE_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/goal.h"
#include "report/row.h"

enum edge_better {
    EDGE_BETTER_NEITHER,
    EDGE_BETTER_HIGHER,
    EDGE_BETTER_LOWER,
};

struct edge_column {
    const char *name;  // for people to type: "p99"
    const char *title; // above a table: "99 % in"
    const char *help;  // one sentence
    enum edge_unit unit;
    enum edge_better better;
    enum edge_fact fact; // EDGE_UNIT_TEXT: the fact, or EDGE_FACTS: `show` has the text
    bool stands;         // does not depend on speed: an emulated run's figure stands, too
    bool power;          // belongs to a power scope
    size_t offset;       // of the double in struct edge_row, for figures
    void (*show)(const struct edge_row *row, char *text, size_t size); // or NULL: by unit
};

// The table, ends with a NULL name. Static storage.
const struct edge_column *edge_columns_table(void);

// The column of a name ("p99") or key ("p99_ns"); NULL, and a message that names the nearest one.
const struct edge_column *edge_columns_find(const char *name, struct edge_message *message);

// Its key in files: the name, and the unit. Returns text.
const char *edge_column_key(const struct edge_column *column, char *text, size_t size);

// The figure, in its base unit; NAN if it was not measured, or is not one.
double edge_column_figure(const struct edge_column *column, const struct edge_row *row);

// Whether the figure is a result: of a valid run, or one that an emulator does not change.
bool edge_column_stands(const struct edge_column *column, const struct edge_row *row);

// The cell as people read it; "-" if it was not measured. Returns text.
const char *edge_column_text(const struct edge_column *column, const struct edge_row *row,
                             char *text, size_t size);

// A figure of that column's unit as people read it. Returns text.
const char *edge_column_show(const struct edge_column *column, double value, char *text,
                             size_t size);

// The cell for a file: a figure in its base unit, "" if it was not measured. Returns text.
const char *edge_column_plain(const struct edge_column *column, const struct edge_row *row,
                              char *text, size_t size);

// A list of columns, as --columns names them.
#define EDGE_COLUMNS_MAX 64
struct edge_column_list {
    const struct edge_column *at[EDGE_COLUMNS_MAX];
    size_t count;
};

// Parses "server,p99,req_per_s". 0 or EDGE_ERR_USAGE.
int edge_columns_parse(const char *names, struct edge_column_list *list,
                       struct edge_message *message);

#endif
