// A server's work per call, without a kernel: one session of ours and one client, joined by
// buffers. Run it under callgrind, which counts what serve() executes (--toggle-collect=serve):
// `scripts/perf.sh instructions` does.
//
//   session_cost nanopb|protobuf-c CALLS
//
// The calls are SayHello of payload/complex_proto.json, 20 in flight at a time; their frames come
// in one read, as they do under load. Prints how many replies were right; exits 1 if one was not.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grpc/h2.h"
#include "server/services.h"
#include "wire/client.h"
#include "wire/hpack.h"

#define BATCH 20
#define HIGH  65536u
#define RING  64

// The request, and what its reply must be: they have the same fields.
static const char message[] = "\x0a\x4c\x0a\x06"
                              "a name"
                              "\x11\x11\xe4\xa0\x84\x99\x36\x12\x40"
                              "\x1d\xcd\x4c\x68\x43\x20\x01\x28\x20\x30\x97\x94\xe4\x9e\xf7\x0c"
                              "\x3a\x07"
                              "ofcouse"
                              "\x4a\x0f\x0a\x0b"
                              "Bof the dog"
                              "\x10\x02"
                              "\x4a\x0f\x0a\x0b"
                              "Kim the cat"
                              "\x10\x03";
#define MESSAGE_LEN (sizeof(message) - 1)

void serve(struct edge_h2_session *session, struct edge_buffer *in, struct edge_buffer *out);

struct call {
    struct edge_client_stream stream; // first
    struct edge_buffer reply;
};

struct loopback {
    struct edge_client client;
    struct edge_buffer first; // the header block of the first call: inserts its fields
    struct edge_buffer block; // of each later one: refers to them
    struct call ring[RING];
    unsigned long right;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "session_cost: %s\n", what);
    exit(1);
}

static void on_headers(void *owner, struct edge_client_stream *stream, struct edge_fields *fields,
                       bool end)
{
    struct loopback *loopback = owner;
    struct call *call = (struct call *)stream;
    if (!end)
        return;
    size_t len = 0;
    const char *status = edge_fields_find(fields, "grpc-status", &len);
    if (status != NULL && len == 1 && *status == '0' &&
        call->reply.len == EDGE_FRAMING_PREFIX + MESSAGE_LEN &&
        memcmp(edge_buffer_head(&call->reply) + EDGE_FRAMING_PREFIX, message, MESSAGE_LEN) == 0)
        loopback->right++;
    edge_buffer_consume(&call->reply, call->reply.len);
    edge_client_close(&loopback->client, stream, EDGE_H2_NO_ERROR);
}

static void on_data(void *owner, struct edge_client_stream *stream, const uint8_t *bytes,
                    size_t len, bool end)
{
    (void)owner;
    (void)end;
    if (edge_buffer_append(&((struct call *)stream)->reply, bytes, len) < 0)
        die("out of memory");
}

static void on_reset(void *owner, struct edge_client_stream *stream, uint32_t code)
{
    (void)owner;
    (void)stream;
    (void)code;
    die("a call was reset");
}

static void on_goaway(void *owner, uint32_t last, uint32_t code, const char *debug, size_t len)
{
    (void)owner;
    (void)last;
    (void)code;
    (void)debug;
    (void)len;
    die("the session ended");
}

static void on_event(void *owner)
{
    (void)owner;
}

static const struct edge_client_events events = {.headers = on_headers,
                                                 .data = on_data,
                                                 .reset = on_reset,
                                                 .goaway = on_goaway,
                                                 .settings = on_event,
                                                 .window = on_event};

static void encode_headers(struct loopback *loopback)
{
    static const char *const inserted[][2] = {{":path", "/helloworld.Greeter/SayHello"},
                                              {":authority", "127.0.0.1:50051"},
                                              {"te", "trailers"},
                                              {"content-type", "application/grpc"},
                                              {"user-agent", "bench-edge"}};
    const uint32_t count = sizeof(inserted) / sizeof(inserted[0]);
    struct edge_buffer *first = &loopback->first;
    struct edge_buffer *block = &loopback->block;
    int error = edge_hpack_encode(block, EDGE_HPACK_STATELESS, ":method", "POST", NULL);
    error |= edge_hpack_encode(block, EDGE_HPACK_STATELESS, ":scheme", "http", NULL);
    error |= edge_buffer_append(first, edge_buffer_head(block), block->len);
    for (uint32_t i = 0; i < count; i++) {
        error |= edge_hpack_encode(first, EDGE_HPACK_INSERT, inserted[i][0], inserted[i][1], NULL);
        error |= edge_hpack_encode_index(block, EDGE_HPACK_STATIC + count - i);
    }
    if (error != 0)
        die("out of memory");
}

static void start_call(struct loopback *loopback, struct edge_buffer *block,
                       struct edge_buffer *out)
{
    struct edge_client *client = &loopback->client;
    struct edge_client_stream *stream = edge_client_open(client);
    if (stream == NULL || edge_client_headers(client, stream, out, edge_buffer_head(block),
                                              (uint32_t)block->len, false) < 0)
        die("cannot start a call");
    uint8_t *at = edge_client_data(client, stream, out, EDGE_FRAMING_PREFIX + MESSAGE_LEN, true);
    if (at == NULL)
        die("out of memory");
    edge_framing_prefix(at, MESSAGE_LEN);
    memcpy(at + EDGE_FRAMING_PREFIX, message, MESSAGE_LEN);
}

// What is counted: a read, and the writing that it leads to.
__attribute__((noinline)) void serve(struct edge_h2_session *session, struct edge_buffer *in,
                                     struct edge_buffer *out)
{
    if (edge_h2_session_receive(session, edge_buffer_head(in), in->len, 1) < 0 ||
        edge_h2_session_fill(session, out, HIGH) < 0)
        die("the session failed");
    edge_buffer_consume(in, in->len);
}

static void run(struct loopback *loopback, struct edge_h2_session *session, unsigned long calls)
{
    struct edge_client *client = &loopback->client;
    struct edge_buffer in = {0};
    struct edge_buffer out = {0};
    unsigned long started = 0;
    while (started < calls || client->in_flight > 0) {
        for (int i = 0; i < BATCH && started < calls && edge_client_can_open(client); i++) {
            start_call(loopback, started == 0 ? &loopback->first : &loopback->block, &in);
            started++;
        }
        if (edge_client_flush(client, &in) < 0)
            die("out of memory");
        serve(session, &in, &out);
        if (edge_client_receive(client, edge_buffer_head(&out), out.len) < 0)
            die("the client does not understand the session");
        edge_buffer_consume(&out, out.len);
    }
    edge_buffer_free(&in);
    edge_buffer_free(&out);
}

static const struct edge_greeter_codec *find_codec(const char *name)
{
    const struct edge_greeter_codec *const codecs[] = {&edge_greeter_nanopb,
                                                       &edge_greeter_protobufc};
    for (size_t i = 0; i < 2; i++)
        if (strcmp(codecs[i]->name, name) == 0)
            return codecs[i];
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct edge_method *const tables[] = {edge_greeter_methods, NULL};
    const struct edge_greeter_codec *codec = argc == 3 ? find_codec(argv[1]) : NULL;
    unsigned long calls = codec == NULL ? 0 : strtoul(argv[2], NULL, 10);
    if (calls == 0) {
        fprintf(stderr, "usage: session_cost nanopb|protobuf-c CALLS\n");
        return 2;
    }
    struct edge_pool pool = {0};
    struct edge_services services;
    edge_services_init(&services, tables, codec, (size_t)16 << 20);
    const struct edge_h2_config config = {.tables = tables, .context = &services, .pool = &pool};
    struct edge_h2 *h2;
    struct edge_h2_session *session;
    static struct loopback loopback;
    const struct edge_client_config client = {.events = &events,
                                              .owner = &loopback,
                                              .streams = loopback.ring,
                                              .stream_size = sizeof(struct call),
                                              .stream_count = RING};
    if (edge_h2_new(&config, &h2) < 0 || edge_h2_session_new(h2, 0, &session) < 0 ||
        edge_client_init(&loopback.client, &client) < 0)
        die("out of memory");
    encode_headers(&loopback);
    run(&loopback, session, calls);
    printf("%lu\n", loopback.right);
    for (int i = 0; i < RING; i++)
        edge_buffer_free(&loopback.ring[i].reply);
    edge_buffer_free(&loopback.first);
    edge_buffer_free(&loopback.block);
    edge_client_free(&loopback.client);
    edge_h2_session_del(session);
    edge_h2_del(h2);
    edge_services_free(&services);
    edge_pool_free(&pool);
    return loopback.right == calls ? 0 : 1;
}
