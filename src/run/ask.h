// What a program says when it is asked: its output, of a short run of its own.
#ifndef EDGE_RUN_ASK_H
#define EDGE_RUN_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

// Runs `argv` and keeps the beginning of its output in `out`, and of its stderr in `err` (NULL: not
// wanted), both terminated. It is ended after two seconds, or after its first line if `line`; what
// it has said by then counts, and so does what it said before a failure. 0, or an error of
// edge_subprocess_spawn() with a message.
int edge_ask(const char *const *argv, bool line, char *out, size_t out_size, char *err,
             size_t err_size, struct edge_message *message);

#endif
