// Is the server ready? It is when one call comes back verified.
#ifndef EDGE_RUN_READINESS_H
#define EDGE_RUN_READINESS_H

#include "load/load.h"
#include "run/measurement.h"

// Adds what one try gave. True if its call was verified.
bool edge_readiness_add(struct edge_readiness *readiness, const struct edge_load_result *result);

// The same for a connection on which no HTTP/2 was spoken; `why` in words.
void edge_readiness_add_refusal(struct edge_readiness *readiness, const char *why);

// True if the server has answered in some way: then waiting longer hardly helps.
bool edge_readiness_answered(const struct edge_readiness *readiness);

// "answered 48 calls, none was verified: 48 wrong_reply; first: ...". Returns text.
const char *edge_readiness_text(const struct edge_readiness *readiness, char *text, size_t size);

#endif
