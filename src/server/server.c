#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "grpc/h2.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/socket.h"
#include "net/tls.h"
#include "server/health.h"
#include "server/limits.h"

#define IO_BYTES 65536u

struct client;

struct server {
    const struct edge_server_config *config;
    struct edge_loop loop;
    struct edge_io io;
    struct edge_pool pool;
    struct edge_services services;
    const struct edge_method *tables[6]; // ends with NULL
    struct edge_h2 *h2;
    struct edge_tls *tls; // NULL: in the clear
    struct edge_watch listener;
    struct edge_watch signals;
    struct edge_timer accept_timer; // runs while the kernel has no memory for connections
    struct edge_watch sweeper;      // a timer of the kernel: one of the loop would cost each turn
    struct edge_timer drain_timer;
    struct client *clients;
    uint64_t client_count;
    int spare_fd;           // given up for a moment when there are no others
    uint64_t memory_due_ns; // when memory_short is looked at again
    bool memory_short;
    bool draining;
    struct edge_message failure; // why the loop was stopped, if not by a signal
};

struct client {
    struct edge_connection connection;
    struct edge_h2_session *session;
    struct edge_timer deadline_timer; // due at or before the session's next deadline
    size_t tls_bytes;                 // charged to the pool
    struct server *server;
    struct client *next;
    struct client **link; // what points here
};

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

// --- One client ---

static void watch_deadline(struct client *client)
{
    uint64_t due_ns = edge_h2_session_due(client->session);
    struct edge_timer *timer = &client->deadline_timer;
    if (due_ns == EDGE_H2_NEVER || (timer->heap_index != 0 && timer->due_ns <= due_ns))
        return;
    // Without memory for it the calls only lose their deadline.
    edge_timer_start(&client->server->loop, timer, due_ns);
}

static void on_deadline(struct edge_timer *timer)
{
    struct client *client = OWNER(timer, struct client, deadline_timer);
    edge_h2_session_tick(client->session, client->server->loop.now_ns);
    watch_deadline(client);
    edge_connection_flush(&client->connection);
}

static int client_receive(void *self, const uint8_t *bytes, size_t len)
{
    struct client *client = self;
    int error = edge_h2_session_receive(client->session, bytes, len, client->server->loop.now_ns);
    watch_deadline(client);
    return error;
}

static int client_fill(void *self, struct edge_buffer *out, size_t high)
{
    struct client *client = self;
    return edge_h2_session_fill(client->session, out, high);
}

static bool client_finished(void *self)
{
    struct client *client = self;
    return edge_h2_session_finished(client->session);
}

static void client_del(struct client *client)
{
    struct edge_pool *pool = &client->server->pool;
    edge_timer_stop(&client->server->loop, &client->deadline_timer);
    edge_h2_session_del(client->session);
    edge_pool_uncharge(pool, client->tls_bytes);
    edge_pool_release(pool, client);
}

static void client_closed(void *self, int reason)
{
    struct client *client = self;
    struct server *server = client->server;
    (void)reason; // a client that leaves is no event
    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    server->client_count--;
    client_del(client);
    if (server->draining && server->clients == NULL)
        edge_loop_stop(&server->loop);
}

static const struct edge_protocol client_protocol = {
    .receive = client_receive,
    .fill = client_fill,
    .finished = client_finished,
    .closed = client_closed,
};

// Sends what the session has to say at its end. In a handshake nothing can be said yet.
static void client_end(struct client *client)
{
    if (client->connection.handshaking)
        edge_connection_close(&client->connection, EDGE_OK);
    else
        edge_connection_flush(&client->connection);
}

// --- Memory ---

// What lies unused in the pool is counted, and given back where it can be, now and then.
static bool is_short_of_memory(struct server *server)
{
    struct edge_pool *pool = &server->pool;
    const size_t full = EDGE_LIMIT_POOL_FULL(pool->limit);
    if (pool->system_bytes <= full)
        return false;
    if (server->loop.now_ns >= server->memory_due_ns) {
        server->memory_due_ns = server->loop.now_ns + EDGE_NS_PER_S;
        const size_t spare = edge_pool_trim(pool);
        server->memory_short = pool->system_bytes - spare > full;
    }
    return server->memory_short;
}

// --- The limits that are times ---

static void sweep(struct client *client, uint64_t now_ns)
{
    if (edge_connection_stalled(&client->connection, now_ns, EDGE_LIMIT_WRITE_NS))
        edge_connection_close(&client->connection, -ETIMEDOUT);
    else if (edge_h2_session_sweep(client->session, now_ns))
        client_end(client);
}

// Has the sweeper run while there are clients.
static void set_sweeper(struct server *server)
{
    struct itimerspec period = {.it_value = {0, 0}};
    if (server->clients != NULL)
        period.it_value.tv_sec = period.it_interval.tv_sec = EDGE_LIMIT_SWEEP_S;
    timerfd_settime(server->sweeper.fd, 0, &period, NULL);
}

__attribute__((cold)) static void on_sweeper(struct edge_watch *watch, uint32_t events)
{
    struct server *server = OWNER(watch, struct server, sweeper);
    const uint64_t now_ns = server->loop.now_ns;
    uint64_t times;
    struct client *next;
    (void)events;
    if (read(watch->fd, &times, sizeof(times)) < 0)
        return;
    for (struct client *client = server->clients; client != NULL; client = next) {
        next = client->next;
        sweep(client, now_ns);
    }
    (void)is_short_of_memory(server); // those that are here need what others have left
    if (server->clients == NULL)
        set_sweeper(server);
}

// --- Taking clients ---

static int add_tls(struct client *client)
{
    struct server *server = client->server;
    const size_t bytes = edge_tls_session_bytes();
    if (!edge_pool_charge(&server->pool, bytes))
        return -ENOMEM;
    client->tls_bytes = bytes;
    return edge_tls_session_new(server->tls, &client->connection.transport);
}

// Takes the connection `fd`. 0 or a negated errno: it is closed.
static int client_new(struct server *server, int fd)
{
    if (server->client_count >= server->config->max_connections || is_short_of_memory(server)) {
        close(fd);
        return -ENOMEM;
    }
    // Without it a peer that is gone keeps its connection until TCP gives up, a quarter of an hour.
    edge_socket_user_timeout(fd, server->config->keepalive_timeout_ns);
    struct client *client = edge_pool_alloc(&server->pool, sizeof(*client));
    if (client == NULL) {
        close(fd);
        return -ENOMEM;
    }
    *client = (struct client){.server = server, .deadline_timer = {.fire = on_deadline}};
    int error = edge_h2_session_new(server->h2, server->loop.now_ns, &client->session);
    if (error == 0 && server->tls != NULL)
        error = add_tls(client);
    if (error < 0)
        close(fd);
    else
        error = edge_connection_open(&client->connection, &server->io, fd, false, &client_protocol,
                                     client);
    if (error < 0) {
        client_del(client);
        return error;
    }
    client->next = server->clients;
    client->link = &server->clients;
    if (client->next != NULL)
        client->next->link = &client->next;
    server->clients = client;
    server->client_count++;
    if (server->client_count == 1)
        set_sweeper(server);
    edge_connection_flush(&client->connection);
    return 0;
}

// --- The server ---

static void stop(struct server *server, const char *what, int error)
{
    edge_fail(&server->failure, error, "%s: %s", what, edge_error_text(error));
    edge_loop_stop(&server->loop);
}

static int open_spare(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_accept_timer(struct edge_timer *timer)
{
    struct server *server = OWNER(timer, struct server, accept_timer);
    if (server->spare_fd < 0)
        server->spare_fd = open_spare();
    if (!server->draining)
        edge_loop_modify(&server->loop, &server->listener, EPOLLIN);
}

// Without a file descriptor for it, a client that waits would wait for good, and wake us without an
// end: the spare one is enough to tell it.
static int refuse_one(struct server *server)
{
    close(server->spare_fd);
    int fd = edge_socket_accept(server->listener.fd);
    if (fd >= 0)
        close(fd);
    server->spare_fd = open_spare();
    return fd < 0 ? fd : 0;
}

// Leaves those that wait in the backlog for a moment.
static void pause_accepting(struct server *server)
{
    int error = edge_timer_start(&server->loop, &server->accept_timer,
                                 server->loop.now_ns + EDGE_LIMIT_PAUSE_NS);
    if (error == 0)
        error = edge_loop_modify(&server->loop, &server->listener, 0);
    if (error < 0)
        stop(server, "cannot accept connections", error);
}

__attribute__((cold)) static void on_listener(struct edge_watch *watch, uint32_t events)
{
    struct server *server = OWNER(watch, struct server, listener);
    (void)events;
    int error = 0;
    for (int taken = 0; taken < EDGE_LIMIT_ACCEPTS && error >= 0; taken++) {
        int fd = edge_socket_accept(watch->fd);
        error = fd;
        if (fd >= 0)
            client_new(server, fd); // one that is refused is closed, and knows it
        else if ((fd == -EMFILE || fd == -ENFILE) && server->spare_fd >= 0)
            error = refuse_one(server);
    }
    switch (error) {
    case -EMFILE:
    case -ENFILE:
    case -ENOBUFS:
    case -ENOMEM:
    case -ENOSPC:
        pause_accepting(server);
        break;
    case -EBADF:
    case -EINVAL:
    case -ENOTSOCK:
        stop(server, "cannot accept connections", error);
        break;
    default: // none is waiting, or that one is gone: accept() passes its error on
        break;
    }
}

static void on_drain_timer(struct edge_timer *timer)
{
    struct server *server = OWNER(timer, struct server, drain_timer);
    edge_loop_stop(&server->loop);
}

static void drain(struct server *server)
{
    server->draining = true;
    edge_loop_remove(&server->loop, &server->listener);
    close(server->listener.fd);
    server->listener.fd = -1;
    edge_health_shutdown(&server->services.health);
    const uint64_t now_ns = server->loop.now_ns;
    struct client *next;
    for (struct client *client = server->clients; client != NULL; client = next) {
        next = client->next;
        edge_h2_session_shutdown(client->session, now_ns);
        client_end(client);
    }
    if (server->clients == NULL ||
        edge_timer_start(&server->loop, &server->drain_timer, now_ns + EDGE_LIMIT_DRAIN_NS) < 0)
        edge_loop_stop(&server->loop);
}

__attribute__((cold)) static void on_signal(struct edge_watch *watch, uint32_t events)
{
    struct server *server = OWNER(watch, struct server, signals);
    struct signalfd_siginfo info;
    (void)events;
    while (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (server->draining)
            edge_loop_stop(&server->loop);
        else
            drain(server);
    }
}

// An option's 0.
static uint64_t or_never(uint64_t time_ns)
{
    return time_ns == 0 ? EDGE_H2_NEVER : time_ns;
}

static int open_services(struct server *server)
{
    const struct edge_server_config *config = server->config;
    size_t arena_limit = EDGE_LIMIT_ARENA_FACTOR * (size_t)config->max_message;
    edge_services_init(&server->services, server->tables, config->program->codec,
                       arena_limit > EDGE_LIMIT_ARENA_MIN ? arena_limit : EDGE_LIMIT_ARENA_MIN);
    const struct edge_h2_config h2_config = {.tables = server->tables,
                                             .compress = config->program->compress,
                                             .context = &server->services,
                                             .pool = &server->pool,
                                             .max_message = (size_t)config->max_message,
                                             .max_streams = (uint32_t)config->max_streams,
                                             .max_idle_ns = or_never(config->max_idle_ns),
                                             .max_age_ns = or_never(config->max_age_ns),
                                             .max_age_grace_ns = or_never(config->max_age_grace_ns),
                                             .keepalive_ns = or_never(config->keepalive_ns),
                                             .keepalive_timeout_ns = config->keepalive_timeout_ns,
                                             .ping_interval_ns =
                                                 or_never(config->ping_interval_ns)};
    return edge_h2_new(&h2_config, &server->h2);
}

static int open_server(struct server *server, struct edge_message *message)
{
    const struct edge_server_config *config = server->config;
    struct edge_address address;
    int error = edge_address_numeric(config->host, (uint16_t)config->port, &address, message);
    const struct edge_tls_server_config tls_config = {config->tls_cert, config->tls_key};
    if (error == 0)
        error = edge_tls_server_new(&tls_config, &server->tls, message);
    if (error < 0)
        return error;
    int listen_fd = edge_socket_listen(&address, message);
    if (listen_fd < 0)
        return listen_fd;
    server->listener = (struct edge_watch){listen_fd, EPOLLIN, on_listener, false};
    int signal_fd = edge_loop_open_signals();
    server->signals = (struct edge_watch){signal_fd, EPOLLIN, on_signal, false};
    int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    server->sweeper = (struct edge_watch){timer_fd, EPOLLIN, on_sweeper, false};
    if (timer_fd < 0)
        return edge_fail(message, -errno, "cannot start: %s", strerror(errno));
    error = signal_fd < 0 ? signal_fd : edge_io_init(&server->io, &server->loop, IO_BYTES);
    server->io.pending_limit = EDGE_LIMIT_PENDING_SHARE((size_t)config->max_memory);
    if (error == 0)
        error = open_services(server);
    if (error == 0)
        error = edge_loop_add(&server->loop, &server->listener);
    if (error == 0)
        error = edge_loop_add(&server->loop, &server->signals);
    if (error == 0)
        error = edge_loop_add(&server->loop, &server->sweeper);
    if (error < 0)
        return edge_fail(message, error, "cannot start: %s", edge_error_text(error));
    fprintf(stderr, "%s listening on %s%s\n", config->program->name, address.text,
            server->tls != NULL ? ", with TLS" : "");
    return 0;
}

static void close_server(struct server *server)
{
    server->draining = false;
    while (server->clients != NULL)
        edge_connection_close(&server->clients->connection, EDGE_OK);
    edge_tls_del(server->tls);
    edge_h2_del(server->h2);
    edge_services_free(&server->services);
    edge_io_free(&server->io);
    edge_pool_free(&server->pool);
    if (server->listener.fd >= 0)
        close(server->listener.fd);
    if (server->signals.fd >= 0)
        close(server->signals.fd);
    if (server->sweeper.fd >= 0)
        close(server->sweeper.fd);
    if (server->spare_fd >= 0)
        close(server->spare_fd);
    edge_loop_free(&server->loop);
}

int edge_server_run(const struct edge_server_config *config, struct edge_message *message)
{
    struct server server = {.config = config,
                            .tables = {edge_greeter_methods, edge_health_methods,
                                       edge_reflection_methods, config->program->more[0],
                                       config->program->more[1]},
                            .listener = {.fd = -1},
                            .signals = {.fd = -1},
                            .spare_fd = open_spare(),
                            .pool = {.limit = EDGE_LIMIT_POOL_SHARE((size_t)config->max_memory)},
                            .accept_timer = {.fire = on_accept_timer},
                            .sweeper = {.fd = -1},
                            .drain_timer = {.fire = on_drain_timer}};
    int error = edge_loop_init(&server.loop);
    if (error < 0)
        return edge_fail(message, error, "cannot start: %s", edge_error_text(error));
    error = open_server(&server, message);
    if (error == 0) {
        error = edge_loop_run(&server.loop);
        if (error < 0)
            edge_fail(message, error, "the event loop failed: %s", edge_error_text(error));
        if (server.failure.text[0] != '\0') {
            *message = server.failure;
            error = EDGE_ERR_FAILED;
        }
    }
    close_server(&server);
    return error;
}
