// Small text files below /proc and /sys, read whole.
//
// Every path is taken below `root`: "" on a live system, a directory in tests.
#ifndef EDGE_AGENT_PROCFS_H
#define EDGE_AGENT_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads root + path into text[size], terminated; what does not fit is left out.
// Returns the length, or a negated errno (-ENOENT, -ESRCH, -EACCES).
int edge_procfs_read(const char *root, const char *path, char *text, size_t size);

// The same, cut at the first newline, without blanks at either end.
int edge_procfs_line(const char *root, const char *path, char *text, size_t size);

// Finds the line that starts with `key` ("VmRSS:") and reads the decimal number behind it.
// False if there is no such line or no number.
bool edge_procfs_number(const char *text, const char *key, uint64_t *value);

#endif
