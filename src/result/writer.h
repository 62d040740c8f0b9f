// Writes a result file: JSON Lines, one record per line, docs/result-format.md.
//
// Each line reaches the kernel in one write() to a file opened with O_APPEND: killing the program
// at any moment loses at most the line being written. A write that fails half-way is taken back,
// so that the file always consists of whole lines.
#ifndef EDGE_RESULT_WRITER_H
#define EDGE_RESULT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/histogram.h"
#include "result/record.h"

struct edge_result_writer {
    int fd;            // -1: closed
    bool begun, ended; // the run record, the end record was written
    char path[512];
};

// Creates `path`, which must not exist; its folder must. The writer then owns the file.
// 0; -EEXIST, -ENOENT, -EACCES, -ENOSPC, ... with a message; -ENAMETOOLONG.
// After a failure the writer is closed: edge_result_writer_close() is safe.
int edge_result_writer_open(struct edge_result_writer *writer, const char *path,
                            struct edge_message *message);

// Appends one record; `record` is the struct of that type (not EDGE_RECORD_HIST). The first must
// be EDGE_RECORD_RUN (which gets the format's name and version), nothing may follow
// EDGE_RECORD_END: -EINVAL else.
// 0; a negated errno with a message (-ENOSPC, -EFBIG, -EIO): nothing was added, what was written
// before is whole and kept; -ENOMEM.
int edge_result_write(struct edge_result_writer *writer, enum edge_record_type type,
                      const void *record, struct edge_message *message);

// Appends a hist record with the bins that are not empty. `name` is "service", "response" or
// "send_lag". Returns as edge_result_write().
int edge_result_write_histogram(struct edge_result_writer *writer, uint64_t repeat,
                                const char *name, const struct edge_histogram *histogram,
                                struct edge_message *message);

// Brings the file to the disk and closes it. Safe twice. 0, or a negated errno with a message (a
// network or full disk may only tell now).
int edge_result_writer_close(struct edge_result_writer *writer, struct edge_message *message);

#endif
