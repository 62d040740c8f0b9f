// Lines of `bench-edge probe`: a label, and text that is wrapped beside it.
#ifndef EDGE_RUN_PROBE_TEXT_H
#define EDGE_RUN_PROBE_TEXT_H

#include <stdio.h>

// "" as the label goes on with the line before.
void edge_probe_text(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same with room for longer labels.
void edge_probe_text_wide(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
