// Small text files below /proc and /sys, read whole.
//
// Every path is taken below `root`: "" on a live system, a directory in tests.
#ifndef EDGE_BASE_PROCFS_H
#define EDGE_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads root + path into text[size], terminated; what does not fit is left out.
// Returns the length, or a negated errno (-ENOENT, -ESRCH, -EACCES).
int edge_procfs_read(const char *root, const char *path, char *text, size_t size);

// The same, cut at the first newline, without blanks at either end.
int edge_procfs_line(const char *root, const char *path, char *text, size_t size);

// The whole number that is all a file holds: most of sysfs. 0; a negated errno, or EDGE_ERR_FORMAT.
int edge_procfs_integer(const char *root, const char *path, int64_t *value);

// The names in the folder root + path that begin with `prefix`, in the order of their numbers.
// Those that are too long or above `max` are left out. Returns how many, or a negated errno.
#define EDGE_PROCFS_NAME 64
int edge_procfs_names(const char *root, const char *path, const char *prefix,
                      char (*names)[EDGE_PROCFS_NAME], size_t max);

// Finds the line that starts with `key` ("VmRSS:") and reads the decimal number behind it.
// False if there is no such line or no number.
bool edge_procfs_number(const char *text, const char *key, uint64_t *value);

#endif
