#include "grpc/call.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "grpc/limits.h"
#include "grpc/percent.h"
#include "grpc/timeout.h"

#define QUEUE_MIN 128u

// Kept out of line: inlined, it would make the usual case save registers that it does not need.
#define SLOW_PATH __attribute__((noinline, cold))

// Counts what the call holds. False: it may not hold so much.
static bool charge(struct edge_call *call, size_t queue_cap)
{
    struct edge_call_budget *budget = call->budget;
    size_t bytes = call->framing.cap + call->kept + queue_cap;
    if (budget == NULL)
        return true;
    if (bytes <= EDGE_LIMIT_CALL_FREE)
        bytes = 0;
    if (bytes > call->charged && bytes - call->charged > budget->limit - budget->used)
        return false;
    budget->used = budget->used - call->charged + bytes;
    call->charged = bytes;
    return true;
}

static void end_exhausted(struct edge_call *call)
{
    edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED,
                  "the calls of this connection hold too much memory");
}

bool edge_call_charge(struct edge_call *call, size_t bytes)
{
    size_t before = call->kept;
    call->kept = bytes;
    if (charge(call, call->queue_cap))
        return true;
    call->kept = before;
    end_exhausted(call);
    return false;
}

SLOW_PATH static void free_metadata(struct edge_call *call)
{
    struct edge_pool *pool = call->shared->pool;
    edge_metadata_free(&call->metadata->request, pool);
    edge_metadata_free(&call->metadata->initial, pool);
    edge_metadata_free(&call->metadata->trailing, pool);
    edge_pool_release(pool, call->metadata);
    call->metadata = NULL;
}

void edge_call_free(struct edge_call *call)
{
    struct edge_pool *pool = call->shared->pool;
    if (call->method != NULL && call->method->closed != NULL)
        call->method->closed(call);
    edge_framing_free(&call->framing, pool);
    edge_pool_release(pool, call->state);
    edge_pool_release(pool, call->queue);
    edge_pool_release(pool, call->message);
    if (call->metadata != NULL)
        free_metadata(call);
    if (call->charged > 0) {
        call->budget->used -= call->charged;
        call->charged = 0;
    }
    call->method = NULL;
    call->state = NULL;
    call->queue = NULL;
    call->message = NULL;
}

static bool need_metadata(struct edge_call *call)
{
    if (call->metadata == NULL) {
        call->metadata = edge_pool_alloc(call->shared->pool, sizeof(*call->metadata));
        if (call->metadata != NULL)
            *call->metadata = (struct edge_call_metadata){.request = {.first = NULL}};
    }
    return call->metadata != NULL;
}

int edge_call_field(struct edge_call *call, const char *name, size_t name_len, const char *value,
                    size_t value_len)
{
    if (!need_metadata(call))
        return -ENOMEM;
    return edge_metadata_take(&call->metadata->request, call->shared->pool, name, name_len, value,
                              value_len);
}

void edge_call_start(struct edge_call *call, const struct edge_method *method)
{
    if (method->state_size > 0) {
        call->state = edge_pool_alloc(call->shared->pool, method->state_size);
        if (call->state != NULL)
            memset(call->state, 0, method->state_size);
    }
    if ((method->state_size > 0 && call->state == NULL) ||
        (method->metadata && !need_metadata(call))) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    call->method = method;
    if (call->gzip_replies)
        call->gzip_replies = method->compresses && call->shared->compress != NULL;
}

static void fail_framing(struct edge_call *call, int error)
{
    if (error == EDGE_ERR_LIMIT)
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED,
                      "message larger than the limit of %zu bytes", call->shared->max_message);
    else if (error == EDGE_ERR_FORMAT)
        edge_call_end(call, EDGE_STATUS_INTERNAL, "message flag is neither 0 nor 1");
    else
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
}

// A message is not whole, or never will be.
SLOW_PATH static void wait_or_fail(struct edge_call *call, int got)
{
    if (got < 0)
        fail_framing(call, got);
    else if (!charge(call, call->queue_cap))
        end_exhausted(call);
}

// Replaces a compressed message by what is in it. False: the call has ended.
SLOW_PATH static bool inflate_message(struct edge_call *call, struct edge_framing_message *message)
{
    const struct edge_call_shared *shared = call->shared;
    if (!call->gzip_requests) {
        edge_call_end(call, EDGE_STATUS_INTERNAL, "compressed message without grpc-encoding");
        return false;
    }
    int error = edge_gzip_inflate(shared->gzip, message->bytes, message->len, shared->max_message);
    if (error == 0) {
        message->len = shared->gzip->plain.len;
        message->bytes = edge_buffer_head(&shared->gzip->plain);
        return true;
    }
    if (error == EDGE_ERR_FORMAT)
        edge_call_end(call, EDGE_STATUS_INTERNAL, "the message is not valid gzip");
    else
        fail_framing(call, error);
    return false;
}

void edge_call_receive(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    const struct edge_call_shared *shared = call->shared;
    struct edge_framing_message message;
    while (!call->ended) {
        int got = edge_framing_next(&call->framing, shared->pool, shared->max_message, &bytes, &len,
                                    &message);
        if (got <= 0) {
            if (got < 0 || call->framing.cap > EDGE_LIMIT_CALL_FREE)
                wait_or_fail(call, got);
            return;
        }
        call->compressed = message.compressed;
        if (message.compressed && !inflate_message(call, &message))
            return;
        if (++call->requests > 1 && !call->method->client_streams) {
            edge_call_end(call, EDGE_STATUS_UNIMPLEMENTED, "more than one request message");
            return;
        }
        call->method->message(call, message.bytes, message.len);
    }
}

void edge_call_half_close(struct edge_call *call)
{
    call->half_closed = true;
    if (call->ended)
        return;
    if (!edge_framing_at_boundary(&call->framing)) {
        edge_call_end(call, EDGE_STATUS_INTERNAL, "the request ends inside a message");
        return;
    }
    if (call->requests == 0 && !call->method->client_streams) {
        edge_call_end(call, EDGE_STATUS_UNIMPLEMENTED, "no request message");
        return;
    }
    if (call->method->half_close != NULL)
        call->method->half_close(call);
    else
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

void edge_call_expire(struct edge_call *call)
{
    call->broken = call->head_left > 0;
    call->queue_end = call->queue_at;
    call->ended = true;
    call->status = EDGE_STATUS_DEADLINE_EXCEEDED;
    edge_pool_release(call->shared->pool, call->message);
    call->message = NULL;
    call->message_len = 0;
}

void edge_call_sleep(struct edge_call *call, uint64_t delay_ns)
{
    call->wake_ns = edge_timeout_deadline(call->shared->now_ns, delay_ns);
    call->shared->schedule(call);
}

void edge_call_tick(struct edge_call *call)
{
    call->wake_ns = EDGE_CALL_NEVER;
    if (!call->ended)
        call->method->tick(call);
}

size_t edge_call_pending(struct edge_call *call)
{
    const struct edge_method *method = call->method;
    if (!call->ended) {
        if (edge_call_produces(call) && !edge_call_full(call))
            method->produce(call);
        if (!method->server_streams && !call->ended)
            return 0;
    }
    return call->queue_end - call->queue_at;
}

void edge_call_sent(struct edge_call *call, size_t len)
{
    while (len > 0) {
        if (call->head_left == 0) {
            const uint8_t *prefix = edge_call_head(call);
            call->head_left =
                EDGE_FRAMING_PREFIX + ((size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 |
                                       (size_t)prefix[3] << 8 | prefix[4]);
        }
        size_t step = call->head_left < len ? call->head_left : len;
        call->head_left -= step;
        call->queue_at += step;
        len -= step;
    }
    if (call->queue_at == call->queue_end)
        call->queue_at = call->queue_end = 0;
}

static bool make_room(struct edge_call *call, size_t size)
{
    if (call->queue_cap - call->queue_end >= size)
        return true;
    size_t used = call->queue_end - call->queue_at;
    if (call->queue_at > 0) {
        memmove(call->queue, call->queue + call->queue_at, used);
        call->queue_at = 0;
        call->queue_end = used;
        if (call->queue_cap - used >= size)
            return true;
    }
    size_t cap = QUEUE_MIN - 16; // with the pool's own header, a whole class
    while (cap < used + size)
        cap = cap * 2 + 16;
    if (cap > EDGE_LIMIT_CALL_FREE && !charge(call, cap)) {
        end_exhausted(call);
        return false;
    }
    uint8_t *queue = edge_pool_realloc(call->shared->pool, call->queue, cap);
    if (queue == NULL)
        return false;
    call->queue = queue;
    call->queue_cap = cap;
    return true;
}

uint8_t *edge_call_reply(struct edge_call *call, size_t size)
{
    if (size > UINT32_MAX || !make_room(call, EDGE_FRAMING_PREFIX + size)) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "no memory for a reply of %zu bytes",
                      size);
        return NULL;
    }
    return call->queue + call->queue_end + EDGE_FRAMING_PREFIX;
}

// Replaces the reply behind the queue by its compressed form. Returns the new length, or 0: the
// call has ended.
SLOW_PATH static size_t deflate_reply(struct edge_call *call, size_t len)
{
    struct edge_gzip *gzip = call->shared->gzip;
    const uint8_t *reply = call->queue + call->queue_end + EDGE_FRAMING_PREFIX;
    if (call->shared->compress(gzip, reply, len) < 0) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "no memory to compress a reply");
        return 0;
    }
    uint8_t *packed = edge_call_reply(call, gzip->packed.len); // it may have grown
    if (packed == NULL)
        return 0;
    memcpy(packed, edge_buffer_head(&gzip->packed), gzip->packed.len);
    return gzip->packed.len;
}

void edge_call_reply_end(struct edge_call *call, size_t len)
{
    bool compressed = call->compress && call->gzip_replies;
    if (compressed && (len = deflate_reply(call, len)) == 0)
        return;
    edge_framing_prefix(call->queue + call->queue_end, (uint32_t)len);
    if (compressed)
        call->queue[call->queue_end] = 1;
    call->queue_end += EDGE_FRAMING_PREFIX + len;
    call->replies++;
}

static void put_metadata(struct edge_call *call, struct edge_metadata *list, const char *name,
                         const void *value, size_t len)
{
    if (edge_metadata_put(list, call->shared->pool, name, value, len) < 0)
        edge_call_end(call, EDGE_STATUS_INTERNAL, "the metadata \"%s\" cannot be sent", name);
}

void edge_call_initial(struct edge_call *call, const char *name, const void *value, size_t len)
{
    put_metadata(call, &call->metadata->initial, name, value, len);
}

void edge_call_trailing(struct edge_call *call, const char *name, const void *value, size_t len)
{
    put_metadata(call, &call->metadata->trailing, name, value, len);
}

void edge_call_end(struct edge_call *call, enum edge_status status, const char *format, ...)
{
    if (call->ended)
        return;
    call->ended = true;
    call->status = (uint8_t)status;
    if (status == EDGE_STATUS_OK)
        return;
    if (call->method == NULL || !call->method->server_streams)
        call->queue_end = call->queue_at;
    if (format == NULL)
        return;
    char text[EDGE_CALL_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len <= 0)
        return;
    if ((size_t)len >= sizeof(text))
        len = sizeof(text) - 1;
    // Without memory for the words, the status still goes out.
    call->message = edge_pool_alloc(call->shared->pool, EDGE_CALL_MESSAGE_MAX);
    if (call->message != NULL)
        call->message_len =
            (uint16_t)edge_percent_encode(text, (size_t)len, call->message, EDGE_CALL_MESSAGE_MAX);
}
