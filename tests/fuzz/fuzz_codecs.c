// The Greeter codecs: what they answer must, as a request, give the same answer again. And it is
// not much longer than the request: protobuf-c's packs into room of that size.
#include <stdlib.h>
#include <string.h>

#include "server/services.h"

static const struct edge_method *const tables[] = {edge_greeter_methods, NULL};

// One unary call. Returns the reply (free() it) or NULL if it was refused.
static uint8_t *call(const struct edge_greeter_codec *codec, const char *path, const uint8_t *bytes,
                     size_t len, size_t *reply_len)
{
    struct edge_pool pool = {0};
    struct edge_services services;
    edge_services_init(&services, tables, codec, 1 << 20);
    const struct edge_call_shared shared = {
        .pool = &pool, .max_message = 1 << 20, .context = &services};
    struct edge_call one;
    one = (struct edge_call)EDGE_CALL_INIT(&shared, NULL);
    edge_call_start(&one, edge_method_find(tables, path, strlen(path)));
    uint8_t prefix[EDGE_FRAMING_PREFIX];
    edge_framing_prefix(prefix, (uint32_t)len);
    edge_call_receive(&one, prefix, sizeof(prefix));
    edge_call_receive(&one, bytes, len);
    edge_call_half_close(&one);
    uint8_t *reply = NULL;
    size_t pending = edge_call_pending(&one);
    if (one.status == EDGE_STATUS_OK) {
        if (pending < EDGE_FRAMING_PREFIX)
            abort();
        *reply_len = pending - EDGE_FRAMING_PREFIX;
        reply = malloc(*reply_len + 1);
        if (reply == NULL)
            abort();
        memcpy(reply, edge_call_head(&one) + EDGE_FRAMING_PREFIX, *reply_len);
        if (*reply_len > 2 * len + 32)
            abort();
    } else if (pending != 0) {
        abort();
    }
    edge_call_free(&one);
    edge_services_free(&services);
    edge_pool_free(&pool);
    return reply;
}

static void check(const struct edge_greeter_codec *codec, const char *path, const uint8_t *bytes,
                  size_t len)
{
    size_t first_len = 0;
    size_t second_len = 0;
    uint8_t *first = call(codec, path, bytes, len, &first_len);
    if (first == NULL)
        return;
    uint8_t *second = call(codec, path, first, first_len, &second_len);
    if (second == NULL || first_len != second_len || memcmp(first, second, first_len) != 0)
        abort();
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char *const paths[] = {"/helloworld.Greeter/SayHello",
                                        "/hellobench.Greeter/SaySomething",
                                        "/hellobench.Greeter/SayEmpty"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        check(&edge_greeter_nanopb, paths[i], bytes, len);
        check(&edge_greeter_protobufc, paths[i], bytes, len);
    }
    return 0;
}
