#include "service.h"

#include <string.h>

#include "base/clock.h"
#include "codec.h"
#include "server/services.h"

#define INITIAL  "x-grpc-test-echo-initial"
#define TRAILING "x-grpc-test-echo-trailing-bin"

static struct edge_arena *empty_arena(struct edge_call *call)
{
    struct edge_services *services = call->shared->context;
    edge_arena_reset(&services->arena);
    return &services->arena;
}

// --- What requests have in common ---

// The metadata that the client wants to see again.
static void echo_metadata(struct edge_call *call)
{
    const struct edge_metadata *sent = &call->metadata->request;
    const struct edge_metadata_entry *entry = edge_metadata_find(sent, NULL, INITIAL);
    if (entry != NULL)
        edge_call_initial(call, INITIAL, entry->value, entry->value_len);
    entry = edge_metadata_find(sent, NULL, TRAILING);
    if (entry != NULL)
        edge_call_trailing(call, TRAILING, entry->value, entry->value_len);
}

// Decodes a request and does what it says of itself. False: the call has ended.
static bool take_request(struct edge_call *call, edge_interop_decode *decode, const uint8_t *bytes,
                         size_t len, struct edge_interop_request *request)
{
    *request = (struct edge_interop_request){.status = 0};
    if (call->requests == 1)
        echo_metadata(call);
    if (!decode(call, empty_arena(call), bytes, len, request))
        return false;
    if (request->expect_compressed != EDGE_INTEROP_UNSAID &&
        (request->expect_compressed == EDGE_INTEROP_YES) != call->compressed) {
        edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT, "the request is%s compressed",
                      call->compressed ? "" : " not");
        return false;
    }
    if (request->response_type != 0) {
        edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT, "unknown response_type %d",
                      (int)request->response_type);
        return false;
    }
    if (request->status != 0) {
        bool known = request->status > 0 && request->status < EDGE_STATUS_CODES;
        edge_call_end(call, known ? (enum edge_status)request->status : EDGE_STATUS_UNKNOWN, "%.*s",
                      (int)request->status_text_len, request->status_text);
        return false;
    }
    return true;
}

static void send_reply(struct edge_call *call, edge_interop_encode *encode,
                       const struct edge_interop_reply *reply)
{
    if (reply->size < 0) {
        edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT, "a size of %d: expected 0 or more",
                      (int)reply->size);
        return;
    }
    call->compress = reply->compressed == EDGE_INTEROP_YES;
    encode(call, empty_arena(call), (size_t)reply->size);
}

// --- One reply ---

static void empty_call(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_interop_request request;
    if (take_request(call, edge_interop_codec.empty, bytes, len, &request))
        edge_interop_codec.reply_empty(call, empty_arena(call), 0);
}

static void unary_call(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_interop_request request;
    if (take_request(call, edge_interop_codec.simple, bytes, len, &request))
        send_reply(call, edge_interop_codec.reply_simple, &request.replies[0]);
}

static void streaming_input_call(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_interop_request request;
    size_t *sum = call->state;
    if (take_request(call, edge_interop_codec.streaming_input, bytes, len, &request))
        *sum += request.payload_len;
}

static void streaming_input_end(struct edge_call *call)
{
    const size_t *sum = call->state;
    edge_interop_codec.reply_aggregated(call, empty_arena(call), *sum);
    edge_call_end(call, EDGE_STATUS_OK, NULL);
}

// --- Replies that were asked for ---

struct plan {
    struct edge_interop_reply *replies; // from the call's pool: [at, end) are to come
    size_t at, end, cap;
    uint64_t due_ns; // of the next; 0: not known yet
};

static bool plan_replies(struct edge_call *call, const struct edge_interop_request *request)
{
    struct plan *plan = call->state;
    size_t end = plan->end + request->reply_count;
    if (end > plan->cap) {
        size_t cap = end * 2;
        void *grown =
            edge_pool_realloc(call->shared->pool, plan->replies, cap * sizeof(*plan->replies));
        if (grown == NULL) {
            edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
            return false;
        }
        plan->replies = grown;
        plan->cap = cap;
    }
    if (request->reply_count > 0)
        memcpy(plan->replies + plan->end, request->replies,
               request->reply_count * sizeof(*plan->replies));
    plan->end = end;
    return true;
}

static void forget_plan(struct edge_call *call)
{
    struct plan *plan = call->state;
    edge_pool_release(call->shared->pool, plan->replies);
    plan->replies = NULL;
}

// The pause before the next reply is over. If not, the call sleeps until it is.
static bool is_due(struct edge_call *call, struct plan *plan)
{
    uint64_t now_ns = call->shared->now_ns;
    int32_t interval_us = plan->replies[plan->at].interval_us;
    if (plan->due_ns == 0 && interval_us > 0)
        plan->due_ns = now_ns + (uint64_t)interval_us * EDGE_NS_PER_US;
    if (plan->due_ns > now_ns) {
        edge_call_sleep(call, plan->due_ns - now_ns);
        return false;
    }
    plan->due_ns = 0;
    return true;
}

// Sends what is due and has room. Nobody asks for more before the client's end, so until then there
// is room.
static void produce(struct edge_call *call)
{
    struct plan *plan = call->state;
    while (plan->at < plan->end && !call->ended && !(call->half_closed && edge_call_full(call))) {
        if (!is_due(call, plan))
            return;
        send_reply(call, edge_interop_codec.reply_output, &plan->replies[plan->at++]);
    }
    if (plan->at < plan->end)
        return;
    plan->at = plan->end = 0;
    if (call->half_closed)
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void take_output_request(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_interop_request request;
    if (take_request(call, edge_interop_codec.streaming_output, bytes, len, &request))
        plan_replies(call, &request);
}

static void full_duplex_call(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    take_output_request(call, bytes, len);
    if (!call->ended)
        produce(call);
}

// --- HTTP/2 alone ---

#define PAGE_SIZE     1000
#define PAGE_DELAY_NS (50 * EDGE_NS_PER_MS)

// h2spec wants a page that answers any request with some DATA; not at once, so that what it sends
// after a request meets a stream that is still there.
static void page(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    (void)call;
    (void)bytes;
    (void)len;
}

static void page_end(struct edge_call *call)
{
    edge_call_sleep(call, PAGE_DELAY_NS);
}

static void page_reply(struct edge_call *call)
{
    const struct edge_interop_reply reply = {.size = PAGE_SIZE};
    send_reply(call, edge_interop_codec.reply_output, &reply);
    edge_call_end(call, EDGE_STATUS_OK, NULL);
}

#define ROW(method)                                                                                \
    .path = "/grpc.testing.TestService/" method, .compresses = true, .metadata = true

const struct edge_method edge_interop_methods[] = {
    {ROW("EmptyCall"), .message = empty_call},
    {ROW("UnaryCall"), .message = unary_call},
    {ROW("StreamingInputCall"), .client_streams = true, .state_size = sizeof(size_t),
     .message = streaming_input_call, .half_close = streaming_input_end},
    {ROW("StreamingOutputCall"), .server_streams = true, .state_size = sizeof(struct plan),
     .message = take_output_request, .half_close = produce, .produce = produce, .tick = produce,
     .closed = forget_plan},
    {ROW("FullDuplexCall"), .client_streams = true, .server_streams = true,
     .state_size = sizeof(struct plan), .message = full_duplex_call, .half_close = produce,
     .produce = produce, .tick = produce, .closed = forget_plan},
    {ROW("HalfDuplexCall"), .client_streams = true, .server_streams = true,
     .state_size = sizeof(struct plan), .message = take_output_request, .half_close = produce,
     .produce = produce, .tick = produce, .closed = forget_plan},
    {.path = EDGE_INTEROP_PAGE,
     .client_streams = true,
     .server_streams = true,
     .any_request = true,
     .message = page,
     .half_close = page_end,
     .tick = page_reply},
    {.path = NULL},
};
