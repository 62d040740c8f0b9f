#include "load/search.h"

void edge_search_init(struct edge_search *search, uint64_t start)
{
    *search = (struct edge_search){.next = start};
}

void edge_search_take(struct edge_search *search, bool kept, uint64_t highest)
{
    *(kept ? &search->kept : &search->missed) = search->next;
    if (search->missed == 0)
        search->next = search->kept >= highest      ? 0
                       : search->kept > highest / 2 ? highest
                                                    : search->kept * 2;
    else if (search->kept == 0)
        search->next = search->missed / 2;
    else {
        uint64_t space = search->missed - search->kept;
        bool close = space <= 1 || space <= search->kept / 100 * EDGE_SEARCH_PERCENT;
        search->next = close ? 0 : search->kept + space / 2;
    }
}
