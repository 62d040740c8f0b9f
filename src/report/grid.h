// Text in columns, with lines around them.
#ifndef EDGE_REPORT_GRID_H
#define EDGE_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

#define EDGE_GRID_COLUMNS 12

struct edge_grid_row {
    const char *section;               // if not NULL: a divider with this word, and no cells
    char cells[EDGE_GRID_COLUMNS][48]; // UTF-8
};

// Prints a grid; each column is as wide as its widest cell. The first column is set left, the
// others right. rows[0] is the header.
void edge_grid_print(const struct edge_grid_row *rows, size_t count, size_t columns, FILE *out);

// How many columns of a terminal UTF-8 text without wide or combining characters takes.
size_t edge_grid_width(const char *text);

#endif
