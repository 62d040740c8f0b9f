// The lies, by name.
#ifndef EDGE_TESTS_LIES_H
#define EDGE_TESTS_LIES_H

#include <stdio.h>

#include "lying_session.h"

// The row of that name, or NULL.
const struct lie *lies_find(const char *name);
// The names, one a line.
void lies_print(FILE *out);

#endif
