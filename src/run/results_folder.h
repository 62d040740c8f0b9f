// The folder that one run writes into: <results>/<utc>-<board>.
#ifndef EDGE_RUN_RESULTS_FOLDER_H
#define EDGE_RUN_RESULTS_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// Makes it, and its parents where they are missing; with "-2", "-3", ... at its end if there is
// one of that name. Writes its path. 0, or a negated errno with a message.
int edge_results_folder_make(const char *results_dir, uint64_t wall_ns, const char *board,
                             char *path, size_t size, struct edge_message *message);

// "<folder>/<server>.<scenario>.<call>.jsonl". 0 or -ENAMETOOLONG with a message.
int edge_results_folder_file(const char *folder, const char *server, const char *scenario,
                             const char *call, char *path, size_t size,
                             struct edge_message *message);

#endif
