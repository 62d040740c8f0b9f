// The marks of a log-scaled axis, 1, 2, 5, 10, 20, 50, ..., and how many values lie between them.
#ifndef EDGE_LOAD_MARKS_H
#define EDGE_LOAD_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

// The first mark at or above `value`, and the one after `mark`.
uint64_t edge_marks_from(uint64_t value);
uint64_t edge_marks_after(uint64_t mark);

// How many values lie above the last mark asked for and at or below this one. *bin is 0 at first,
// and carries on. Bins are narrower than the space between marks by far; one that holds a mark
// counts below it.
uint64_t edge_marks_count(const struct edge_histogram *histogram, uint64_t mark, size_t *bin);

#endif
