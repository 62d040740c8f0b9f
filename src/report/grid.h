// Text in columns: with lines around them for a terminal, or as a Markdown table.
#ifndef EDGE_REPORT_GRID_H
#define EDGE_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum edge_grid_style {
    EDGE_GRID_TEXT,
    EDGE_GRID_MARKDOWN,
};

// All zero but `columns` is an empty grid. Cells are added row by row; the first row is the header.
struct edge_grid {
    size_t columns;
    char **cells; // in order; NULL in the first column: a section, its word in the second
    size_t count; // of cells
    bool failed;  // out of memory: told by edge_grid_print()
};

// Adds a cell (UTF-8) by copy; "" is an empty one.
void edge_grid_add(struct edge_grid *grid, const char *text);
// Adds a divider with a word. The row before it is complete.
void edge_grid_section(struct edge_grid *grid, const char *word);

// Prints the grid; each column is as wide as its widest cell. The first column is set left, the
// others right. 0 or -ENOMEM.
int edge_grid_print(const struct edge_grid *grid, enum edge_grid_style style, FILE *out);

// Frees the cells. Safe twice.
void edge_grid_free(struct edge_grid *grid);

// How many columns of a terminal UTF-8 text without wide or combining characters takes.
size_t edge_grid_width(const char *text);

#endif
