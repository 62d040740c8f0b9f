#include "grpc/request.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "grpc/base64.h"
#include "grpc/limits.h"
#include "grpc/timeout.h"

#define GRPC     "application/grpc"
#define GRPC_LEN (sizeof(GRPC) - 1)

enum edge_content_type edge_request_content_type(const char *value, size_t len)
{
    if (len < GRPC_LEN ||
        (memcmp(value, GRPC, GRPC_LEN) != 0 && strncasecmp(value, GRPC, GRPC_LEN) != 0))
        return EDGE_CONTENT_NONE;
    if (len == GRPC_LEN || value[GRPC_LEN] == ';')
        return EDGE_CONTENT_GRPC;
    if (value[GRPC_LEN] != '+')
        return EDGE_CONTENT_NONE;
    const char *format = value + GRPC_LEN + 1;
    size_t left = len - GRPC_LEN - 1;
    const char *parameters = memchr(format, ';', left);
    if (parameters != NULL)
        left = (size_t)(parameters - format);
    while (left > 0 && format[left - 1] == ' ')
        left--;
    return left == 5 && strncasecmp(format, "proto", 5) == 0 ? EDGE_CONTENT_GRPC
                                                             : EDGE_CONTENT_UNKNOWN;
}

static bool is(const char *text, const char *literal, size_t len)
{
    return memcmp(text, literal, len) == 0;
}

// True if the comma-separated list has the item.
static bool list_has(const char *list, size_t len, const char *item, size_t item_len)
{
    while (len > 0) {
        const char *comma = memchr(list, ',', len);
        size_t part = comma != NULL ? (size_t)(comma - list) : len;
        const char *at = list;
        size_t left = part;
        for (; left > 0 && *at == ' '; at++)
            left--;
        while (left > 0 && at[left - 1] == ' ')
            left--;
        if (left == item_len && is(at, item, item_len))
            return true;
        list += comma != NULL ? part + 1 : part;
        len -= comma != NULL ? part + 1 : part;
    }
    return false;
}

static void take_encoding(struct edge_request *request, const char *value, size_t len)
{
    request->gzip = len == 4 && is(value, "gzip", 4);
    request->bad_encoding = !request->gzip && (len != 8 || !is(value, "identity", 8));
}

int edge_request_header(struct edge_request *request, const char *name, size_t name_len,
                        const char *value, size_t value_len)
{
    request->list_bytes += (uint32_t)(name_len + value_len + 32);
    request->list_count++;
    if (request->list_bytes > EDGE_LIMIT_HEADER_HARD ||
        request->list_count > EDGE_LIMIT_HEADER_COUNT)
        return EDGE_ERR_LIMIT;
    switch (name_len) {
    case 7:
        if (is(name, ":method", 7))
            request->post = value_len == 4 && is(value, "POST", 4);
        break;
    case 12:
        if (is(name, "content-type", 12)) {
            request->content_type = (uint8_t)edge_request_content_type(value, value_len);
        } else if (is(name, "grpc-timeout", 12)) {
            request->has_timeout = true;
            request->bad_timeout = edge_timeout_parse(value, value_len, &request->timeout_ns) < 0;
        }
        break;
    case 13:
        if (is(name, "grpc-encoding", 13))
            take_encoding(request, value, value_len);
        break;
    case 20:
        if (is(name, "grpc-accept-encoding", 20) && list_has(value, value_len, "gzip", 4))
            request->accepts_gzip = true;
        break;
    default:
        break;
    }
    if (name_len > 4 && is(name + name_len - 4, "-bin", 4) &&
        !edge_base64_list_valid(value, value_len))
        request->bad_metadata = true;
    return 0;
}

static bool refuse(struct edge_refusal *refusal, const char *http_status, int status,
                   const char *message)
{
    *refusal = (struct edge_refusal){http_status, status, message, false};
    return true;
}

bool edge_request_refused(const struct edge_request *request, bool method_found, bool service_found,
                          struct edge_refusal *refusal)
{
    if (!request->post)
        return refuse(refusal, "405", EDGE_STATUS_INTERNAL, "gRPC requests are POST");
    if (request->content_type == EDGE_CONTENT_NONE)
        return refuse(refusal, "415", -1, NULL);
    if (request->list_bytes > EDGE_LIMIT_HEADER_SOFT)
        return refuse(refusal, "200", EDGE_STATUS_RESOURCE_EXHAUSTED, "header list too large");
    if (request->content_type == EDGE_CONTENT_UNKNOWN)
        return refuse(refusal, "200", EDGE_STATUS_UNIMPLEMENTED,
                      "unknown content-type: this server speaks application/grpc+proto");
    if (!method_found)
        return refuse(refusal, "200", EDGE_STATUS_UNIMPLEMENTED,
                      service_found ? "unknown method" : "unknown service");
    if (request->bad_timeout)
        return refuse(refusal, "200", EDGE_STATUS_INTERNAL, "malformed grpc-timeout");
    if (request->bad_metadata)
        return refuse(refusal, "200", EDGE_STATUS_INTERNAL, "a -bin header is not base64");
    if (request->bad_encoding) {
        refuse(refusal, "200", EDGE_STATUS_UNIMPLEMENTED,
               "unsupported grpc-encoding: this server speaks identity and gzip");
        refusal->list_encodings = true;
        return true;
    }
    return false;
}
