// Which result files a list of paths stands for.
#ifndef EDGE_REPORT_FILES_H
#define EDGE_REPORT_FILES_H

#include <stddef.h>

#include "base/error.h"

struct edge_files {
    char **paths;
    size_t count;
};

// Adds `path` if it is a file; if it is a folder, the *.jsonl files in it and in its sub-folders
// one level down, sorted by name. The caller frees the list, after an error too. 0; a negated errno
// with a message; EDGE_ERR_NOT_FOUND: a folder without results.
int edge_files_add(struct edge_files *files, const char *path, struct edge_message *message);

// Frees the list. Safe twice.
void edge_files_free(struct edge_files *files);

#endif
