// The records of a result file, one after the other. Internal to the reader.
#ifndef EDGE_RESULT_READER_RECORDS_H
#define EDGE_RESULT_READER_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "result/result.h"

// A file being read.
struct edge_reading {
    struct edge_result *result;
    const char *name;
    uint64_t line;
    bool begun;          // the run record was taken
    const void *scanned; // the record of a line that needed no JSON parser
    char where[560];     // "FILE:LINE"
    struct edge_message *message;
};

// Takes one line that is a record in the writer's plain form, into reading->result. Returns 0, an
// error of edge_result_read(), or 1: it is not in that form, parse it.
int edge_reading_scan(struct edge_reading *reading, const char *text, size_t len);

// Takes the JSON object of a line. Returns 0 or an error of edge_result_read().
int edge_reading_take(struct edge_reading *reading, const json_t *object);

// Ends a message with -ENOMEM.
int edge_reading_out_of_memory(const struct edge_reading *reading);

#endif
