#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

size_t edge_nearest_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t len = strlen(b);
    if (len >= 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < len; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[len];
}
