// A whole server session, services and codec included, fed with what a client might send.
//
// The first byte: bit 0 the codec, bit 1 puts the preface and an empty SETTINGS in front, bit 2 a
// graceful shutdown half-way, bits 3 to 7 how the rest is cut into reads.
#include <stdlib.h>

#include "grpc/h2.h"
#include "server/services.h"

static const struct edge_method *const tables[] = {edge_greeter_methods, edge_health_methods,
                                                   edge_reflection_methods, NULL};
static const uint8_t opening[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";

#define HIGH      16384u // of a fill
#define FILLS_MAX 64     // a client may ask for more replies than a fuzzer has time for
#define STEP_NS   1000u  // between reads
#define LONG_NS   UINT64_C(100000000000)

struct server {
    struct edge_pool pool;
    struct edge_services services;
    struct edge_h2_session *session;
    struct edge_buffer out;
    uint64_t now_ns;
};

static void check_frames(const struct edge_buffer *out)
{
    const uint8_t *at = out->data + out->start;
    size_t left = out->len;
    while (left > 0) {
        size_t len = left < 9 ? left : 9 + ((size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2]);
        if (left < 9 || len > left)
            abort();
        at += len;
        left -= len;
    }
}

static int feed(struct server *server, const uint8_t *bytes, size_t len)
{
    server->now_ns += STEP_NS;
    int error = edge_h2_session_receive(server->session, bytes, len, server->now_ns);
    if (edge_h2_session_due(server->session) <= server->now_ns)
        edge_h2_session_tick(server->session, server->now_ns);
    edge_h2_session_sweep(server->session, server->now_ns);
    for (int i = 0; i < FILLS_MAX; i++) {
        server->out.start = server->out.len = 0;
        if (edge_h2_session_fill(server->session, &server->out, HIGH) < 0)
            return -1;
        check_frames(&server->out);
        if (server->out.len == 0)
            break;
    }
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    const uint8_t choice = *bytes++;
    len--;
    struct server server = {.now_ns = 1};
    edge_services_init(&server.services, tables,
                       (choice & 1) != 0 ? &edge_greeter_nanopb : &edge_greeter_protobufc, 1 << 16);
    const struct edge_h2_config config = {.tables = tables,
                                          .context = &server.services,
                                          .pool = &server.pool,
                                          .max_message = 1 << 14,
                                          .max_streams = 10};
    struct edge_h2 *h2;
    if (edge_h2_new(&config, &h2) < 0 ||
        edge_h2_session_new(h2, server.now_ns, &server.session) < 0)
        abort();
    int error = 0;
    if ((choice & 2) != 0)
        error = feed(&server, opening, sizeof(opening)); // its NUL is the last byte of SETTINGS
    const size_t piece = choice < 8 ? len : choice >> 3;
    const size_t half = len / 2;
    for (size_t at = 0; error == 0 && at < len; at += piece) {
        if ((choice & 4) != 0 && at >= half) {
            edge_health_shutdown(&server.services.health);
            edge_h2_session_shutdown(server.session, server.now_ns);
        }
        error = feed(&server, bytes + at, len - at < piece ? len - at : piece);
    }
    for (int i = 0; error == 0 && i < 2; i++) { // what is not whole by now is late, and later ended
        server.now_ns += LONG_NS;
        error = feed(&server, bytes, 0);
    }
    edge_h2_session_shutdown_now(server.session);
    feed(&server, bytes, 0);
    edge_h2_session_del(server.session);
    edge_h2_del(h2);
    edge_services_free(&server.services);
    edge_buffer_free(&server.out);
    edge_pool_free(&server.pool);
    return 0;
}
