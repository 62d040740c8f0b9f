// The language of host and agent: one JSON object per line, in both directions.
//
//   host:  {"op":"spawn","id":3,"argv":["/path/server","--port","50051"],"cpus":"0"}
//   agent: {"re":3,"pid":4711,"ram_limit":"..."}         the answer, by the request's id
//   agent: {"event":"error","re":3,"text":"..."}        the answer, when it failed
//   agent: {"event":"sample","sample":{...}}            unasked
//   agent: {"event":"server_exited","status":"...","stderr":"..."}
//
// The first request is hello with the host's protocol number; the agent refuses another one. Keys
// that are not known are skipped. A number that was not measured is null.
#ifndef EDGE_AGENT_AGENT_JSON_H
#define EDGE_AGENT_AGENT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "agent/agent_sample.h"
#include "agent/board.h"
#include "base/error.h"

#define EDGE_AGENT_PROTOCOL 2           // changes when an old peer would misunderstand
#define EDGE_AGENT_LINE_MAX (64u << 10) // bytes of one line, newline included

// Parses one line (without its newline) as a JSON object. Returns 0 and *object (json_decref() it),
// or EDGE_ERR_FORMAT with a message that says where and what.
int edge_agent_json_line(const char *line, size_t len, json_t **object,
                         struct edge_message *message);

// Members of a request. `fallback` is taken where the key is absent or null.
// 0, or EDGE_ERR_FORMAT with a message that names the key and says what was expected.
int edge_agent_json_number(const json_t *object, const char *key, uint64_t fallback,
                           uint64_t *value, struct edge_message *message);
int edge_agent_json_text(const json_t *object, const char *key, const char *fallback,
                         const char **value, struct edge_message *message);
// An array of texts as a NULL-terminated list; free() it, the texts belong to `object`. An absent
// array is an empty list. EDGE_ERR_FORMAT as above, or -ENOMEM.
int edge_agent_json_texts(const json_t *object, const char *key, const char ***list,
                          struct edge_message *message);

// Facts as objects and back. The makers return a new reference, NULL when memory is out. The
// readers leave what is missing or of another type unmeasured or empty.
json_t *edge_agent_json_from_board(const struct edge_board *board);
void edge_agent_json_to_board(const json_t *object, struct edge_board *board);
json_t *edge_agent_json_from_sample(const struct edge_agent_sample *sample);
void edge_agent_json_to_sample(const json_t *object, struct edge_agent_sample *sample);

// A JSON string of bytes from anywhere: what is not printable ASCII or a newline becomes '?'.
json_t *edge_agent_json_from_bytes(const char *bytes, size_t len);

#endif
