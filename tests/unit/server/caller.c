#include "server/caller.h"

#include "cmocka_headers.h"

#include <string.h>

static const struct edge_method *const tables[] = {edge_greeter_methods, edge_health_methods,
                                                   edge_reflection_methods, NULL};

static void wake(struct edge_call *call)
{
    struct caller *caller = (struct caller *)(void *)((char *)call - offsetof(struct caller, call));
    caller->wakes++;
}

void caller_open(struct caller *caller, const struct edge_greeter_codec *codec)
{
    *caller = (struct caller){.wakes = 0};
    edge_services_init(&caller->services, tables, codec, 1 << 20);
    caller->shared = (struct edge_call_shared){
        .pool = &caller->pool, .max_message = 1 << 20, .context = &caller->services, .wake = wake};
}

void caller_close(struct caller *caller)
{
    edge_services_free(&caller->services);
    edge_pool_free(&caller->pool);
}

void caller_start(struct caller *caller, const char *path)
{
    const struct edge_method *method = edge_method_find(tables, path, strlen(path));
    assert_non_null(method);
    caller->call = (struct edge_call)EDGE_CALL_INIT(&caller->shared, NULL);
    edge_call_start(&caller->call, method);
}

void caller_send(struct caller *caller, const void *bytes, size_t len)
{
    uint8_t prefix[EDGE_FRAMING_PREFIX];
    edge_framing_prefix(prefix, (uint32_t)len);
    edge_call_receive(&caller->call, prefix, sizeof(prefix));
    edge_call_receive(&caller->call, bytes, len);
}

void caller_end(struct caller *caller)
{
    edge_call_half_close(&caller->call);
}

const uint8_t *caller_reply(struct caller *caller, size_t *len)
{
    struct edge_call *call = &caller->call;
    if (edge_call_pending(call) == 0)
        return NULL;
    const uint8_t *head = edge_call_head(call);
    assert_int_equal(head[0], 0);
    *len = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    assert_true(edge_call_pending(call) >= EDGE_FRAMING_PREFIX + *len);
    head = edge_call_head(call);
    edge_call_sent(call, EDGE_FRAMING_PREFIX + *len); // the bytes stay where they are
    return head + EDGE_FRAMING_PREFIX;
}

void caller_done(struct caller *caller)
{
    edge_call_free(&caller->call);
}

int caller_unary(struct caller *caller, const char *path, const void *bytes, size_t len,
                 void *reply, size_t cap)
{
    caller_start(caller, path);
    caller_send(caller, bytes, len);
    caller_end(caller);
    assert_true(caller->call.ended);
    int result = -(int)caller->call.status;
    if (result == 0) {
        size_t reply_len = 0;
        const uint8_t *got = caller_reply(caller, &reply_len);
        assert_non_null(got);
        assert_true(reply_len <= cap);
        memcpy(reply, got, reply_len);
        result = (int)reply_len;
    }
    assert_int_equal(edge_call_pending(&caller->call), 0);
    caller_done(caller);
    return result;
}
