// What would make a run invalid here: the rules that can be judged before one.
#ifndef EDGE_RUN_PROBE_CHECK_H
#define EDGE_RUN_PROBE_CHECK_H

#include <jansson.h>

#include "run/target.h"

// Judges the facts of agent/agent_probe.h by docs/run-rules.md. An array, in the order of that
// table, of objects with id, reads, verdict ("pass", "warn", "fail", "not_judged"), reading, limit
// and words. NULL: out of memory.
json_t *edge_probe_check(const json_t *facts, const struct edge_target *target, bool recorded);

// The rules that only a run can judge, with blanks between. Returns text.
const char *edge_probe_check_others(const json_t *rules, char *text, size_t size);

// True if no verdict is "fail".
bool edge_probe_check_passes(const json_t *rules);

#endif
