// delay_server: answers gRPC calls of an echo service rightly, after a known time; a generator's
// percentiles can be held against it. One call at a time per connection.
//
//   delay_server --port N --delay TIME [--slow TIME --slow-every N]
//
// When it is told to end (SIGTERM) it prints how long each call really took here, in ns, one a
// line.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/option.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/socket.h"
#include "server/null/null.h"

struct config {
    uint64_t port, delay, slow, slow_every;
};

static const struct edge_option options[] = {
    {EDGE_OPT_COUNT(struct config, port), .name = "port", .argument = "N", .fallback = "0",
     .max = 65535, .help = "TCP port on 127.0.0.1; 0 takes a free one, which is printed."},
    {EDGE_OPT_DURATION(struct config, delay), .name = "delay", .argument = "TIME",
     .fallback = "5ms", .help = "Of a call."},
    {EDGE_OPT_DURATION(struct config, slow), .name = "slow", .argument = "TIME", .fallback = "0s",
     .help = "Of a slow call."},
    {EDGE_OPT_COUNT(struct config, slow_every), .name = "slow-every", .argument = "N",
     .fallback = "0", .help = "Each so manieth call is slow; 0: none."},
    {.name = NULL},
};

static const struct edge_command command = {
    .name = "delay_server",
    .operands = "",
    .summary = "A test fixture: answers gRPC calls after a known time.",
    .options = options,
};

struct server {
    struct config config;
    struct edge_loop loop;
    struct edge_io io;
    struct edge_watch listener, end;
    uint64_t calls;
    uint64_t *took_ns;
    size_t took_count, took_cap;
};

struct session {
    struct edge_connection connection; // must be first
    struct server *server;
    struct edge_null null;
    struct edge_buffer replies;
    struct edge_timer timer;
    uint64_t since_ns; // when the call being held arrived; 0: none is
    uint32_t stream;   // the last one seen
};

static void note(struct server *server, uint64_t ns)
{
    if (server->took_count == server->took_cap) {
        server->took_cap = server->took_cap > 0 ? server->took_cap * 2 : 1024;
        server->took_ns = realloc(server->took_ns, server->took_cap * sizeof(*server->took_ns));
        if (server->took_ns == NULL)
            abort();
    }
    server->took_ns[server->took_count++] = ns;
}

static uint64_t next_delay(struct server *server)
{
    const struct config *config = &server->config;
    server->calls++;
    return config->slow_every > 0 && server->calls % config->slow_every == 0 ? config->slow
                                                                             : config->delay;
}

static int receive(void *self, const uint8_t *bytes, size_t len)
{
    struct session *session = self;
    int error = edge_null_receive(&session->null, bytes, len, &session->replies);
    if (error == 0 && session->null.last_stream != session->stream) {
        session->stream = session->null.last_stream;
        session->since_ns = edge_clock_ns();
        error = edge_timer_start(&session->server->loop, &session->timer,
                                 session->since_ns + next_delay(session->server));
    }
    return error;
}

static int fill(void *self, struct edge_buffer *out, size_t high)
{
    struct session *session = self;
    (void)high;
    if (session->since_ns > 0 || session->replies.len == 0)
        return 0;
    int error = edge_buffer_append(out, edge_buffer_head(&session->replies), session->replies.len);
    edge_buffer_consume(&session->replies, session->replies.len);
    return error;
}

static void on_timer(struct edge_timer *timer)
{
    struct session *session =
        (struct session *)(void *)((char *)timer - offsetof(struct session, timer));
    note(session->server, edge_clock_ns() - session->since_ns);
    session->since_ns = 0;
    edge_connection_flush(&session->connection);
}

static bool finished(void *self)
{
    (void)self;
    return false;
}

static void closed(void *self, int reason)
{
    struct session *session = self;
    (void)reason;
    edge_timer_stop(&session->server->loop, &session->timer);
    edge_buffer_free(&session->replies);
    free(session);
}

static const struct edge_protocol protocol = {receive, fill, finished, closed};

static void on_accept(struct edge_watch *watch, uint32_t events)
{
    struct server *server =
        (struct server *)(void *)((char *)watch - offsetof(struct server, listener));
    (void)events;
    int fd;
    while ((fd = edge_socket_accept(watch->fd)) >= 0) {
        struct session *session = calloc(1, sizeof(*session));
        if (session == NULL)
            abort();
        session->server = server;
        session->timer.fire = on_timer;
        if (edge_connection_open(&session->connection, &server->io, fd, false, &protocol, session) <
            0)
            abort();
    }
}

static void on_end(struct edge_watch *watch, uint32_t events)
{
    struct server *server = (struct server *)(void *)((char *)watch - offsetof(struct server, end));
    (void)events;
    edge_loop_stop(&server->loop);
}

static int watch_signals(struct server *server)
{
    int fd = edge_loop_open_signals();
    server->end = (struct edge_watch){.fd = fd, .events = EPOLLIN, .ready = on_end};
    return fd < 0 ? fd : edge_loop_add(&server->loop, &server->end);
}

static int serve(struct server *server, struct edge_message *message)
{
    struct edge_address address;
    int error = edge_address_numeric("127.0.0.1", (uint16_t)server->config.port, &address, message);
    if (error < 0)
        return error;
    int fd = edge_socket_listen(&address, message);
    if (fd < 0)
        return fd;
    server->listener = (struct edge_watch){.fd = fd, .events = EPOLLIN, .ready = on_accept};
    if (edge_loop_init(&server->loop) < 0 || edge_io_init(&server->io, &server->loop, 65536) < 0 ||
        edge_loop_add(&server->loop, &server->listener) < 0 || watch_signals(server) < 0)
        return edge_fail(message, EDGE_ERR_FAILED, "the event loop cannot be set up");
    fprintf(stderr, "delay_server listening on %s\n", address.text);
    return edge_loop_run(&server->loop);
}

int main(int argc, char **argv)
{
    static struct server server;
    struct edge_message message;
    int operands = 0;
    edge_options_defaults(&command, &server.config);
    int got = edge_options_argv(&command, &server.config, argc, argv, &operands, &message);
    if (got != EDGE_ARGV_GO) {
        fprintf(stderr, "delay_server: %s\n", got < 0 ? message.text : "see the source");
        return EDGE_EXIT_USAGE;
    }
    if (serve(&server, &message) < 0) {
        fprintf(stderr, "delay_server: %s\n", message.text);
        return EDGE_EXIT_FAILED;
    }
    for (size_t i = 0; i < server.took_count; i++)
        printf("%" PRIu64 "\n", server.took_ns[i]);
    free(server.took_ns);
    return fflush(stdout) == 0 ? EDGE_EXIT_OK : EDGE_EXIT_FAILED;
}
