#include "power/http.h"

#include <errno.h>
#include <stdlib.h>

#include <curl/curl.h>

#define TIMEOUT_MS 3000L
#define BODY_MAX   (64u << 10)

struct edge_http {
    CURL *curl;
    struct edge_buffer *body; // during a GET
    char reason[CURL_ERROR_SIZE];
};

static size_t take_body(char *bytes, size_t size, size_t count, void *argument)
{
    struct edge_http *http = argument;
    size_t len = size * count;
    if (http->body->len + len > BODY_MAX || edge_buffer_append(http->body, bytes, len) != 0)
        return 0; // ends the transfer
    return len;
}

int edge_http_open(struct edge_http **opened, const char *url, struct edge_message *message)
{
    struct edge_http *http = calloc(1, sizeof *http);
    CURL *curl = http ? curl_easy_init() : NULL;
    if (!curl) {
        free(http);
        return edge_fail(message, -ENOMEM, "out of memory");
    }
    http->curl = curl;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); // a plug is near
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L); // there are other threads
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_ANY);
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->reason);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
    *opened = http;
    return 0;
}

int edge_http_get(struct edge_http *http, struct edge_buffer *body, struct edge_message *message)
{
    long status = 0;
    edge_buffer_consume(body, body->len);
    http->body = body;
    http->reason[0] = '\0';
    CURLcode code = curl_easy_perform(http->curl);
    const char *reason = http->reason[0] ? http->reason : curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return edge_fail(message, -ETIMEDOUT, "no answer within %ld s", TIMEOUT_MS / 1000);
    if (code == CURLE_WRITE_ERROR)
        return edge_fail(message, EDGE_ERR_LIMIT, "the answer is longer than %u bytes", BODY_MAX);
    if (code != CURLE_OK)
        return edge_fail(message, EDGE_ERR_CLOSED, "%s", reason);
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status == 401)
        return edge_fail(message, EDGE_ERR_FAILED,
                         "HTTP status 401: it wants a password; put it into ~/.netrc");
    if (status != 200)
        return edge_fail(message, EDGE_ERR_FAILED, "HTTP status %ld", status);
    return 0;
}

void edge_http_close(struct edge_http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    free(http);
}
