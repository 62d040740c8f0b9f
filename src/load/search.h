// The search for the highest rate that keeps a condition: doubling until it is missed, then halving
// the space between. Arithmetic only; the caller measures.
#ifndef EDGE_LOAD_SEARCH_H
#define EDGE_LOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define EDGE_SEARCH_PERCENT 2u // it ends when the two rates are as close as this

struct edge_search {
    uint64_t kept;   // the highest rate that kept it; 0: none yet
    uint64_t missed; // the lowest rate that missed it; 0: none yet
    uint64_t next;   // to be tried; 0: the search is over
};

// Begins at `start` > 0.
void edge_search_init(struct edge_search *search, uint64_t start);

// Tells how search->next went, and decides on the following, which is never above `highest`.
void edge_search_take(struct edge_search *search, bool kept, uint64_t highest);

#endif
