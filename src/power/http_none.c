// In place of http.c in a build without libcurl.
#include "power/http.h"

int edge_http_open(struct edge_http **http, const char *url, struct edge_message *message)
{
    *http = NULL;
    return edge_fail(
        message, EDGE_ERR_UNSUPPORTED,
        "cannot ask %s: this bench-edge was built without libcurl, as for a board; use "
        "it on the host",
        url);
}

int edge_http_get(struct edge_http *http, struct edge_buffer *body, struct edge_message *message)
{
    (void)http, (void)body;
    return edge_fail(message, EDGE_ERR_UNSUPPORTED, "built without libcurl");
}

void edge_http_close(struct edge_http *http)
{
    (void)http;
}
