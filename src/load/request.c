#include "load/request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "wire/frame.h"
#include "wire/hpack.h"

#define HEADERS_MAX (10 + EDGE_METADATA_MAX)

const char *edge_request_timeout_text(uint64_t timeout_ns, char text[24])
{
    static const struct {
        uint64_t ns;
        char letter;
    } units[] = {{1, 'n'},
                 {EDGE_NS_PER_US, 'u'},
                 {EDGE_NS_PER_MS, 'm'},
                 {EDGE_NS_PER_S, 'S'},
                 {60 * EDGE_NS_PER_S, 'M'},
                 {3600 * EDGE_NS_PER_S, 'H'}};
    size_t i = 0;
    while (timeout_ns / units[i].ns > 99999998)
        i++;
    uint64_t count = (timeout_ns + units[i].ns - 1) / units[i].ns;
    snprintf(text, 24, "%" PRIu64 "%c", count, units[i].letter);
    return text;
}

// Writes the block that inserts, and the one that then refers to what was inserted.
static int encode_indexed(struct edge_request *request, const struct edge_header *headers,
                          size_t count)
{
    bool inserted[HEADERS_MAX];
    uint32_t entries = 0;
    for (size_t i = 0; i < count; i++) {
        int error = edge_hpack_encode(&request->insert, EDGE_HPACK_INSERT, headers[i].name,
                                      headers[i].value, &inserted[i]);
        if (error < 0)
            return error;
        entries += inserted[i];
    }
    for (size_t i = 0; i < count; i++) {
        // The newest entry has the lowest index.
        int error = inserted[i]
                        ? edge_hpack_encode_index(&request->indexed, EDGE_HPACK_STATIC + entries--)
                        : edge_hpack_encode(&request->indexed, EDGE_HPACK_STATELESS,
                                            headers[i].name, headers[i].value, NULL);
        if (error < 0)
            return error;
    }
    return 0;
}

static int encode_stateless(struct edge_buffer *block, const struct edge_header *headers,
                            size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error =
            edge_hpack_encode(block, EDGE_HPACK_STATELESS, headers[i].name, headers[i].value, NULL);
    return error;
}

int edge_request_init(struct edge_request *request, const struct edge_request_config *config,
                      struct edge_message *message)
{
    *request = (struct edge_request){0};
    char timeout[24];
    struct edge_header headers[HEADERS_MAX] = {
        {":method", "POST"},          {":scheme", config->scheme},
        {":path", config->path},      {":authority", config->authority},
        {"te", "trailers"},           {"content-type", "application/grpc"},
        {"user-agent", "bench-edge"},
    };
    size_t count = 7;
    if (config->timeout_ns > 0)
        headers[count++] = (struct edge_header){
            "grpc-timeout", edge_request_timeout_text(config->timeout_ns, timeout)};
    if (config->gzip) {
        headers[count++] = (struct edge_header){"grpc-encoding", "gzip"};
        headers[count++] = (struct edge_header){"grpc-accept-encoding", "identity,gzip"};
    }
    for (size_t i = 0; config->metadata != NULL && i < config->metadata->count; i++)
        headers[count++] = config->metadata->list[i];

    // One bound for all: what fits the table, whichever of them are inserted.
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(headers[i].name) + strlen(headers[i].value) + EDGE_HPACK_ENTRY;
    int error = size <= EDGE_HPACK_TABLE_DEFAULT ? 0 : EDGE_ERR_LIMIT;
    if (error == 0)
        error = encode_indexed(request, headers, count);
    if (error == 0)
        error = edge_hpack_encode_table_size(&request->clear, 0);
    if (error == 0)
        error = encode_stateless(&request->clear, headers, count);
    if (error == 0)
        error = encode_stateless(&request->stateless, headers, count);
    if (error == 0)
        return 0;
    edge_request_free(request);
    return edge_fail(message, error,
                     error == EDGE_ERR_LIMIT
                         ? "the request's path, authority and metadata are too long: "
                           "expected at most 4096 bytes with 32 for each"
                         : "out of memory");
}

void edge_request_free(struct edge_request *request)
{
    edge_buffer_free(&request->insert);
    edge_buffer_free(&request->indexed);
    edge_buffer_free(&request->clear);
    edge_buffer_free(&request->stateless);
}

const struct edge_buffer *edge_request_next(const struct edge_request *request,
                                            enum edge_request_state *state, uint32_t table_size)
{
    if (*state == EDGE_REQUEST_STATELESS)
        return &request->stateless;
    if (table_size < EDGE_HPACK_TABLE_DEFAULT) {
        // RFC 7541 section 4.2: a smaller limit is answered by a size update in the next block.
        *state = EDGE_REQUEST_STATELESS;
        return &request->clear;
    }
    if (*state == EDGE_REQUEST_INDEXED)
        return &request->indexed;
    *state = EDGE_REQUEST_INDEXED;
    return &request->insert;
}
