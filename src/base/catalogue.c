#include "base/catalogue.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const struct edge_catalogue_board boards[] = {
#include "catalogue_rows.h"
};

#define BOARDS (sizeof boards / sizeof boards[0])

const struct edge_catalogue_board *edge_catalogue(size_t *count)
{
    *count = BOARDS;
    return boards;
}

const struct edge_catalogue_board *edge_catalogue_find(const char *id, struct edge_message *message)
{
    char near[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < BOARDS; i++) {
        if (strcmp(boards[i].id, id) == 0)
            return &boards[i];
        if (edge_nearest_distance(id, boards[i].id) < EDGE_NEAREST_FAR && used < sizeof near)
            used += (size_t)snprintf(near + used, sizeof near - used, "%s%s",
                                     used ? ", " : "; near: ", boards[i].id);
    }
    edge_fail(message, EDGE_ERR_NOT_FOUND,
              "unknown board \"%.64s\": expected one that `bench-edge boards` lists%s", id, near);
    return NULL;
}
