// connectrpc.conformance.v1.ConformanceService, by the protobuf wire format alone: the same in both
// servers. A request says what is to be answered, and when; the answer tells what the request was.

#include "echo.h"

#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "grpc/base64.h"
#include "grpc/call.h"
#include "grpc/protobuf.h"

#define TYPE(name) "type.googleapis.com/connectrpc.conformance.v1." name

// Fields of UnaryResponseDefinition and StreamResponseDefinition.
enum {
    HEADERS = 1,
    DATA = 2, // of a stream: repeated
    UNARY_ERROR = 3,
    UNARY_TRAILERS = 4,
    UNARY_DELAY = 6,
    STREAM_DELAY = 3,
    STREAM_ERROR = 4,
    STREAM_TRAILERS = 5,
};

struct echo {
    struct edge_buffer definition; // of the first request
    struct edge_buffer requests;   // RequestInfo.requests that are not told yet, encoded
    uint64_t timeout_ms;
    bool has_timeout;
    bool full_duplex;
    uint32_t owed; // replies that may go out: the requests of a full-duplex call, else all
    uint32_t sent;
    uint64_t due_ns; // of the next reply; 0: not known yet
};

static bool streams(const struct edge_call *call)
{
    return call->method->server_streams;
}

// --- The definition ---

// The `nth` field of that number, or false.
static bool find(const struct edge_buffer *message, uint32_t number, uint32_t nth,
                 struct edge_protobuf_field *field)
{
    const uint8_t *bytes = message->data + message->start;
    size_t len = message->len;
    while (len > 0 && edge_protobuf_next(&bytes, &len, field) > 0)
        if (field->number == number && nth-- == 0)
            return true;
    return false;
}

static uint64_t delay_ns(const struct edge_call *call)
{
    const struct echo *echo = call->state;
    struct edge_protobuf_field field;
    uint32_t number = streams(call) ? STREAM_DELAY : UNARY_DELAY;
    return find(&echo->definition, number, 0, &field) ? field.value * EDGE_NS_PER_MS : 0;
}

typedef void set_metadata(struct edge_call *call, const char *name, const void *value, size_t len);

// Header{string name = 1; repeated string value = 2}
static void send_header(struct edge_call *call, const struct edge_protobuf_field *header,
                        set_metadata *set)
{
    char name[256] = "";
    const uint8_t *bytes = header->bytes;
    size_t len = header->len;
    struct edge_protobuf_field field;
    while (edge_protobuf_next(&bytes, &len, &field) > 0) {
        if (field.number == 1 && field.len < sizeof(name)) {
            memcpy(name, field.bytes, field.len);
            name[field.len] = '\0';
        } else if (field.number == 2) {
            size_t end = strlen(name);
            uint8_t binary[1024];
            size_t binary_len = 0;
            if (end > 4 && strcmp(name + end - 4, "-bin") == 0) {
                if (EDGE_BASE64_DECODED(field.len) <= sizeof(binary) &&
                    edge_base64_decode((const char *)field.bytes, field.len, binary, &binary_len) ==
                        0)
                    set(call, name, binary, binary_len);
            } else {
                set(call, name, field.bytes, field.len);
            }
        }
    }
}

static void send_headers(struct edge_call *call, uint32_t number, set_metadata *set)
{
    const struct echo *echo = call->state;
    struct edge_protobuf_field field;
    for (uint32_t nth = 0; find(&echo->definition, number, nth, &field); nth++)
        send_header(call, &field, set);
}

// --- What the request was ---

static int put_value(struct edge_buffer *out, const struct edge_metadata_entry *entry)
{
    if (entry->name_len <= 4 || memcmp(entry->name + entry->name_len - 4, "-bin", 4) != 0)
        return edge_protobuf_put_bytes(out, 2, entry->value, entry->value_len);
    struct edge_buffer text = {.data = NULL};
    int error = edge_buffer_reserve(&text, EDGE_BASE64_ENCODED(entry->value_len) + 1);
    if (error == 0) {
        text.len = edge_base64_encode(entry->value, entry->value_len, (char *)text.data);
        error = edge_protobuf_put_bytes(out, 2, text.data, text.len);
    }
    edge_buffer_free(&text);
    return error;
}

static bool same_name(const struct edge_metadata_entry *one, const struct edge_metadata_entry *two)
{
    return one->name_len == two->name_len && memcmp(one->name, two->name, one->name_len) == 0;
}

// The name of `entry` came before it.
static bool is_repeated(const struct edge_metadata *metadata,
                        const struct edge_metadata_entry *entry)
{
    const struct edge_metadata_entry *first = metadata->first;
    while (!same_name(first, entry))
        first = first->next;
    return first != entry;
}

// A Header of each name, with all its values.
static int put_request_headers(struct edge_buffer *out, const struct edge_metadata *metadata)
{
    int error = 0;
    for (const struct edge_metadata_entry *entry = metadata->first; error == 0 && entry != NULL;
         entry = entry->next) {
        if (is_repeated(metadata, entry))
            continue;
        struct edge_buffer header = {.data = NULL};
        error = edge_protobuf_put_bytes(&header, 1, entry->name, entry->name_len);
        for (const struct edge_metadata_entry *same = entry; error == 0 && same != NULL;
             same = same->next)
            error = same_name(same, entry) ? put_value(&header, same) : 0;
        if (error == 0)
            error = edge_protobuf_put_bytes(out, 1, edge_buffer_head(&header), header.len);
        edge_buffer_free(&header);
    }
    return error;
}

// RequestInfo: headers and timeout in the first, and the requests that are not told yet.
static int put_request_info(struct edge_call *call, struct edge_buffer *out)
{
    struct echo *echo = call->state;
    int error = 0;
    if (echo->sent == 0) {
        error = put_request_headers(out, &call->metadata->request);
        if (error == 0 && echo->has_timeout)
            error = edge_protobuf_put_varint(out, 2, echo->timeout_ms);
    }
    if (error == 0 && echo->requests.len > 0)
        error = edge_buffer_append(out, edge_buffer_head(&echo->requests), echo->requests.len);
    edge_buffer_consume(&echo->requests, echo->requests.len);
    return error;
}

// Any{type_url = 1, value = 2} as field `number`
static int put_any(struct edge_buffer *out, uint32_t number, const char *type, const void *value,
                   size_t len)
{
    struct edge_buffer any = {.data = NULL};
    int error = edge_protobuf_put_bytes(&any, 1, type, strlen(type));
    if (error == 0)
        error = edge_protobuf_put_bytes(&any, 2, value, len);
    if (error == 0)
        error = edge_protobuf_put_bytes(out, number, edge_buffer_head(&any), any.len);
    edge_buffer_free(&any);
    return error;
}

static void out_of_memory(struct edge_call *call)
{
    edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
}

// --- The answer ---

// ...Response{ConformancePayload payload = 1{bytes data = 1; RequestInfo request_info = 2}}
static void send_reply(struct edge_call *call, const struct edge_protobuf_field *data)
{
    struct echo *echo = call->state;
    struct edge_buffer info = {.data = NULL};
    struct edge_buffer payload = {.data = NULL};
    struct edge_buffer reply = {.data = NULL};
    int error = 0;
    bool tells = echo->sent == 0 || echo->full_duplex;
    if (data != NULL)
        error = edge_protobuf_put_bytes(&payload, 1, data->bytes, data->len);
    if (error == 0 && tells)
        error = put_request_info(call, &info);
    if (error == 0 && tells)
        error = edge_protobuf_put_bytes(&payload, 2, edge_buffer_head(&info), info.len);
    if (error == 0)
        error = edge_protobuf_put_bytes(&reply, 1, edge_buffer_head(&payload), payload.len);
    call->compress = call->gzip_requests; // as the client does it
    uint8_t *out = error == 0 ? edge_call_reply(call, reply.len) : NULL;
    if (out != NULL) {
        memcpy(out, edge_buffer_head(&reply), reply.len);
        edge_call_reply_end(call, reply.len);
    } else {
        out_of_memory(call);
    }
    echo->sent++;
    edge_buffer_free(&reply);
    edge_buffer_free(&payload);
    edge_buffer_free(&info);
}

// google.rpc.Status{int32 code = 1; string message = 2; repeated Any details = 3}; the request is
// told in a detail if no reply told it.
static int put_status(struct edge_call *call, const struct edge_protobuf_field *error_field,
                      struct edge_buffer *out)
{
    const struct echo *echo = call->state;
    const uint8_t *bytes = error_field->bytes;
    size_t len = error_field->len;
    struct edge_protobuf_field field;
    int error = 0;
    while (error == 0 && edge_protobuf_next(&bytes, &len, &field) > 0)
        error = field.type == EDGE_WIRE_VARINT
                    ? edge_protobuf_put_varint(out, field.number, field.value)
                    : edge_protobuf_put_bytes(out, field.number, field.bytes, field.len);
    if (error < 0 || echo->sent > 0)
        return error;
    struct edge_buffer info = {.data = NULL};
    error = put_request_info(call, &info);
    if (error == 0)
        error = put_any(out, 3, TYPE("ConformancePayload.RequestInfo"), edge_buffer_head(&info),
                        info.len);
    edge_buffer_free(&info);
    return error;
}

// Error{Code code = 1; string message = 2; repeated Any details = 3}: gRPC's codes
static void end_with(struct edge_call *call, const struct edge_protobuf_field *error_field)
{
    const struct edge_buffer wrapped = {.data = (uint8_t *)(uintptr_t)error_field->bytes,
                                        .len = error_field->len};
    struct edge_buffer status = {.data = NULL};
    struct edge_protobuf_field code;
    struct edge_protobuf_field text;
    if (!find(&wrapped, 1, 0, &code) || code.value >= EDGE_STATUS_CODES)
        code.value = EDGE_STATUS_UNKNOWN;
    if (!find(&wrapped, 2, 0, &text))
        text = (struct edge_protobuf_field){.bytes = (const uint8_t *)"", .len = 0};
    if (put_status(call, error_field, &status) == 0)
        edge_call_trailing(call, "grpc-status-details-bin", edge_buffer_head(&status), status.len);
    edge_buffer_free(&status);
    edge_call_end(call, (enum edge_status)code.value, "%.*s", (int)text.len,
                  (const char *)text.bytes);
}

static void finish(struct edge_call *call)
{
    const struct echo *echo = call->state;
    struct edge_protobuf_field error_field;
    send_headers(call, streams(call) ? STREAM_TRAILERS : UNARY_TRAILERS, edge_call_trailing);
    if (find(&echo->definition, streams(call) ? STREAM_ERROR : UNARY_ERROR, 0, &error_field))
        end_with(call, &error_field);
    else
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

// The pause before what comes next is over. If not, the call sleeps until it is.
static bool is_due(struct edge_call *call)
{
    struct echo *echo = call->state;
    uint64_t now_ns = call->shared->now_ns;
    if (echo->due_ns == 0)
        echo->due_ns = now_ns + delay_ns(call);
    if (echo->due_ns > now_ns) {
        edge_call_sleep(call, echo->due_ns - now_ns);
        return false;
    }
    echo->due_ns = 0;
    return true;
}

static void answer_once(struct edge_call *call)
{
    const struct echo *echo = call->state;
    struct edge_protobuf_field field;
    if (!call->half_closed || !is_due(call))
        return;
    if (!find(&echo->definition, UNARY_ERROR, 0, &field))
        send_reply(call, find(&echo->definition, DATA, 0, &field) ? &field : NULL);
    finish(call);
}

static void answer_stream(struct edge_call *call)
{
    struct echo *echo = call->state;
    struct edge_protobuf_field data;
    while (!call->ended && (call->half_closed || echo->sent < echo->owed)) {
        if (!find(&echo->definition, DATA, echo->sent, &data)) {
            finish(call);
            return;
        }
        if (call->half_closed && edge_call_full(call))
            return;
        if (!is_due(call))
            return;
        send_reply(call, &data);
    }
}

// --- The request ---

static void take_first(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct echo *echo = call->state;
    struct edge_protobuf_field field;
    while (edge_protobuf_next(&bytes, &len, &field) > 0) {
        if (field.number == 1 && field.type == EDGE_WIRE_BYTES &&
            edge_buffer_append(&echo->definition, field.bytes, field.len) < 0)
            out_of_memory(call);
        else if (field.number == 2 && field.type == EDGE_WIRE_VARINT)
            echo->full_duplex = field.value != 0; // only BidiStreamRequest has it
    }
    send_headers(call, HEADERS, edge_call_initial);
}

static void take(struct edge_call *call, const uint8_t *bytes, size_t len, const char *type)
{
    struct echo *echo = call->state;
    if (call->requests == 1)
        take_first(call, bytes, len);
    if (call->requests == 1 && call->deadline_ns != EDGE_CALL_NEVER) {
        echo->has_timeout = true;
        echo->timeout_ms = (call->deadline_ns - call->shared->now_ns) / EDGE_NS_PER_MS;
    }
    if (put_any(&echo->requests, 3, type, bytes, len) < 0)
        out_of_memory(call);
    if (call->ended || !echo->full_duplex)
        return;
    echo->owed++;
    answer_stream(call);
}

static void take_unary(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    take(call, bytes, len, TYPE("UnaryRequest"));
}
static void take_client_stream(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    take(call, bytes, len, TYPE("ClientStreamRequest"));
}
static void take_server_stream(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    take(call, bytes, len, TYPE("ServerStreamRequest"));
}
static void take_bidi_stream(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    take(call, bytes, len, TYPE("BidiStreamRequest"));
}

static void forget(struct edge_call *call)
{
    struct echo *echo = call->state;
    edge_buffer_free(&echo->definition);
    edge_buffer_free(&echo->requests);
}

#define ROW(name)                                                                                  \
    .path = "/connectrpc.conformance.v1.ConformanceService/" name, .compresses = true,             \
    .metadata = true, .state_size = sizeof(struct echo), .closed = forget

const struct edge_method edge_echo_methods[] = {
    {ROW("Unary"), .message = take_unary, .half_close = answer_once, .tick = answer_once},
    {ROW("ClientStream"), .client_streams = true, .message = take_client_stream,
     .half_close = answer_once, .tick = answer_once},
    {ROW("ServerStream"), .server_streams = true, .message = take_server_stream,
     .half_close = answer_stream, .produce = answer_stream, .tick = answer_stream},
    {ROW("BidiStream"), .client_streams = true, .server_streams = true, .message = take_bidi_stream,
     .half_close = answer_stream, .produce = answer_stream, .tick = answer_stream},
    {.path = NULL},
};
