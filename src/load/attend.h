// A load from its start to its end, with a line of progress on stderr, and Ctrl-C.
#ifndef EDGE_LOAD_ATTEND_H
#define EDGE_LOAD_ATTEND_H

#include "load/load.h"

// Runs it. `label` stands before the progress. *interrupted becomes true after Ctrl-C or SIGTERM:
// the first ends the load in order, a second one at once. Fills *result (edge_load_result_free()
// it) if it returns 0; else errors of edge_load_start() or edge_load_finish(), with a message.
int edge_attend(const struct edge_load_config *config, const char *label,
                struct edge_load_result *result, bool *interrupted, struct edge_message *message);

#endif
