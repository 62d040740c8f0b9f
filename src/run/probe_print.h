// The words of `bench-edge probe`.
#ifndef EDGE_RUN_PROBE_PRINT_H
#define EDGE_RUN_PROBE_PRINT_H

#include <stdio.h>

#include <jansson.h>

// Writes what docs/probe.md calls the probe's object, for a person.
void edge_probe_print(const json_t *probe, FILE *out);

#endif
