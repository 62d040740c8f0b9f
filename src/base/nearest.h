// How far two names are apart: for "did you mean".
#ifndef EDGE_BASE_NEAREST_H
#define EDGE_BASE_NEAREST_H

#include <stddef.h>

#define EDGE_NEAREST_FAR 4u // this far apart or more is no typing error

// The edit distance of two names (Levenshtein); SIZE_MAX if `b` has 64 characters or more.
size_t edge_nearest_distance(const char *a, const char *b);

#endif
