// GET over HTTP, for plugs in the local network. Built with libcurl where bench-edge is a host's
// program; without it edge_http_open() says so.
#ifndef EDGE_POWER_HTTP_H
#define EDGE_POWER_HTTP_H

#include "base/buffer.h"
#include "base/error.h"

struct edge_http;

// Prepares for GETs of `url`. User and password come from ~/.netrc. 0; -ENOMEM, or
// EDGE_ERR_UNSUPPORTED (built without libcurl), with a message.
int edge_http_open(struct edge_http **http, const char *url, struct edge_message *message);

// One GET: the body replaces the contents of `body`. 0; -ETIMEDOUT (3 s), EDGE_ERR_CLOSED (no
// connection), EDGE_ERR_FAILED (a status other than 200), EDGE_ERR_LIMIT (above 64 KiB), with a
// message.
int edge_http_get(struct edge_http *http, struct edge_buffer *body, struct edge_message *message);

// Safe with NULL.
void edge_http_close(struct edge_http *http);

#endif
