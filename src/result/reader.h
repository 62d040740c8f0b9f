// Reads a result file back. A file comes from anywhere: everything is checked, memory is bounded by
// the file's size.
//
// Keys and records that are not known are skipped; another major is refused. A last line that was
// cut short, or a missing end record, is no error: the run was interrupted, and is not valid.
#ifndef EDGE_RESULT_READER_H
#define EDGE_RESULT_READER_H

#include <stddef.h>

#include "base/error.h"
#include "result/result.h"

#define EDGE_RESULT_LINE_MAX    (2u << 20) // bytes of one line; a full histogram takes 0.7 MB
#define EDGE_RESULT_REPEATS_MAX 1000u

// Reads `path`. 0 and *result (edge_result_free() it); a negated errno or EDGE_ERR_FORMAT with a
// message "FILE:LINE: what was expected, what was found"; EDGE_ERR_UNSUPPORTED (another major);
// EDGE_ERR_LIMIT (a line is too long, too many repeats). After an error *result is empty.
int edge_result_read(const char *path, struct edge_result *result, struct edge_message *message);

// The same from memory; `name` stands in messages.
int edge_result_parse(const char *name, const char *text, size_t len, struct edge_result *result,
                      struct edge_message *message);

#endif
