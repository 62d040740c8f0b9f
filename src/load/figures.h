// The figures of a load as a flat list, for formats that are one. Unit in the name.
#ifndef EDGE_LOAD_FIGURES_H
#define EDGE_LOAD_FIGURES_H

#include <stddef.h>

#include "load/sheet.h"

#define EDGE_FIGURES_MAX 64u

struct edge_figure {
    char name[32]; // "response_p99_ns"
    double value;  // NAN: not measured
    bool whole;    // a count
};

// Fills figures[EDGE_FIGURES_MAX], always with the same names in the same order. Returns how many.
size_t edge_figures_collect(const struct edge_sheet *sheet, struct edge_figure *figures);

// The value as a plain number, "" if it was not measured. Returns text.
const char *edge_figures_text(const struct edge_figure *figure, char *text, size_t size);

#endif
