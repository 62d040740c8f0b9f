// A server's connection when memory runs out: calls of every kind, both codecs.
#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "fault.h"
#include "grpc/h2.h"
#include "raw/raw.h"
#include "server/services.h"

static const struct edge_method *const tables[] = {edge_greeter_methods, edge_health_methods,
                                                   edge_reflection_methods, NULL};
static const struct edge_greeter_codec *codec;
static struct raw client; // its bytes are made before memory runs out
static size_t sent;       // by the latest run

// raw_hello as gzip makes it, behind its prefix with the compressed flag.
static const uint8_t zipped[] = {1,    0,    0,    0,    27,   0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00,
                                 0x00, 0x00, 0x02, 0x03, 0xe3, 0x62, 0xe5, 0x62, 0x2e, 0x4a, 0x2c,
                                 0x07, 0x00, 0x8b, 0xa4, 0x26, 0xd4, 0x07, 0x00, 0x00, 0x00};
static const char list_services[] = {0x3a, 0}; // ServerReflectionRequest

static void queue_calls(void)
{
    static uint8_t large[40000] = {0x0a, 0xbc, 0xb8, 2, 0x0a, 0xb8, 0xb8, 2};
    memset(large + 8, 'n', sizeof(large) - 8);
    raw_put(&client, EDGE_PREFACE, EDGE_PREFACE_LEN);
    raw_setting(&client, EDGE_SETTING_INITIAL_WINDOW_SIZE, EDGE_WINDOW_MAX);
    raw_window(&client, 0, EDGE_WINDOW_MAX - EDGE_WINDOW_DEFAULT);
    raw_call(&client, 1, "grpc-timeout: 10S\nx-more: metadata");
    raw_call(&client, 3, RAW_MANY);
    raw_call(&client, 5, ":path: /helloworld.Greeter/SayHelloCS");
    raw_request(&client, 7, 0, ":path: /helloworld.Greeter/SayHelloBidi");
    raw_message(&client, 7, 0, raw_hello, sizeof(raw_hello));
    raw_call(&client, 9, ":path: /nope.Nope/Nope");
    raw_call(&client, 11, "grpc-encoding: foo");
    raw_request(&client, 13, 0, NULL);
    for (size_t at = 0; at < sizeof(large); at += 8000) {
        static uint8_t piece[5 + 8000];
        size_t prefix = at == 0 ? 5 : 0;
        edge_put_u32(piece + 1, sizeof(large));
        memcpy(piece + prefix, large + at, 8000);
        raw_frame(&client, EDGE_FRAME_DATA, at + 8000 == sizeof(large) ? EDGE_FLAG_END_STREAM : 0,
                  13, piece, prefix + 8000);
    }
    raw_request(&client, 15, 0, ":path: /grpc.health.v1.Health/Watch");
    raw_message(&client, 15, EDGE_FLAG_END_STREAM, "", 0);
    raw_request(&client, 17, 0, ":path: /grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    raw_message(&client, 17, EDGE_FLAG_END_STREAM, list_services, sizeof(list_services));
    raw_request(&client, 19, 0,
                "grpc-encoding: gzip\ngrpc-accept-encoding: gzip\nx-data-bin: AAEC");
    raw_frame(&client, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 19, zipped, sizeof(zipped));
    raw_reset(&client, 7, EDGE_H2_CANCEL);
    raw_ping(&client);
}

// Every frame that leaves is whole, whatever failed.
static void assert_frames(struct edge_buffer *out)
{
    const uint8_t *at = edge_buffer_head(out);
    size_t left = out->len;
    while (left > 0) {
        size_t len =
            left < EDGE_FRAME_HEADER ? left + 1 : EDGE_FRAME_HEADER + edge_frame_read(at).len;
        assert_true(len <= left);
        at += len;
        left -= len;
    }
}

static int fill_all(struct edge_h2_session *session, struct edge_buffer *out)
{
    do {
        out->start = out->len = 0;
        int error = edge_h2_session_fill(session, out, 16384);
        assert_frames(out);
        sent += out->len;
        if (error < 0)
            return error;
    } while (out->len > 0);
    return 0;
}

static int serve(struct edge_h2 *h2, struct edge_buffer *out)
{
    struct edge_h2_session *session;
    int error = edge_h2_session_new(h2, 1, &session);
    if (error < 0)
        return error;
    const uint8_t *bytes = edge_buffer_head(&client.out);
    for (size_t at = 0; error == 0 && at < client.out.len; at += 1000) {
        size_t take = client.out.len - at < 1000 ? client.out.len - at : 1000;
        error = edge_h2_session_receive(session, bytes + at, take, 1 + at);
        int failed = fill_all(session, out);
        error = error < 0 ? error : failed;
    }
    edge_h2_session_tick(session, EDGE_NS_PER_S);
    edge_h2_session_sweep(session, 3600 * EDGE_NS_PER_S);
    edge_h2_session_shutdown(session, 3600 * EDGE_NS_PER_S);
    edge_h2_session_shutdown_now(session);
    int failed = fill_all(session, out);
    edge_h2_session_del(session);
    return error < 0 ? error : failed;
}

static int session_path(void)
{
    struct edge_services services;
    struct edge_pool pool = {0};
    struct edge_buffer out = {0};
    edge_services_init(&services, tables, codec, 1 << 20);
    const struct edge_h2_config config = {.tables = tables, .context = &services, .pool = &pool};
    struct edge_h2 *h2;
    int error = edge_h2_new(&config, &h2);
    sent = 0;
    if (error == 0) {
        error = serve(h2, &out);
        edge_h2_del(h2);
    }
    edge_services_free(&services);
    edge_buffer_free(&out);
    edge_pool_free(&pool);
    return error;
}

static void nanopb(void **state)
{
    (void)state;
    codec = &edge_greeter_nanopb;
    fault_each_allocation(session_path, 1000);
    assert_true(sent > 40000); // the long message came back
}

static void protobufc(void **state)
{
    (void)state;
    codec = &edge_greeter_protobufc;
    fault_each_allocation(session_path, 1000);
    assert_true(sent > 40000); // the long message came back
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nanopb), cmocka_unit_test(protobufc)};
    queue_calls();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    raw_free(&client);
    return failed;
}
