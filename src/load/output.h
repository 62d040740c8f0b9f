// The formats of a load's output, and where they go.
#ifndef EDGE_LOAD_OUTPUT_H
#define EDGE_LOAD_OUTPUT_H

#include "load/sheet.h"

enum edge_output_format {
    EDGE_OUTPUT_SUMMARY,
    EDGE_OUTPUT_JSON,
    EDGE_OUTPUT_CSV,
    EDGE_OUTPUT_HTML,
    EDGE_OUTPUT_HGRM,
    EDGE_OUTPUT_INFLUX,
    EDGE_OUTPUT_PROMETHEUS,
    EDGE_OUTPUT_FORMATS
};

struct edge_output {
    enum edge_output_format formats[EDGE_OUTPUT_FORMATS];
    unsigned count;
    const char *path; // of the file; the base of its name if there are several; NULL: stdout
};

// Parses a list of formats with commas between; `path` may be NULL for one format. 0 or
// EDGE_ERR_USAGE.
int edge_output_init(struct edge_output *output, const char *formats, const char *path,
                     struct edge_message *message);

// Writes all. A file that cannot be written does not keep the others from it, and then the summary
// goes to stdout if nothing else did: what was measured is not lost. 0, -ENOMEM, or the first error
// with a message that names the file.
int edge_output_write(const struct edge_output *output, const struct edge_sheet *sheet,
                      struct edge_message *message);

#endif
