// Members of what the agent has found out (agent/agent_probe.h).
#ifndef EDGE_RUN_PROBE_MEMBER_H
#define EDGE_RUN_PROBE_MEMBER_H

#include <jansson.h>

// "" if it is none.
static inline const char *edge_probe_member(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

// Why a fact is null.
static inline const char *edge_probe_reason(const json_t *facts, const char *fact)
{
    return edge_probe_member(json_object_get(facts, "missing"), fact);
}

#endif
